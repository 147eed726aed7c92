// SPDX-License-Identifier: Apache-2.0
// `match { … }` and `actions { … }` of a flow as blocks: one field or action a statement, turned
// into the words that ovs-ofctl has for them. What a field needs beside it (OF 1.3.5 §7.2.3.8) is
// filled in where only one thing can be meant.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dsl/model/schema.h"
#include "dsl/model/value.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// A statement of such a block: `nw_dst 10.0.0.0/8`, `tcp`, `write_actions { … }`.
struct FlowItem {
    std::span<const Value> values;
    std::vector<FlowItem> items{};
    bool block = false;
};

/// Whether the setting may be a block.
[[nodiscard]] bool takes_flow_block(const Row& row);

/// The statements of a block that are in force.
[[nodiscard]] std::vector<FlowItem> flow_items(const Block& block);

/// Words of the block: `nw_dst=10.0.0.0/8`, `output:p1`, `set_field:1->vlan_vid`, at the places of
/// their statements. Words that were filled in are marked as made.
[[nodiscard]] ValueResult<std::vector<Value>> flow_words(const Row& row,
                                                         const std::vector<FlowItem>& items);

}  // namespace raicho::dsl
