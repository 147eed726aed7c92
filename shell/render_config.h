// SPDX-License-Identifier: Apache-2.0
// Commits, candidates and differences of the configuration as lines for people.
#pragma once

#include "shell/render.h"

namespace raicho::shell {

/// `2026-01-01 12:00:00` in local time.
[[nodiscard]] std::string time_text(std::uint64_t seconds_since_1970);
/// Lines with `+` green and `-` red; a sentence when there is no difference.
[[nodiscard]] Lines render_difference(std::string_view text, Colours colours);
/// The last commits, as `rollback N` counts them.
[[nodiscard]] Lines render_commits(const Json& revisions);
/// Who edits what, what waits to be confirmed. `own` is the id of the shell's candidate.
[[nodiscard]] Lines render_config_status(const Json& status, std::string_view own);

}  // namespace raicho::shell
