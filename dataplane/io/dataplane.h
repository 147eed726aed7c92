// SPDX-License-Identifier: Apache-2.0
// The dataplane as a whole: waits for the arena, starts DPDK and the workers from its settings,
// opens the wanted ports and serves the agent until it is told to stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"

namespace raicho::io {

/// Why run() ended.
enum class Ended : std::uint8_t {
    stopped,     // SIGTERM, SIGINT or the agent's stop: everything is cleaned up
    superseded,  // a newer arena took the name: start the program anew, at once, by exec
    pages_gone,  // others took the huge pages that were to be used: likewise
};

/// Whether the log's level follows the agent's settings.
enum class FollowLevel : std::uint8_t { no, yes };

/// The whole life of a dataplane in this process; SIGTERM and SIGINT are blocked on return.
/// `log` is the log that is open.
[[nodiscard]] Result<Ended> run_dataplane(const std::string& rundir, LogTarget log,
                                          FollowLevel follow);

}  // namespace raicho::io
