// SPDX-License-Identifier: Apache-2.0
// Texts of groups and meters as ovs-ofctl writes them:
//   group_id=1,type=select,bucket=weight:2,watch_port:1,actions=output:1,bucket=output:2
//   meter=1 kbps burst stats bands=type=drop rate=1000 burst_size=100
// Neighbours: group_text.cc prints them, flow_parser.cc reads flows.
#pragma once

#include "openflow/message.h"
#include "openflow/text.h"

namespace raicho::openflow {

/// The result is a GroupMod with command add, checked by check_group().
[[nodiscard]] std::expected<GroupMod, FlowTextError> parse_group(std::string_view text,
                                                                 const PortByName& ports);
/// The result is a MeterMod with command add, checked by check_meter(). Without `kbps` or `pktps`
/// rates are in kbit/s (§7.3.4.4).
[[nodiscard]] std::expected<MeterMod, FlowTextError> parse_meter(std::string_view text);

}  // namespace raicho::openflow
