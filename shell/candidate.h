// SPDX-License-Identifier: Apache-2.0
// The commands of configure mode: they edit a candidate that the agent holds, compare it and commit
// it. Neighbours: configure.h is the mode itself, config_views.h shows, change.h changes the switch
// at once.
#pragma once

#include "shell/context.h"

namespace raicho::shell {

/// `configure`: the shared candidate, or one of one's own.
[[nodiscard]] Done configure(const Context& context);
/// `set`, `delete`, `activate`, `deactivate`, `rename`.
[[nodiscard]] Done edit_statement(const Context& context);
[[nodiscard]] Done edit_level(const Context& context);
[[nodiscard]] Done up(const Context& context);
[[nodiscard]] Done top(const Context& context);
[[nodiscard]] Done commit(const Context& context);
[[nodiscard]] Done commit_check(const Context& context);
[[nodiscard]] Done rollback(const Context& context);
[[nodiscard]] Done discard(const Context& context);
/// `load merge|replace|override|set FILE|terminal`.
[[nodiscard]] Done load_candidate(const Context& context);
[[nodiscard]] Done save_candidate(const Context& context);
[[nodiscard]] Done update(const Context& context);
/// `exit`: a level up, or out of configure mode, which asks when something is not committed.
[[nodiscard]] Done leave_level(const Context& context);
[[nodiscard]] Done leave_configure(const Context& context);

/// Judges the line and follows its mode and level without an agent, for `lagosh -n`.
[[nodiscard]] Done rehearse(const Context& context);

/// Keeps the commit that waits to be confirmed; of both modes.
[[nodiscard]] Done confirm(const Context& context);

}  // namespace raicho::shell
