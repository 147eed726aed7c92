// SPDX-License-Identifier: Apache-2.0
// Programs of the host that the shell runs: ping, traceroute.
#pragma once

#include "shell/context.h"

namespace raicho::shell {

/// Runs `program` with HOST and ARGUMENTS of the line until it ends; its output goes to the
/// screen, behind filters line by line.
[[nodiscard]] Done run_host_program(const Context& context, const char* program);

}  // namespace raicho::shell
