// SPDX-License-Identifier: Apache-2.0
// A line of `ovs-ofctl dump-flows` as a flow text of ours: without counters, and with what Open
// vSwitch has its own words for in OpenFlow 1.3's. What has no such form stays as it is, for the
// flow parser to refuse.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace raicho::dsl {

/// Our name of a port that the dump calls by its name.
using PortRename = std::function<std::string(std::string_view foreign)>;

/// `cookie=0x0, duration=1s, table=1, priority=5,ip actions=resubmit(,2)` becomes
/// `table=1,priority=5,ip actions=goto_table:2`.
[[nodiscard]] std::string ovs_flow_text(std::string_view line, const PortRename& ports);

}  // namespace raicho::dsl
