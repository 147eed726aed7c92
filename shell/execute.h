// SPDX-License-Identifier: Apache-2.0
// Carries out parsed commands: fetches, renders, pipes. Knows neither terminal nor scripts.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "shell/agent.h"
#include "shell/columns.h"
#include "shell/failure.h"
#include "shell/output.h"
#include "shell/parse.h"

namespace raicho::shell {

enum class Format : bool { people, json };

/// What the commands need of their surroundings.
struct Surroundings {
    Agent& agent;
    Colours colours = Colours::off;
    Format format = Format::people;
    /// The last n typed lines, oldest first; empty in scripts.
    std::function<std::vector<std::string>(std::size_t)> history{};
};

enum class AfterCommand : bool { go_on, leave };

/// Runs the command of a line (which must have one) into `out`.
[[nodiscard]] std::expected<AfterCommand, Failure> execute(const ParsedLine& line,
                                                           const Surroundings& around,
                                                           LineSink& out);

}  // namespace raicho::shell
