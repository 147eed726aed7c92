// SPDX-License-Identifier: Apache-2.0
// The `show` commands: documents of the agent to the reader.
#pragma once

#include "shell/context.h"

namespace raicho::shell {

[[nodiscard]] Done show_port(const Context& context);
[[nodiscard]] Done show_flow(const Context& context);
[[nodiscard]] Done show_log(const Context& context);

/// One line of the log's document: `2026-11-30T21:33:45.123 info switch: …` in local time.
[[nodiscard]] std::string log_line(const Json& line, Colours colours);

}  // namespace raicho::shell
