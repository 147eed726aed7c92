// SPDX-License-Identifier: Apache-2.0
// Live views: a picture every second with rates, drawn in place on a terminal that can, one below
// the other elsewhere. q or ^C leaves. An agent that goes is waited for, and that is said.
#pragma once

#include "shell/context.h"

namespace raicho::shell {

[[nodiscard]] Done monitor_ports(const Context& context);
[[nodiscard]] Done monitor_flows(const Context& context);
[[nodiscard]] Done monitor_log(const Context& context);

}  // namespace raicho::shell
