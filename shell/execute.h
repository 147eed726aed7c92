// SPDX-License-Identifier: Apache-2.0
// Carries out parsed commands: chooses the action, joins it to its pipes. Knows neither terminal
// nor scripts.
#pragma once

#include "shell/context.h"

namespace raicho::shell {

enum class AfterCommand : bool { go_on, leave };

/// Runs the command of a line (which must have one) into `out`.
[[nodiscard]] std::expected<AfterCommand, Failure> execute(const ParsedLine& line,
                                                           const Surroundings& around,
                                                           LineSink& out);

/// Whether the action draws by itself and wants no pager.
[[nodiscard]] bool is_live(Action action);

}  // namespace raicho::shell
