// SPDX-License-Identifier: Apache-2.0
// The obviously right group store: a vector of entries, scanned. Oracle of the arena's store and
// the store of the model's tests, which also play the workers and count packets.
#pragma once

#include <vector>

#include "agent/model/group_store.h"

namespace raicho::agent {

class VectorGroupStore final : public GroupStore {
  public:
    explicit VectorGroupStore(GroupLimits limits = {4096, 256}) : limits_(limits) {}

    [[nodiscard]] GroupLimits limits() const override { return limits_; }
    [[nodiscard]] bool ready() override { return ready_; }
    [[nodiscard]] bool reclaims() const override { return reclaims_; }
    [[nodiscard]] openflow::OfResult<void> insert(GroupId group, const GroupHead& head,
                                                  const openflow::Buckets& buckets) override;
    [[nodiscard]] openflow::OfResult<void> replace(GroupId group, openflow::GroupType type,
                                                   const openflow::Buckets& buckets) override;
    void remove(GroupId group) override;
    [[nodiscard]] bool contains(GroupId group) const override;
    [[nodiscard]] GroupHead head(GroupId group) const override { return at(group).head; }
    [[nodiscard]] openflow::Buckets buckets(GroupId group) const override {
        return at(group).buckets;
    }
    [[nodiscard]] GroupCount counts(GroupId group) const override { return at(group).count; }
    [[nodiscard]] std::optional<GroupId> next(GroupId from) const override;
    [[nodiscard]] std::size_t size() const override { return entries_.size(); }

    /// A worker sent a packet of `bytes` through the group's buckets `buckets`.
    void hit(GroupId group, std::uint64_t bytes, const std::vector<std::size_t>& buckets);
    /// As after a restart under a worker that hangs.
    void set_ready(bool ready) { ready_ = ready; }
    /// As while workers may still use what was removed: room comes back when told.
    void set_reclaims(bool reclaims) { reclaims_ = reclaims; }
    void set_limits(GroupLimits limits) { limits_ = limits; }

  private:
    struct Entry {
        GroupId group;
        GroupHead head;
        openflow::Buckets buckets;
        GroupCount count;
    };
    [[nodiscard]] const Entry& at(GroupId group) const;
    [[nodiscard]] Entry& at(GroupId group);
    [[nodiscard]] openflow::OfResult<void> check_size(const openflow::Buckets& buckets) const;

    GroupLimits limits_;
    std::vector<Entry> entries_;  // by number
    bool ready_ = true;
    bool reclaims_ = false;
};

}  // namespace raicho::agent
