// SPDX-License-Identifier: Apache-2.0
// How fast packets come and go at each port: a few samples of its counters, and what the oldest of
// them and the counters now make of the time between. Does no I/O; the switch samples.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "agent/model/types.h"
#include "base/ids.h"
#include "shm/port.h"

namespace raicho::agent {

/// Packets and bits a second.
struct PortRate {
    double rx_pps = 0;
    double rx_bps = 0;
    double tx_pps = 0;
    double tx_bps = 0;
};

class PortRates {
  public:
    /// Rates are those of so long at most.
    static constexpr Time kWindow = 5 * kSecond;

    /// About once a second for each port. A port that was `attached` at another time is another.
    void sample(PortSlot slot, Time attached, const shm::PortCounters& counters, Time now);
    /// Nothing while there is no sample that is old enough.
    [[nodiscard]] std::optional<PortRate> rate(PortSlot slot, Time attached,
                                               const shm::PortCounters& counters, Time now) const;

  private:
    struct Sample {
        Time time = 0;
        shm::PortCounters counters{};
    };
    struct Port {
        Time attached = 0;
        std::size_t n_samples = 0;  // ever taken; the ring holds the last ones
        std::array<Sample, kWindow / kSecond> ring{};
    };
    std::vector<Port> ports_;  // by slot
};

}  // namespace raicho::agent
