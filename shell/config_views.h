// SPDX-License-Identifier: Apache-2.0
// Views of configurations: what runs, what ran, the candidate, and how they differ. Neighbour:
// candidate.h changes them.
#pragma once

#include "shell/context.h"

namespace raicho::shell {

/// `show` in configure mode, `show | compare`.
[[nodiscard]] Done show_candidate(const Context& context);
[[nodiscard]] Done compare(const Context& context);
/// Who edits what, and what waits to be confirmed.
[[nodiscard]] Done status(const Context& context);
[[nodiscard]] Done show_configuration(const Context& context);
[[nodiscard]] Done show_commits(const Context& context);
[[nodiscard]] Done show_rollback(const Context& context);

}  // namespace raicho::shell
