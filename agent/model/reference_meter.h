// SPDX-License-Identifier: Apache-2.0
// The oracle of meters (OF 1.3.5 §5.7): one bucket of tokens a band, in whole numbers, in virtual
// time. Of the bands whose rate is exceeded the highest acts (§5.7.1); what a band acts on takes
// nothing from the bands below it, so that a lower band measures what the higher ones let through.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/model/types.h"
#include "openflow/meter.h"

namespace raicho::agent {

class ReferenceMeter {
  public:
    /// A band's burst where none is given (no OFPMF_BURST, or 0), and the least that a given one
    /// counts as: what its rate passes in that time. Both are our choice.
    static constexpr Time kUsualBurst = kSecond / 10, kLeastBurst = kSecond / 1000;

    /// Begins at `now` with full buckets.
    ReferenceMeter(std::uint16_t flags, openflow::MeterBands bands, Time now);

    /// A packet of `size` bytes comes at `now`, which never goes back: the band that acts on it,
    /// the one of the highest rate that is exceeded, if any. A packet larger than a bucket takes a
    /// full one and leaves a debt; a bucket holds two such packets at least, for one that holds a
    /// single packet would lose what becomes due before the next one comes.
    [[nodiscard]] std::optional<std::size_t> packet(std::uint64_t size, Time now);

  private:
    __extension__ using Wide = __int128;
    /// Tokens: a bit or a packet is kSecond of them, so that a nanosecond brings `rate` whole ones.
    struct Filling {
        std::size_t band = 0;    // as sent
        std::uint64_t rate = 0;  // bits or packets a second
        Wide capacity = 0;
        Wide tokens = 0;  // as if the bucket were boundless
    };

    bool counts_packets_;
    std::vector<Filling> fillings_;  // falling by rate; equal rates as sent
    Time last_;
};

}  // namespace raicho::agent
