// SPDX-License-Identifier: Apache-2.0
// The oracle of groups (OF 1.3.5 §5.6, §6.7): which buckets a packet may take, straight from the
// specification. What a bucket does to its copy is an action set (reference_set.h).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "openflow/group.h"

namespace raicho::agent {

class ReferenceGroups {
  public:
    using LivePorts = std::set<PortNo>;  // OFPPS_LIVE

    void set(GroupId group, openflow::GroupType type, const openflow::Buckets& buckets) {
        groups_[group] = {type, buckets};
    }
    void remove(GroupId group) { groups_.erase(group); }

    /// A bucket lives with its watch port or its watch group. One that watches nothing is as live
    /// as where it sends (its group, else its last output to a port; §5.6.1 lets a switch do so),
    /// and lives always in a fast-failover group, which must say what it watches.
    /// Test: ReferenceGroups.BucketLivesWithPortOrGroup
    [[nodiscard]] bool live(openflow::GroupType type, const openflow::Bucket& bucket,
                            const LivePorts& ports) const;
    /// A group lives while one of its buckets does.
    [[nodiscard]] bool live(GroupId group, const LivePorts& ports) const;

    /// The choices that a switch has for a packet, each a set of buckets in ascending order, each
    /// of which gets a copy of its own: one choice for all, indirect and fast failover, one a live
    /// bucket with a weight for select (where no bucket has one, all weigh the same); none where
    /// the packet is dropped.
    [[nodiscard]] std::vector<std::vector<std::size_t>> choices(GroupId group,
                                                                const LivePorts& ports) const;

    struct Group {
        openflow::GroupType type{};
        openflow::Buckets buckets;
    };
    [[nodiscard]] const Group& group(GroupId group) const { return groups_.at(group); }

  private:
    std::map<GroupId, Group> groups_;
};

}  // namespace raicho::agent
