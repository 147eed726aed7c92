// SPDX-License-Identifier: Apache-2.0
#include "agent/model/reference_meter.h"

#include <algorithm>
#include <functional>

namespace raicho::agent {
namespace {

constexpr std::uint64_t kBitsOfKbit = 1000;

}  // namespace

ReferenceMeter::ReferenceMeter(std::uint16_t flags, openflow::MeterBands bands, Time now)
    : counts_packets_((flags & openflow::meter_flag::kPktps) != 0), last_(now) {
    const std::uint64_t unit = counts_packets_ ? 1 : kBitsOfKbit;
    const bool bursts = (flags & openflow::meter_flag::kBurst) != 0;
    for (std::size_t i = 0; i < bands.size(); ++i) {
        const std::uint64_t rate = bands[i].rate * unit;
        const Wide given = Wide{bands[i].burst_size} * unit * kSecond;
        const Wide burst = bursts && given != 0 ? std::max(given, Wide{rate} * kLeastBurst)
                                                : Wide{rate} * kUsualBurst;
        fillings_.push_back({i, rate, burst, burst});
    }
    std::ranges::stable_sort(fillings_, std::greater{}, &Filling::rate);
}

std::optional<std::size_t> ReferenceMeter::packet(std::uint64_t size, Time now) {
    const Wide cost = (counts_packets_ ? Wide{1} : Wide{size} * 8) * kSecond;
    for (Filling& f : fillings_) f.tokens += Wide{f.rate} * (now - last_);
    last_ = now;
    for (Filling& f : fillings_) {
        const Wide tokens = std::min(f.tokens, std::max(f.capacity, 2 * cost));
        if (tokens < 0 || tokens < std::min(cost, f.capacity)) return f.band;
        f.tokens = tokens - cost;
    }
    return std::nullopt;
}

}  // namespace raicho::agent
