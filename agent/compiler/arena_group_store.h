// SPDX-License-Identifier: Apache-2.0
// The groups of one bridge in the arena: the production GroupStore. A group's body (shm/group.h) is
// written whole beside the old one and swapped by one store.
#pragma once

#include <map>

#include "agent/compiler/arena_space.h"
#include "agent/model/group_store.h"

namespace raicho::agent {

class ArenaGroupStore final : public GroupStore {
  public:
    /// Adopts the groups that the arena holds for the bridge. `space` must outlive the store; one
    /// store a bridge.
    ArenaGroupStore(ArenaSpace& space, BridgeId bridge);

    [[nodiscard]] GroupLimits limits() const override;
    [[nodiscard]] bool ready() override { return space_.ready(); }
    [[nodiscard]] bool reclaims() const override { return space_.n_retired() != 0; }
    [[nodiscard]] openflow::OfResult<void> insert(GroupId group, const GroupHead& head,
                                                  const openflow::Buckets& buckets) override;
    [[nodiscard]] openflow::OfResult<void> replace(GroupId group, openflow::GroupType type,
                                                   const openflow::Buckets& buckets) override;
    void remove(GroupId group) override;
    [[nodiscard]] bool contains(GroupId group) const override {
        return rows_.contains(group.value());
    }
    [[nodiscard]] GroupHead head(GroupId group) const override;
    [[nodiscard]] openflow::Buckets buckets(GroupId group) const override;
    [[nodiscard]] GroupCount counts(GroupId group) const override;
    [[nodiscard]] std::optional<GroupId> next(GroupId from) const override;
    [[nodiscard]] std::size_t size() const override { return rows_.size(); }

    /// Removes every group (the bridge goes).
    void remove_all();

  private:
    [[nodiscard]] const shm::NamedRow& row(GroupId group) const {
        return space_.groups()[rows_.at(group.value())];
    }
    [[nodiscard]] openflow::OfResult<std::uint32_t> write_body(openflow::GroupType type,
                                                               const openflow::Buckets& buckets);
    [[nodiscard]] bool write_bucket(shm::BucketRow& row, const openflow::Bucket& bucket);

    ArenaSpace& space_;
    BridgeId bridge_;
    std::map<std::uint32_t, std::uint32_t> rows_;  // by group number
};

}  // namespace raicho::agent
