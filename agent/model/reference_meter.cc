// SPDX-License-Identifier: Apache-2.0
#include "agent/model/reference_meter.h"

#include <algorithm>
#include <utility>

namespace raicho::agent {
namespace {

using Wide = unsigned __int128;
constexpr std::uint64_t kBitsOfKbit = 1000;

}  // namespace

ReferenceMeter::ReferenceMeter(std::uint16_t flags, openflow::MeterBands bands, Time default_burst,
                               Time now)
    : counts_packets_((flags & openflow::meter_flag::kPktps) != 0),
      bands_(std::move(bands)),
      last_(now) {
    const std::uint64_t unit = counts_packets_ ? 1 : kBitsOfKbit;
    const bool bursts = (flags & openflow::meter_flag::kBurst) != 0;
    for (const openflow::MeterBand& band : bands_) {
        const std::uint64_t rate = band.rate * unit;
        const Wide burst =
            bursts ? Wide{band.burst_size} * unit * kSecond : Wide{rate} * default_burst;
        fillings_.push_back({rate, burst, burst});
    }
}

std::optional<std::size_t> ReferenceMeter::packet(std::uint64_t size, Time now) {
    const Wide cost = (counts_packets_ ? Wide{1} : Wide{size} * 8) * kSecond;
    std::optional<std::size_t> acts;
    for (std::size_t i = 0; i < fillings_.size(); ++i) {
        Filling& filling = fillings_[i];
        filling.tokens =
            std::min(filling.capacity, filling.tokens + Wide{filling.rate} * (now - last_));
        if (filling.tokens >= cost)
            filling.tokens -= cost;
        else if (!acts || bands_[i].rate > bands_[*acts].rate)
            acts = i;
    }
    last_ = now;
    return acts;
}

}  // namespace raicho::agent
