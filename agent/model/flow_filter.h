// SPDX-License-Identifier: Apache-2.0
// Which flows a modify, delete, flow or aggregate request means (OF 1.3.5 §6.4, §7.3.5.2): table,
// cookie, outputs, and either a match to lie within or one to be the same as.
#pragma once

#include "agent/model/flow_store.h"
#include "openflow/message.h"

namespace raicho::agent {

/// Beside the match. OFPP_ANY, OFPG_ANY and a zero cookie mask constrain nothing.
struct FlowFilter {
    TableId table = kAllTables;
    std::uint64_t cookie = 0;
    std::uint64_t cookie_mask = 0;
    PortNo out_port = port::kAny;
    GroupId out_group = openflow::group::kAny;
};

/// The filter of a flow or aggregate request.
[[nodiscard]] FlowFilter filter_of(const openflow::FlowStatsRequest& request);
/// The filter of a flow-mod; only deletes look at outputs (§6.4).
[[nodiscard]] FlowFilter filter_of(const openflow::FlowMod& mod);

/// Whether the flow passes cookie and outputs; table and match are not looked at.
[[nodiscard]] bool passes(const FlowFilter& filter, const FlowStore& store, FlowId flow);

/// Non-strict: calls `visit` for each flow that passes and lies within `match` until it returns
/// false. `visit` changes nothing in the store.
void for_each_selected(const FlowStore& store, const FlowFilter& filter,
                       const openflow::Match& match, FunctionRef<bool(FlowId)> visit);

}  // namespace raicho::agent
