// SPDX-License-Identifier: Apache-2.0
// UTF-8 as the lexer and the diagnostics' printer need it: one character at a time, strict.
#pragma once

#include <cstddef>
#include <string_view>

namespace raicho::dsl {

/// One decoded character. `valid` is false for bytes that are no UTF-8 (then size is 1): stray
/// continuation bytes, overlong forms, surrogates, values above U+10FFFF, truncated sequences.
struct Character {
    char32_t code = 0;
    std::size_t size = 1;
    bool valid = true;
};

/// The character at the front of `text`, which must not be empty.
[[nodiscard]] Character first_character(std::string_view text);

/// Columns a terminal gives the character: 0 for combining marks, 2 for wide ones, else 1.
[[nodiscard]] int display_width(char32_t code);

}  // namespace raicho::dsl
