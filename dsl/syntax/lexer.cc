// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/lexer.h"

#include <string_view>

#include "base/text.h"
#include "dsl/syntax/utf8.h"

namespace raicho::dsl {

namespace {

bool plain_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// A byte that ends a word, whatever comes before it.
bool ends_word(char c) {
    return plain_blank(c) || c == '\n' || c == ';' || c == '{' || c == '}' || c == '"';
}

class Lexer {
  public:
    Lexer(const Source& source, Diagnostics& diagnostics, std::size_t part)
        : text_(source.text_of(part)), base_(source.base_of(part)), diagnostics_(diagnostics) {}

    std::vector<Token> run() {
        if (text_.starts_with("\xef\xbb\xbf")) put(TokenKind::blank, 3);
        while (at_ < text_.size()) {
            const TokenKind kind = next_kind();  // sets size_
            put(kind, size_);
        }
        tokens_.push_back({TokenKind::end, span(at_, 0)});
        return std::move(tokens_);
    }

  private:
    [[nodiscard]] Span span(std::size_t from, std::size_t size) const {
        return {base_ + static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(size)};
    }
    [[nodiscard]] char peek(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    void put(TokenKind kind, std::size_t size) {
        tokens_.push_back({kind, span(at_, size)});
        at_ += size;
    }

    /// Size of the character at `i` when it is text, 0 when it is not.
    [[nodiscard]] std::size_t printable(std::size_t i) const {
        const char byte = text_[i];
        if (byte == '\t') return 1;
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) return 0;
        if (static_cast<unsigned char>(byte) < 0x80) return 1;
        const Character c = first_character(text_.substr(i));
        return c.valid && c.code >= 0xa0 ? c.size : 0;
    }

    /// Kind of the token at at_; its size in size_.
    TokenKind next_kind() {
        const char c = text_[at_];
        size_ = 1;
        switch (c) {
            case '{': return TokenKind::open;
            case '}': return TokenKind::close;
            case '[': return TokenKind::open_list;
            case ']': return TokenKind::close_list;
            case ';': return TokenKind::semicolon;
            case '\n': return TokenKind::newline;
            case '"': return text('"');
            case '\'': return text('\'');
            case '#': return line_comment();
            default: break;
        }
        if (c == '\r' && peek(at_ + 1) == '\n') {
            size_ = 2;
            return TokenKind::newline;
        }
        if (plain_blank(c)) return blank();
        if (c == '/' && peek(at_ + 1) == '*') return block_comment();
        return printable(at_) == 0 ? bad() : word();
    }

    TokenKind blank() {
        std::size_t i = at_;
        while (i < text_.size() && plain_blank(text_[i]) &&
               !(text_[i] == '\r' && peek(i + 1) == '\n'))
            ++i;
        size_ = i - at_;
        return TokenKind::blank;
    }

    /// Brackets inside a word belong to it as long as they are balanced (IPv6 in an endpoint).
    TokenKind word() {
        std::size_t i = at_;
        std::size_t open = 0;
        while (i < text_.size() && !ends_word(text_[i])) {
            if (text_[i] == '[') ++open;
            if (text_[i] == ']' && open-- == 0) break;
            const std::size_t size = printable(i);
            if (size == 0) break;
            i += size;
        }
        size_ = i - at_;
        return TokenKind::word;
    }

    TokenKind text(char quote) {
        std::size_t i = at_ + 1;
        while (i < text_.size() && text_[i] != '\n' && text_[i] != quote) {
            if (quote == '"' && text_[i] == '\\' && i + 1 < text_.size() && text_[i + 1] != '\n') {
                const char escaped = text_[i + 1];
                if (escaped != '"' && escaped != '\\' && escaped != 'n' && escaped != 't')
                    diagnostics_.error(span(i, 2), "unknown escape in a quoted text",
                                       R"(allowed: \" \\ \n \t; a backslash is written \\)");
                ++i;
                if (printable(i) == 0) continue;  // judged by the next round
            }
            const std::size_t size = printable(i);
            if (size == 0 && !(text_[i] == '\r' && peek(i + 1) == '\n')) report_bad(i);
            i += size == 0 ? 1 : size;
        }
        if (peek(i) == quote && i < text_.size()) {
            size_ = i + 1 - at_;
        } else {
            if (i > at_ + 1 && text_[i - 1] == '\r') --i;
            size_ = i - at_;
            diagnostics_.error(span(at_, size_), "quoted text is not closed on its line",
                               format("add the closing {}", quote));
        }
        return TokenKind::text;
    }

    TokenKind line_comment() {
        std::size_t i = at_;
        while (i < text_.size() && text_[i] != '\n') i += comment_character(i);
        if (i < text_.size() && text_[i - 1] == '\r') --i;
        size_ = i - at_;
        return TokenKind::comment;
    }

    TokenKind block_comment() {
        const std::size_t close = text_.find("*/", at_ + 2);
        const std::size_t stop = close == std::string_view::npos ? text_.size() : close + 2;
        for (std::size_t i = at_; i < stop;) i += comment_character(i);
        size_ = stop - at_;
        if (close == std::string_view::npos)
            diagnostics_.error(span(at_, 2), "comment is not closed", "add */ where it ends");
        return TokenKind::comment;
    }

    /// Size of the character of a comment at `i`; reports what is no text.
    std::size_t comment_character(std::size_t i) {
        const char c = text_[i];
        if (c == '\n' || c == '\r') return 1;
        const std::size_t size = printable(i);
        if (size != 0) return size;
        report_bad(i);
        return 1;
    }

    TokenKind bad() {
        std::size_t i = at_;
        report_bad(i);
        while (i < text_.size() && text_[i] != '\n' && !plain_blank(text_[i]) && printable(i) == 0)
            ++i;
        size_ = i - at_;
        return TokenKind::bad;
    }

    /// One report for a run of bad bytes.
    void report_bad(std::size_t i) {
        const bool follows = i == bad_end_ && i != 0;
        bad_end_ = i + 1;
        if (follows) return;
        const auto byte = static_cast<unsigned char>(text_[i]);
        if (byte == 0)
            diagnostics_.error(span(i, 1), "NUL byte in the text",
                               "is this a configuration file? it must be UTF-8 text");
        else if (byte < 0x80 || first_character(text_.substr(i)).valid)
            diagnostics_.error(
                span(i, byte < 0x80 ? 1 : 2),
                format("control character 0x{:02x} in the text",
                       static_cast<std::uint32_t>(first_character(text_.substr(i)).code)),
                "remove it; of those only tabs and line ends are allowed");
        else
            diagnostics_.error(span(i, 1), format("byte 0x{:02x} is not valid UTF-8", byte),
                               "save the file as UTF-8");
    }

    std::string_view text_;
    std::uint32_t base_;
    Diagnostics& diagnostics_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::size_t size_ = 0;
    std::size_t bad_end_ = 0;
};

}  // namespace

std::vector<Token> lex(const Source& source, Diagnostics& diagnostics, std::size_t part) {
    return Lexer(source, diagnostics, part).run();
}

}  // namespace raicho::dsl
