// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/port_rates.h"

#include <algorithm>

namespace raicho::agent {

namespace {

/// Over less a single burst would look like a rate.
constexpr Time kLeast = kSecond / 2;
/// Samples come a little late.
constexpr Time kLate = kSecond / 2;
constexpr double kBits = 8;

bool run_on(const shm::PortCounters& before, const shm::PortCounters& now) {
    return now.rx_packets >= before.rx_packets && now.rx_bytes >= before.rx_bytes &&
           now.tx_packets >= before.tx_packets && now.tx_bytes >= before.tx_bytes;
}

}  // namespace

void PortRates::sample(PortSlot slot, Time attached, const shm::PortCounters& counters, Time now) {
    if (ports_.size() <= slot.value()) ports_.resize(std::size_t{slot.value()} + 1);
    Port& port = ports_[slot.value()];
    if (port.attached != attached) port = {.attached = attached};
    port.ring[port.n_samples++ % port.ring.size()] = {now, counters};
}

std::optional<PortRate> PortRates::rate(PortSlot slot, Time attached,
                                        const shm::PortCounters& counters, Time now) const {
    if (ports_.size() <= slot.value() || ports_[slot.value()].attached != attached)
        return std::nullopt;
    const Port& port = ports_[slot.value()];
    const std::size_t kept = std::min(port.n_samples, port.ring.size());
    for (std::size_t i = port.n_samples - kept; i < port.n_samples; ++i) {  // oldest first
        const Sample& old = port.ring[i % port.ring.size()];
        if (old.time + kWindow + kLate < now || !run_on(old.counters, counters)) continue;
        if (old.time + kLeast > now) break;
        const double seconds = static_cast<double>(now - old.time) / static_cast<double>(kSecond);
        const auto per_second = [&](std::uint64_t then, std::uint64_t is) {
            return static_cast<double>(is - then) / seconds;
        };
        return PortRate{.rx_pps = per_second(old.counters.rx_packets, counters.rx_packets),
                        .rx_bps = per_second(old.counters.rx_bytes, counters.rx_bytes) * kBits,
                        .tx_pps = per_second(old.counters.tx_packets, counters.tx_packets),
                        .tx_bps = per_second(old.counters.tx_bytes, counters.tx_bytes) * kBits};
    }
    return std::nullopt;
}

}  // namespace raicho::agent
