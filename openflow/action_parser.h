// SPDX-License-Identifier: Apache-2.0
// The action half of a flow text: actions and instructions in the spellings of ovs-ofctl, of the
// specification and of Lagopus. Neighbours: flow_scan.h, match_parser.h.
#pragma once

#include <vector>

#include "openflow/match_parser.h"

namespace raicho::openflow {

/// What the actions are read against.
struct ActionContext {
    const FlowProtocol& protocol;
    const Match& match;
    TableId table;
    const PortByName& ports;
    FlowRules rules = FlowRules::all;
};

/// Parses what stands behind `actions=`. Checks each action against the match, the goto against
/// the table, by FlowRules::all.
[[nodiscard]] Parsed<Instructions> parse_instructions(const Word& text,
                                                      const ActionContext& context);

/// Whether the item is an instruction that may stand without `actions=`, as Lagopus writes it:
/// `apply_actions=output:2`, `goto_table=1`, `clear_actions`.
[[nodiscard]] bool names_instruction(std::string_view name);

}  // namespace raicho::openflow
