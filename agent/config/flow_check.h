// SPDX-License-Identifier: Apache-2.0
// Flows of the configuration with the codec's eyes: the checker that dsl asks for (dsl may not
// include openflow), and the comparison of two bridges' flows by what they match.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "dsl/model/check.h"
#include "dsl/model/config.h"
#include "openflow/message.h"

namespace raicho::agent::config {

/// Syntax, prerequisites and actions of a flow text, and what the model would refuse later: groups,
/// meters, queues, output to TABLE, and words that only a delete or a modify heeds.
[[nodiscard]] dsl::FlowChecker flow_checker();

/// One flow of a bridge, parsed with the bridge's port numbers; command add.
struct ParsedFlow {
    std::string label;  // `flow arp` or `flow "…"`
    openflow::FlowMod flow;
};
/// Flows by table, priority and match, whatever the order of the match's fields (OF 1.3.5 §6.4:
/// that is what makes two entries identical).
using FlowsByKey = std::unordered_map<std::string, ParsedFlow>;

/// Parses all flows of a bridge whose ports have their numbers. Two identical entries are an error.
[[nodiscard]] Result<FlowsByKey> parse_flows(const dsl::BridgeConfig& bridge);

/// One flow's change on the way from one set to another; both present = replaced.
struct FlowChange {
    std::string label;
    const openflow::FlowMod* before = nullptr;
    const openflow::FlowMod* after = nullptr;
};
/// Removals first. Points into both arguments.
[[nodiscard]] std::vector<FlowChange> compare_flows(const FlowsByKey& before,
                                                    const FlowsByKey& after);

/// After a commit between `before` and `other` was cut off: adds the changes that make sure of what
/// the two say differently. A removal is of an entry that may not be there, an addition of one that
/// may be. Points into all arguments.
void add_doubtful(std::vector<FlowChange>& changes, const FlowsByKey& before,
                  const FlowsByKey& other, const FlowsByKey& after);

/// The same flow as a strict delete.
[[nodiscard]] openflow::FlowMod strict_delete(openflow::FlowMod flow);

}  // namespace raicho::agent::config
