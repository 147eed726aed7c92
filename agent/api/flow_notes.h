// SPDX-License-Identifier: Apache-2.0
// What a person should know of a flow that a switch accepts without a word: ports that are not
// there, a flow that it replaces, one that leaves it no packet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/view/switch_view.h"
#include "openflow/message.h"

namespace raicho::agent::api {

/// `table=0,priority=9,ip,nw_dst=10.0.0.0/8 actions=output:2`
[[nodiscard]] std::string flow_text(const openflow::FlowMod& mod);

/// Notes on a flow that would be added to the bridge. Looks at its first 65,536 flows.
[[nodiscard]] std::vector<std::string> flow_notes(const SwitchView& view, std::string_view bridge,
                                                  const openflow::FlowMod& mod);

}  // namespace raicho::agent::api
