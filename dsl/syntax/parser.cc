// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/parser.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace raicho::dsl {

namespace {

using enum TokenKind;

/// A quoted token's value: quotes off, escapes undone.
std::string unquote(std::string_view raw) {
    const char quote = raw.front();
    raw.remove_prefix(1);
    std::string out;
    for (std::size_t i = 0; i < raw.size() && raw[i] != quote; ++i) {
        if (quote == '"' && raw[i] == '\\' && i + 1 < raw.size()) {
            const char c = raw[++i];
            out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
        } else {
            out += raw[i];
        }
    }
    return out;
}

/// Whether a quoted token has its closing quote.
bool closed(std::string_view raw) {
    std::size_t i = 1;
    for (; i < raw.size() && raw[i] != raw.front(); ++i)
        if (raw.front() == '"' && raw[i] == '\\') ++i;
    return i < raw.size();
}

class Parser {
  public:
    Parser(Tree& tree, Diagnostics& diagnostics) : tree_(tree), diagnostics_(diagnostics) {}

    void run() {
        Block& root = tree_.root;
        statements(root, 0);
        root.tokens = {0, index(tree_.tokens.size())};
        root.span = join(tree_.tokens.front().span, tree_.tokens.back().span);
    }

  private:
    static std::uint32_t index(std::size_t i) { return static_cast<std::uint32_t>(i); }
    [[nodiscard]] const Token& token() const { return tree_.tokens[at_]; }
    [[nodiscard]] TokenKind kind() const { return token().kind; }
    [[nodiscard]] std::string_view text() const { return tree_.source->text(token().span); }
    void next() {
        if (kind() != end) ++at_;
    }

    /// Blanks, comments and bad bytes (already reported) within a statement.
    void skip_blanks() {
        while (kind() == blank || kind() == comment || kind() == bad) next();
    }
    void skip_between() {
        while (kind() == blank || kind() == comment || kind() == bad || kind() == newline ||
               kind() == semicolon)
            next();
    }

    /// Statements up to the block's `}` (left for the caller) or the end of the text.
    void statements(Block& block, std::size_t depth) {
        for (;;) {
            skip_between();
            if (kind() == end) return;
            if (kind() == close) {
                if (depth > 0) return;
                diagnostics_.error(token().span, "\"}\" without a block to close", "remove it");
                next();
                continue;
            }
            if (kind() != word) {
                not_a_statement();
                continue;
            }
            block.statements.push_back(statement(depth));
        }
    }

    void not_a_statement() {
        const Span span = token().span;
        switch (kind()) {
            case open:
                diagnostics_.error(span, "a block without a statement before it",
                                   "write what it configures first, as in: bridge br0 { }");
                break;
            case text_kind:
                diagnostics_.error(span, "a statement begins with a word, not with a quoted text",
                                   "for a flow write: flow \"...\"");
                break;
            default:
                diagnostics_.error(
                    span, format("a statement begins with a word, not with \"{}\"", text()));
        }
        recover();
    }

    /// To the end of the statement: `;`, a line end, or a `}` that is not of a block begun here.
    void recover() {
        std::size_t inside = 0;
        for (;; next()) {
            if (kind() == end) return;
            if (kind() == open) ++inside;
            if (kind() == close) {
                if (inside == 0) return;
                --inside;
            }
            if (inside == 0 && (kind() == semicolon || kind() == newline)) return;
        }
    }

    Statement statement(std::size_t depth) {
        Statement s;
        s.tokens.first = index(at_);
        s.span = token().span;
        bool& sound = s.sound;
        if (text() == "inactive" || text() == "inactive:") {
            s.activity = Activity::inactive;
            next();
            skip_blanks();
            if (kind() != word) {
                diagnostics_.error(s.span, "inactive without a statement",
                                   "write the statement behind it: inactive port p1");
                s.values.push_back({ValueKind::word, s.span, "inactive"});
                sound = false;
            }
        }
        std::size_t value_end = at_;
        bool cut = false;  // by a quoted text that is not closed
        while (sound) {
            if (kind() == word || kind() == text_kind) {
                touching();
                if (kind() == text_kind && !closed(text())) cut = true;
                s.values.push_back(scalar());
            } else if (kind() == open_list) {
                std::optional<Value> list = this->list();
                if (list)
                    s.values.push_back(std::move(*list));
                else
                    sound = false;
            } else if (kind() == close_list) {
                diagnostics_.error(token().span, "\"]\" without a list to close", "remove it");
                sound = false;
            } else {
                break;
            }
            value_end = at_;
            if (sound) skip_blanks();
        }
        s.span = join(s.span, s.values.back().span);
        if (sound) {
            const std::size_t before = at_;
            if (kind() == newline) skip_lines();  // the brace may stand on the next line
            if (kind() == open) {
                s.block = block(depth + 1);
                value_end = at_;
            } else {
                at_ = before;
            }
        } else {
            recover();
            value_end = at_;
        }
        if (cut) {
            sound = false;
            if (s.values.back().text.find('}') != std::string::npos) open_reported_ = true;
        }
        s.tokens.last = index(value_end);
        return s;
    }

    void skip_lines() {
        while (kind() == newline || kind() == blank || kind() == comment) next();
    }

    /// A value that begins where the one before it ends: `iface="eth0"`.
    void touching() {
        if (at_ == 0) return;
        const Token& before = tree_.tokens[at_ - 1];
        const bool quoted = kind() == text_kind || before.kind == text_kind;
        if (quoted && (before.kind == word || before.kind == text_kind))
            diagnostics_.error(join(before.span, token().span),
                               "quotes must enclose the whole value",
                               "write \"key=value\" instead of key=\"value\"");
    }

    Value scalar() {
        Value v;
        v.kind = kind() == word ? ValueKind::word : ValueKind::text;
        v.literal = kind() != word && text().front() == '\'';
        v.span = token().span;
        v.text = kind() == word ? std::string(text()) : unquote(text());
        next();
        return v;
    }

    /// `[ a b ]`, over several lines where wanted. Nothing when it is not closed.
    std::optional<Value> list() {
        Value v;
        v.kind = ValueKind::list;
        const Span opening = token().span;
        next();
        for (;;) {
            while (kind() == newline) next();
            skip_blanks();
            if (kind() == newline) continue;
            if (kind() == word || kind() == text_kind) {
                touching();
                v.items.push_back(scalar());
                Value& item = v.items.back();
                if (item.kind == ValueKind::word && item.text.ends_with(',')) {
                    diagnostics_.error(item.span, "a comma in a list",
                                       "items are separated by blanks: [ a b ]");
                    item.text.pop_back();
                }
                continue;
            }
            if (kind() == close_list) break;
            if (kind() == open_list)
                diagnostics_.error(token().span, "a list inside a list");
            else
                diagnostics_.error(opening, "list is not closed", "add \"]\" after its last item");
            return std::nullopt;
        }
        v.span = join(opening, token().span);
        next();
        return v;
    }

    std::unique_ptr<Block> block(std::size_t depth) {
        auto b = std::make_unique<Block>();
        const Span opening = token().span;
        b->tokens.first = index(at_);
        next();
        if (depth > kMaxDepth) {
            diagnostics_.error(opening, format("blocks nested deeper than {}", kMaxDepth));
            skip_block();
        } else {
            statements(*b, depth);
        }
        b->span = join(opening, token().span);
        if (kind() == close)
            next();
        else if (!open_reported_) {
            open_reported_ = true;  // the innermost one is told, the others follow from it
            diagnostics_.error(opening, "block is not closed", "add \"}\" where it ends");
        }
        b->tokens.last = index(at_);
        return b;
    }

    /// To the `}` of a block whose `{` was passed, without recursion.
    void skip_block() {
        for (std::size_t inside = 0; kind() != end; next()) {
            if (kind() == open) ++inside;
            if (kind() == close && inside-- == 0) return;
        }
    }

    static constexpr TokenKind text_kind = TokenKind::text;
    Tree& tree_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    bool open_reported_ = false;
};

}  // namespace

Tree parse(std::shared_ptr<const Source> source, Diagnostics& diagnostics, std::size_t part) {
    Tree tree;
    tree.source = std::move(source);
    tree.tokens = lex(*tree.source, diagnostics, part);
    Parser(tree, diagnostics).run();
    return tree;
}

}  // namespace raicho::dsl
