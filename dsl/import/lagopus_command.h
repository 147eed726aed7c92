// SPDX-License-Identifier: Apache-2.0
// The ancestor's DSL as words: one command a line, `\` continues it, `#` at its beginning makes it
// a comment, quotes hold blanks. Neighbours: lagopus_options.h says what words mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/import/report.h"

namespace raicho::dsl {

struct LagopusCommand {
    ForeignPlace place;
    std::vector<std::string> words;  // never empty
};

/// The commands of a text; what is no command (an open quote) is reported.
[[nodiscard]] std::vector<LagopusCommand> read_lagopus(const ForeignText& text,
                                                       ImportReport& report);

/// A number with its multiplier: `10`, `0x1f`, `10k` (thousands), `1Mi` (powers of 1024).
[[nodiscard]] std::optional<std::uint64_t> lagopus_number(std::string_view text);

}  // namespace raicho::dsl
