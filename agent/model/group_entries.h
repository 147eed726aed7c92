// SPDX-License-Identifier: Apache-2.0
// The life of group entries: group-mods that add, change and delete them (OF 1.3.5 §6.7), and what
// the group multiparts say of them (§7.3.5.9 to §7.3.5.11). The entries themselves lie in the
// store.
#pragma once

#include <vector>

#include "agent/model/flow_entries.h"
#include "agent/model/group_store.h"
#include "agent/model/targets.h"
#include "openflow/message.h"

namespace raicho::agent {

class GroupEntries {
  public:
    /// All outlive it; `targets.groups` is `store`.
    GroupEntries(GroupStore& store, FlowEntries& flows, const Targets& targets)
        : store_(store), flows_(flows), targets_(targets) {}

    /// One group-mod; an error changes nothing. A delete takes the flows that send to the group.
    [[nodiscard]] openflow::OfResult<void> apply(const openflow::GroupMod& mod, Time now);

    /// Of one group or of group::kAll; nothing for a group that is not there.
    [[nodiscard]] std::vector<openflow::GroupStats> stats(GroupId group, Time now) const;
    [[nodiscard]] std::vector<openflow::GroupDesc> descs() const;
    [[nodiscard]] std::optional<openflow::GroupDesc> desc(GroupId group) const;
    [[nodiscard]] openflow::GroupFeatures features() const;

  private:
    [[nodiscard]] openflow::OfResult<void> remove(GroupId group, Time now);
    void remove_all(Time now);
    /// Groups in ascending order.
    [[nodiscard]] std::vector<GroupId> all() const;

    GroupStore& store_;
    FlowEntries& flows_;
    const Targets& targets_;
};

}  // namespace raicho::agent
