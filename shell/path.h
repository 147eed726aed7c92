// SPDX-License-Identifier: Apache-2.0
// The PATH of a configuration command: shortened words written out by the language's table, with
// the way back from places in the long text to the typed one. Neighbours: parse.h does the same
// for words of commands, candidate.h uses both.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "shell/line.h"

namespace raicho::shell {

/// A statement with its words written out.
struct WrittenOut {
    std::string text;

    /// Where bytes [begin, end) of `text` were typed; a word that was shortened counts whole.
    struct Place {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    [[nodiscard]] Place typed(Place place) const;

    /// Words that were shortened, in order.
    struct Word {
        Place here;
        Place typed;
    };
    std::vector<Word> words{};
};

/// `typed` with each unique beginning of a word of the language written out: `br br0 po p1 mt 1400`
/// at the top. Names, and what stands in quotes, brackets or braces, stay as they are. An error
/// names the meanings of an ambiguous word.
[[nodiscard]] std::expected<WrittenOut, LineError> write_out(std::string_view typed,
                                                             std::string_view level);

/// The byte at which character `column`, from 1, of UTF-8 text begins; the end behind the last.
[[nodiscard]] std::size_t byte_of_column(std::string_view text, std::size_t column);

}  // namespace raicho::shell
