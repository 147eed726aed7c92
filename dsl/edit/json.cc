// SPDX-License-Identifier: Apache-2.0
#include "dsl/edit/json.h"

#include <algorithm>

#include "base/text.h"
#include "dsl/syntax/utf8.h"

namespace raicho::dsl {

namespace {

constexpr std::size_t kDepth = 32;

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

/// Characters that a text of the language can hold.
bool writable(std::uint32_t code) {
    return code == '\n' || code == '\t' || (code >= 0x20 && code < 0x7f) || code >= 0xa0;
}

class Reader {
  public:
    Reader(const Source& source, Diagnostics& diagnostics)
        : text_(source.text()), diagnostics_(diagnostics) {}

    std::optional<JsonValue> run() {
        JsonValue out;
        if (!value(out, 0)) return std::nullopt;
        blanks();
        if (at_ < text_.size()) {
            fail("text after the end of the JSON value");
            return std::nullopt;
        }
        return out;
    }

  private:
    bool fail(std::string text, std::string help = {}) {
        const std::size_t size = at_ < text_.size() ? 1 : 0;
        diagnostics_.error(span(at_, size), std::move(text), std::move(help));
        return false;
    }
    [[nodiscard]] static Span span(std::size_t from, std::size_t size) {
        return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(size)};
    }
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void blanks() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
    }
    bool take(char c) {
        blanks();
        if (peek() != c) return false;
        ++at_;
        return true;
    }

    bool value(JsonValue& out, std::size_t depth) {
        blanks();
        if (depth > kDepth) return fail(format("nested deeper than {}", kDepth));
        const std::size_t from = at_;
        bool good = false;
        switch (peek()) {
            case '{': good = object(out, depth); break;
            case '[': good = array(out, depth); break;
            case '"':
                out.kind = JsonKind::string;
                good = string(out.text);
                break;
            default: good = plain(out);
        }
        out.span = span(from, at_ - from);
        return good;
    }

    bool object(JsonValue& out, std::size_t depth) {
        out.kind = JsonKind::object;
        ++at_;
        if (take('}')) return true;
        do {
            JsonValue member;
            blanks();
            const std::size_t from = at_;
            if (peek() != '"') return fail("the name of a member must stand here, in quotes");
            if (!string(member.name)) return false;
            member.name_span = span(from, at_ - from);
            if (!take(':')) return fail("\":\" expected after the name of a member");
            if (!value(member, depth + 1)) return false;
            out.items.push_back(std::move(member));
        } while (take(','));
        return take('}') || fail("\",\" or \"}\" expected");
    }

    bool array(JsonValue& out, std::size_t depth) {
        out.kind = JsonKind::array;
        ++at_;
        if (take(']')) return true;
        do {
            if (!value(out.items.emplace_back(), depth + 1)) return false;
        } while (take(','));
        return take(']') || fail("\",\" or \"]\" expected");
    }

    bool plain(JsonValue& out) {
        const std::size_t from = at_;
        while (at_ < text_.size() && !std::string_view(" \t\r\n,:]}[{\"").contains(text_[at_]))
            ++at_;
        out.text = text_.substr(from, at_ - from);
        if (out.text == "true" || out.text == "false") {
            out.kind = JsonKind::boolean;
        } else if (out.text == "null") {
            out.kind = JsonKind::null;
        } else if (!out.text.empty() && out.text.size() <= 20 &&
                   out.text.find_first_not_of("0123456789") == std::string::npos) {
            out.kind = JsonKind::number;
        } else {
            at_ = from;
            return fail("a JSON value expected", "whole numbers, strings, arrays, objects, true");
        }
        return true;
    }

    bool hex(std::uint32_t& code) {
        code = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = peek();
            const char low = static_cast<char>(c | 0x20);
            if (c >= '0' && c <= '9')
                code = code << 4 | static_cast<std::uint32_t>(c - '0');
            else if (low >= 'a' && low <= 'f')
                code = code << 4 | static_cast<std::uint32_t>(low - 'a' + 10);
            else
                return fail("\\u needs four hex digits");
            ++at_;
        }
        return true;
    }

    bool escape(std::string& out) {
        constexpr std::string_view kFrom = "\"\\/nt";
        constexpr std::string_view kTo = "\"\\/\n\t";
        const char c = peek();
        if (const std::size_t i = kFrom.find(c); i != std::string_view::npos && c != '\0') {
            out += kTo[i];
            ++at_;
            return true;
        }
        if (c == 'b' || c == 'f' || c == 'r')
            return fail("no configuration can hold this control character");
        if (c != 'u') return fail("unknown escape in a string");
        ++at_;
        std::uint32_t code = 0;
        if (!hex(code)) return false;
        if (code >= 0xd800 && code < 0xdc00) {
            std::uint32_t low = 0;
            if (peek() != '\\') return fail("half of a surrogate pair");
            ++at_;
            if (peek() != 'u') return fail("half of a surrogate pair");
            ++at_;
            if (!hex(low)) return false;
            if (low < 0xdc00 || low > 0xdfff) return fail("half of a surrogate pair");
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        } else if (code >= 0xdc00 && code <= 0xdfff) {
            return fail("half of a surrogate pair");
        }
        if (!writable(code)) return fail("no configuration can hold this control character");
        append_utf8(out, code);
        return true;
    }

    bool string(std::string& out) {
        const std::size_t from = at_++;
        while (at_ < text_.size() && text_[at_] != '"') {
            const char c = text_[at_];
            if (static_cast<unsigned char>(c) < 0x20)
                return fail("control character in a string", "write it as an escape");
            if (c == '\\') {
                ++at_;
                if (!escape(out)) return false;
                continue;
            }
            const Character next = first_character(text_.substr(at_));
            if (!next.valid) return fail("bytes that are not valid UTF-8");
            if (!writable(next.code)) return fail("control character in a string");
            out += text_.substr(at_, next.size);
            at_ += next.size;
        }
        if (at_ == text_.size()) {
            at_ = from;
            return fail("string is not closed");
        }
        ++at_;
        return true;
    }

    std::string_view text_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<JsonValue> read_json(const Source& source, Diagnostics& diagnostics) {
    return Reader(source, diagnostics).run();
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
            out += c;
    }
    return out + '"';
}

}  // namespace raicho::dsl
