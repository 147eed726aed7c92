// SPDX-License-Identifier: Apache-2.0
// A typed line as words with their places: blanks separate, quotes hold together, `|` separates
// stages, `#` begins a comment.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace raicho::shell {

enum class Quoted : bool { no, yes };

/// A word. `begin` and `end` are bytes of the line, quotes included.
struct Word {
    std::string text;  // without quotes
    std::size_t begin = 0;
    std::size_t end = 0;
    Quoted quoted = Quoted::no;
};

/// Words between two `|`. `begin` is behind the bar, `end` before the next one.
struct Stage {
    std::vector<Word> words;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// What is wrong with a line, and where: bytes [begin, end).
struct LineError {
    std::string text;
    std::string hint;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Stages of a line; one empty stage for an empty line. Between double quotes `\"` and `\\` stand
/// for the character; between single quotes everything stands for itself.
[[nodiscard]] std::expected<std::vector<Stage>, LineError> read_line(std::string_view line);

/// Whether the end of `text` lies within quotes or a comment: there a `?` is only a `?`.
[[nodiscard]] bool in_quotes_or_comment(std::string_view text);

/// `text` as one word of a line: quoted where it must be.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace raicho::shell
