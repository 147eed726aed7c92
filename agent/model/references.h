// SPDX-License-Identifier: Apache-2.0
// Who names which group and meter: the reference counts of OF 1.3.5 §7.3.5.9 and §7.3.5.12, kept as
// flows come and go, and the questions that they answer.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "openflow/action.h"
#include "openflow/group_names.h"

namespace raicho::agent {

using openflow::groups_of;
/// Whether either list sends to the group.
[[nodiscard]] bool sends_to(const openflow::Instructions& instructions, GroupId group);

/// Counts of the flows of one datapath by the groups and the meter that they name.
class FlowReferences {
  public:
    /// `n` flows with these instructions came.
    void add(const openflow::Instructions& instructions, std::size_t n = 1);
    void drop(const openflow::Instructions& instructions);

    [[nodiscard]] std::uint32_t flows_of(GroupId group) const;
    [[nodiscard]] std::uint32_t flows_of(MeterId meter) const;
    /// No flow names any: nothing has to be looked up before a flow goes.
    [[nodiscard]] bool empty() const { return groups_.empty() && meters_.empty(); }

  private:
    std::unordered_map<GroupId, std::uint32_t> groups_;
    std::unordered_map<MeterId, std::uint32_t> meters_;
};

}  // namespace raicho::agent
