// SPDX-License-Identifier: Apache-2.0
// Bytes to tokens. Nothing is thrown away: the tokens' spans follow each other and cover the whole
// text, so that a tree of them prints back to the text.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/syntax/diagnostic.h"
#include "dsl/syntax/source.h"

namespace raicho::dsl {

enum class TokenKind : std::uint8_t {
    word,        // anything without blanks and ; { } [ ] quotes; `tcp:[::1]:6653` is one
    text,        // "…" with the escapes \" \\ \n \t, or '…' without any; ends on its line
    open,        // {
    close,       // }
    open_list,   // [
    close_list,  // ]
    semicolon,
    newline,  // \n or \r\n
    blank,    // spaces, tabs, lone \r, a byte order mark
    comment,  // # to the end of the line, or /* … */; begins where a word could begin
    bad,      // bytes that are no text: control characters, NUL, invalid UTF-8
    end,      // empty, last
};

struct Token {
    TokenKind kind = TokenKind::end;
    Span span;
};

/// Tokens of one file of the source, the last one `end`. Faults (bad bytes, open quotes and
/// comments) are reported and still covered by a token.
[[nodiscard]] std::vector<Token> lex(const Source& source, Diagnostics& diagnostics,
                                     std::size_t part = 0);

}  // namespace raicho::dsl
