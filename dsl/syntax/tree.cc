// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/tree.h"

#include <string_view>

#include "base/text.h"

namespace raicho::dsl {

namespace {

/// Prints tokens up to `last`, then steps over what a child has printed.
class Printer {
  public:
    explicit Printer(const Tree& tree) : tree_(tree) {}

    std::string run() {
        block(tree_.root);
        tokens_until(static_cast<std::uint32_t>(tree_.tokens.size()));
        return std::move(out_);
    }

  private:
    void tokens_until(std::uint32_t last) {
        for (; next_ < last; ++next_) out_ += tree_.source->text(tree_.tokens[next_].span);
    }
    void block(const Block& block) {
        tokens_until(block.tokens.first);
        for (const Statement& s : block.statements) {
            tokens_until(s.tokens.first);
            if (s.block) this->block(*s.block);
            tokens_until(s.tokens.last);
        }
        tokens_until(block.tokens.last);
    }

    const Tree& tree_;
    std::string out_;
    std::uint32_t next_ = 0;
};

bool bare(std::string_view text) {
    if (text.empty() || text.front() == '#' || text.starts_with("/*") || text.front() == '[')
        return false;
    for (const char c : text)
        if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f ||
            std::string_view(";{}\"'[]").find(c) != std::string_view::npos)
            return false;
    return true;
}

}  // namespace

std::string print(const Tree& tree) {
    return Printer(tree).run();
}

std::vector<Stretch> stretches(const Value& value, const Source& source) {
    if (value.made) return {};
    const auto length = static_cast<std::uint32_t>(value.text.size());
    const std::string_view raw = source.text(value.span);
    if (value.kind != ValueKind::text) return {{0, value.span.offset, length}};
    const std::uint32_t inside = value.span.offset + 1;  // after the quote
    if (raw.starts_with('\'')) return {{0, inside, length}};
    std::vector<Stretch> found;
    std::uint32_t text = 0;
    std::uint32_t from = 1;
    for (std::uint32_t i = 1; text < length; ++i) {
        if (raw[i] != '\\') {
            ++text;
            continue;
        }
        const std::uint32_t before = i - from;
        if (before != 0) found.push_back({text - before, value.span.offset + from, before});
        from = i + 1;  // the escaped character begins the next stretch
        ++i;
        ++text;
    }
    const std::uint32_t done = found.empty() ? 0 : found.back().text + found.back().length;
    if (done < length) found.push_back({done, value.span.offset + from, length - done});
    return found;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
    }
    return out + '"';
}

std::string quoted_if_needed(std::string_view text) {
    return bare(text) ? std::string(text) : quoted(text);
}

}  // namespace raicho::dsl
