// SPDX-License-Identifier: Apache-2.0
// The obviously right meter store: a map of entries. Oracle of the arena's store and the store of
// the model's tests, which also play the workers and count packets.
#pragma once

#include <map>
#include <vector>

#include "agent/model/meter_store.h"

namespace raicho::agent {

class VectorMeterStore final : public MeterStore {
  public:
    explicit VectorMeterStore(MeterLimits limits = {4096, 8}) : limits_(limits) {}

    [[nodiscard]] MeterLimits limits() const override { return limits_; }
    [[nodiscard]] bool ready() override { return ready_; }
    [[nodiscard]] bool reclaims() const override { return reclaims_; }
    [[nodiscard]] openflow::OfResult<void> insert(MeterId meter, const MeterHead& head,
                                                  const openflow::MeterBands& bands) override;
    [[nodiscard]] openflow::OfResult<void> replace(MeterId meter, std::uint16_t flags,
                                                   const openflow::MeterBands& bands) override;
    void remove(MeterId meter) override;
    [[nodiscard]] bool contains(MeterId meter) const override { return entries_.contains(meter); }
    [[nodiscard]] MeterHead head(MeterId meter) const override { return entries_.at(meter).head; }
    [[nodiscard]] openflow::MeterBands bands(MeterId meter) const override {
        return entries_.at(meter).bands;
    }
    [[nodiscard]] MeterCount counts(MeterId meter) const override {
        return entries_.at(meter).count;
    }
    [[nodiscard]] std::optional<MeterId> next(MeterId from) const override;
    [[nodiscard]] std::size_t size() const override { return entries_.size(); }

    /// A packet of `bytes` came to the meter; `band` acted on it, if any.
    void hit(MeterId meter, std::uint64_t bytes, std::optional<std::size_t> band);
    /// As after a restart under a worker that hangs.
    void set_ready(bool ready) { ready_ = ready; }
    /// As while workers may still use what was removed: room comes back when told.
    void set_reclaims(bool reclaims) { reclaims_ = reclaims; }
    void set_limits(MeterLimits limits) { limits_ = limits; }

  private:
    struct Entry {
        MeterHead head;
        openflow::MeterBands bands;
        MeterCount count;
    };
    [[nodiscard]] openflow::OfResult<void> check_size(const openflow::MeterBands& bands) const;

    MeterLimits limits_;
    std::map<MeterId, Entry> entries_;
    bool ready_ = true;
    bool reclaims_ = false;
};

}  // namespace raicho::agent
