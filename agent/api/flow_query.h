// SPDX-License-Identifier: Apache-2.0
// Which flows a person means by fields: `nw_dst=10.0.0.5`, `cookie=7,out_port=2`. Unlike a
// controller's filter (agent/model/flow_filter.h), which wants entries within a match, this one
// takes those that agree with it: a flow to 10.0.0.0/8 is found by 10.0.0.5.
#pragma once

#include <expected>
#include <string_view>

#include "agent/model/flow_filter.h"
#include "openflow/text.h"

namespace raicho::agent::api {

struct FlowSelection {
    FlowFilter filter;  // cookie and outputs; table kAllTables when the text names none
    openflow::Match match;
};

/// Reads the fields; prerequisites may be left out.
[[nodiscard]] std::expected<FlowSelection, openflow::FlowTextError> read_selection(
    std::string_view fields, const openflow::PortByName& ports);

/// Whether the flow has every field of the selection, with values that a single packet may have
/// both, and passes its filter.
[[nodiscard]] bool agrees(const FlowSelection& selection, const FlowStore& store, FlowId flow);

}  // namespace raicho::agent::api
