// SPDX-License-Identifier: Apache-2.0
// The host interfaces that a dataplane made and did not remove, because it was killed or stopped
// while the switch ended. They bear the alias of their run directory (dataplane/io/tap_port.h).
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace raicho::supervisor {

struct StrayTap {
    std::string name;
    Result<void> removed;
};

/// Removes them; one entry each, none where the dataplane ended well. Error: the interfaces cannot
/// be listed.
[[nodiscard]] Result<std::vector<StrayTap>> remove_stray_taps(const std::string& rundir);

}  // namespace raicho::supervisor
