// SPDX-License-Identifier: Apache-2.0
// The meter entries of one datapath, as the model sees them (OF 1.3.5 §5.7). Production: the arena
// (agent/compiler); tests and oracle: VectorMeterStore. The store holds the truth, the model keeps
// no copy; the store checks nothing of the protocol but its own capacity.
#pragma once

#include <optional>
#include <vector>

#include "agent/model/types.h"
#include "openflow/error.h"
#include "openflow/meter.h"

namespace raicho::agent {

struct MeterHead {
    std::uint16_t flags = 0;  // OFPMF_* as sent
    Time created = 0;
    friend bool operator==(const MeterHead&, const MeterHead&) = default;
};

/// Counters of a meter, summed over workers.
struct MeterCount {
    std::uint64_t packets = 0;  // that came to it
    std::uint64_t bytes = 0;
    std::vector<openflow::BandCount> bands;  // in step with the meter's bands
};

struct MeterLimits {
    std::uint32_t meters = 0;  // of the datapath, the virtual ones included
    std::uint8_t bands = 0;    // of one meter
};

/// Each change that succeeds is published before the call returns; one that fails changes nothing.
/// Meters are real ones (1 to meter::kMax) or the virtual kController and kSlowpath. Every call
/// that names a meter but insert() and contains() wants one that is there.
class MeterStore {
  public:
    virtual ~MeterStore() = default;

    [[nodiscard]] virtual MeterLimits limits() const = 0;
    /// False while insert() and replace() would fail only because workers may still use what an
    /// earlier agent unlinked (FlowStore::ready).
    [[nodiscard]] virtual bool ready() = 0;
    /// Whether room that is taken now becomes free by itself, so that what failed for want of it
    /// may succeed once workers have passed.
    [[nodiscard]] virtual bool reclaims() const = 0;

    /// A new meter with full buckets of tokens; counters start from zero.
    /// Errors: MeterModFailed out_of_meters, out_of_bands.
    [[nodiscard]] virtual openflow::OfResult<void> insert(MeterId meter, const MeterHead& head,
                                                          const openflow::MeterBands& bands) = 0;
    /// New flags and bands. Counters of the meter and its creation go on, counters of the bands
    /// start from zero (§6.8). Errors: as insert().
    [[nodiscard]] virtual openflow::OfResult<void> replace(MeterId meter, std::uint16_t flags,
                                                           const openflow::MeterBands& bands) = 0;
    /// No flow names it any more; workers in the middle of their burst may.
    virtual void remove(MeterId meter) = 0;

    [[nodiscard]] virtual bool contains(MeterId meter) const = 0;
    [[nodiscard]] virtual MeterHead head(MeterId meter) const = 0;
    /// As sent: order, burst_size whatever the flags say.
    [[nodiscard]] virtual openflow::MeterBands bands(MeterId meter) const = 0;
    [[nodiscard]] virtual MeterCount counts(MeterId meter) const = 0;

    /// The first meter in ascending order of numbers from `from` on, virtual ones last.
    [[nodiscard]] virtual std::optional<MeterId> next(MeterId from) const = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
};

}  // namespace raicho::agent
