// SPDX-License-Identifier: Apache-2.0
// The oracle of meters (OF 1.3.5 §5.7): one bucket of tokens a band, in whole numbers, in virtual
// time. Fast meters are compared with what it lets pass, within 1 %.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/model/types.h"
#include "openflow/meter.h"

namespace raicho::agent {

class ReferenceMeter {
  public:
    /// Begins at `now` with full buckets. Without OFPMF_BURST a band's burst is what its rate
    /// passes in `default_burst`.
    ReferenceMeter(std::uint16_t flags, openflow::MeterBands bands, Time default_burst, Time now);

    /// A packet of `size` bytes comes at `now`, which never goes back: the band that acts on it,
    /// the one of the highest rate that is exceeded, if any.
    [[nodiscard]] std::optional<std::size_t> packet(std::uint64_t size, Time now);

  private:
    /// Tokens: a bit or a packet is kSecond of them, so that a nanosecond brings `rate` whole ones.
    struct Filling {
        std::uint64_t rate = 0;  // bits or packets a second
        unsigned __int128 capacity = 0;
        unsigned __int128 tokens = 0;
    };

    bool counts_packets_;
    openflow::MeterBands bands_;
    std::vector<Filling> fillings_;  // in step with bands_
    Time last_;
};

}  // namespace raicho::agent
