// SPDX-License-Identifier: Apache-2.0
// The group entries of one datapath, as the model sees them (OF 1.3.5 §5.6). Production: the arena
// (agent/compiler); tests and oracle: VectorGroupStore. The store holds the truth, the model keeps
// no copy; the store checks nothing of the protocol but its own capacity and what it can compile.
#pragma once

#include <optional>
#include <vector>

#include "agent/model/types.h"
#include "openflow/error.h"
#include "openflow/group.h"

namespace raicho::agent {

struct GroupHead {
    openflow::GroupType type{};
    Time created = 0;
    friend bool operator==(const GroupHead&, const GroupHead&) = default;
};

/// Counters of a group, summed over workers.
struct GroupCount {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::vector<openflow::BucketCount> buckets;  // in step with the group's buckets
};

struct GroupLimits {
    std::uint32_t groups = 0;   // of the datapath
    std::uint32_t buckets = 0;  // of one group
};

/// Each change that succeeds is published before the call returns; one that fails changes nothing.
/// Every call that names a group but insert() and contains() wants one that is there.
class GroupStore {
  public:
    virtual ~GroupStore() = default;

    [[nodiscard]] virtual GroupLimits limits() const = 0;
    /// False while insert() and replace() would fail only because workers may still use what an
    /// earlier agent unlinked (FlowStore::ready).
    [[nodiscard]] virtual bool ready() = 0;
    /// Whether room that is taken now becomes free by itself, so that what failed for want of it
    /// may succeed once workers have passed.
    [[nodiscard]] virtual bool reclaims() const = 0;

    /// A new group; the groups that its buckets name are there, and there is no loop. Counters
    /// start from zero. Errors: GroupModFailed out_of_groups, out_of_buckets; BadAction for what
    /// cannot be compiled.
    [[nodiscard]] virtual openflow::OfResult<void> insert(GroupId group, const GroupHead& head,
                                                          const openflow::Buckets& buckets) = 0;
    /// New type and buckets, swapped without a moment in which neither acts. Counters of the group
    /// and its creation go on, counters of the buckets start from zero (§6.7). Errors: as insert().
    [[nodiscard]] virtual openflow::OfResult<void> replace(GroupId group, openflow::GroupType type,
                                                           const openflow::Buckets& buckets) = 0;
    /// No flow and no other group sends to it any more; workers in the middle of their burst may.
    virtual void remove(GroupId group) = 0;

    [[nodiscard]] virtual bool contains(GroupId group) const = 0;
    [[nodiscard]] virtual GroupHead head(GroupId group) const = 0;
    /// As sent: order of actions, max_len, watches.
    [[nodiscard]] virtual openflow::Buckets buckets(GroupId group) const = 0;
    [[nodiscard]] virtual GroupCount counts(GroupId group) const = 0;

    /// The first group in ascending order of numbers from `from` on.
    [[nodiscard]] virtual std::optional<GroupId> next(GroupId from) const = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
};

}  // namespace raicho::agent
