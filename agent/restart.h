// SPDX-License-Identifier: Apache-2.0
// The agent begins anew in the same process: new program, same pid, so that whoever watches over it
// notices nothing. Everything that a killed agent leaves to the next one serves here too.
#pragma once

#include "agent/options.h"

namespace raicho::agent {

/// Replaces the program by itself, with the run directory's running.conf in place of the first
/// configuration when there is one. Returns, with a line in the log, only when that fails.
void restart_process(const Options& options);

}  // namespace raicho::agent
