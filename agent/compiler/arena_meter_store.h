// SPDX-License-Identifier: Apache-2.0
// The meters of one bridge in the arena: the production MeterStore. The virtual meters have their
// rows in the bridge's record too, where workers look for them.
#pragma once

#include <map>

#include "agent/compiler/arena_space.h"
#include "agent/model/meter_store.h"

namespace raicho::agent {

class ArenaMeterStore final : public MeterStore {
  public:
    /// Adopts the meters that the arena holds for the bridge. `space` must outlive the store; one
    /// store a bridge.
    ArenaMeterStore(ArenaSpace& space, BridgeId bridge);

    [[nodiscard]] MeterLimits limits() const override;
    [[nodiscard]] bool ready() override { return space_.ready(); }
    [[nodiscard]] bool reclaims() const override { return space_.n_retired() != 0; }
    [[nodiscard]] openflow::OfResult<void> insert(MeterId meter, const MeterHead& head,
                                                  const openflow::MeterBands& bands) override;
    [[nodiscard]] openflow::OfResult<void> replace(MeterId meter, std::uint16_t flags,
                                                   const openflow::MeterBands& bands) override;
    void remove(MeterId meter) override;
    [[nodiscard]] bool contains(MeterId meter) const override {
        return rows_.contains(meter.value());
    }
    [[nodiscard]] MeterHead head(MeterId meter) const override;
    [[nodiscard]] openflow::MeterBands bands(MeterId meter) const override;
    [[nodiscard]] MeterCount counts(MeterId meter) const override;
    [[nodiscard]] std::optional<MeterId> next(MeterId from) const override;
    [[nodiscard]] std::size_t size() const override { return rows_.size(); }

    /// Removes every meter (the bridge goes).
    void remove_all();

  private:
    [[nodiscard]] const shm::NamedRow& row(MeterId meter) const {
        return space_.meters()[rows_.at(meter.value())];
    }
    /// The place of a virtual meter's row in the bridge's record, nullptr for a real one.
    [[nodiscard]] std::atomic<std::uint32_t>* virtual_place(std::uint32_t meter);
    [[nodiscard]] openflow::OfResult<std::uint32_t> write_body(std::uint16_t flags,
                                                               const openflow::MeterBands& bands);

    ArenaSpace& space_;
    BridgeId bridge_;
    std::map<std::uint32_t, std::uint32_t> rows_;  // by meter number
};

}  // namespace raicho::agent
