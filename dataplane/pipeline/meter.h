// SPDX-License-Identifier: Apache-2.0
// Part of pipeline.h: meters (OF 1.3.5 §5.7), those of flows and the virtual ones, and policers. Of
// the bands that are exceeded the one with the highest rate acts; a packet takes tokens from the
// bands above it only, so that a band of a lower rate sees what the higher ones let through (as RFC
// 2698 does).
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "dataplane/pipeline/gso.h"
#include "dataplane/pipeline/pipeline.h"
#include "shm/meter.h"

namespace raicho::pipeline {

namespace detail {
/// DSCP with its drop precedence raised: of the assured forwarding classes (RFC 2597) alone, whose
/// precedences are 1 to 3; others have none and stay.
[[nodiscard]] constexpr std::uint8_t remarked(std::uint8_t dscp, std::uint8_t prec_level) noexcept {
    const unsigned service = dscp >> 3, precedence = dscp >> 1 & 3;
    if (service < 1 || service > 4 || precedence == 0 || (dscp & 1) != 0) return dscp;
    return static_cast<std::uint8_t>(service << 3 | std::min(3u, precedence + prec_level) << 1);
}
static_assert(remarked(18, 1) == 20 && remarked(34, 9) == 38 && remarked(46, 1) == 46);

/// What a large frame is on a wire: frames, and bytes with the headers of each.
struct WireCost {
    std::uint64_t packets = 1;
    std::uint64_t bytes = 0;
};
[[nodiscard]] inline WireCost wire_cost(const Packet& packet) noexcept {
    if (packet.gso == Gso::none) [[likely]]
        return {1, packet.size};
    const std::optional<SegmentPlan> plan = plan_segments(packet);
    if (!plan.has_value()) return {1, packet.size};
    const std::uint64_t n = plan->count();
    return {n, packet.size + (n - 1) * plan->header_size};
}
}  // namespace detail

/// The band of the meter in `row` that acts on a packet like this one, nullptr when none does.
template <PacketIo Io, class Sink>
const shm::MeterBand* Pipeline<Io, Sink>::measure(std::uint32_t row,
                                                  const Packet& packet) noexcept {
    // pairs with the writer's store of a new body
    const std::uint32_t line = arena_.meters()[row].body.load(std::memory_order_acquire);
    const shm::MeterBody& body = arena_.meter_body(line);
    arena_.meter_counter(worker_, row).add(1, packet.size);
    if (meter_epoch_ != epoch_) {
        meter_epoch_ = epoch_;
        meter_now_ = shm::meter_time(io_.clock_ns());
    }
    const detail::WireCost cost = detail::wire_cost(packet);
    const std::uint64_t amount = body.counts_packets() ? cost.packets : cost.bytes;
    shm::MeterState& state = arena_.meter_state(body.state);
    const auto bands = arena_.bands_of(line);
    for (std::size_t i = 0; i < bands.size(); ++i) {
        const shm::MeterTime charge = shm::band_charge(bands[i], amount);
        if (shm::band_take(bands[i], state.spent[i], meter_now_, charge) == shm::Meter::within)
            continue;
        arena_.band_counters(worker_, body.state).bands[i].add(1, packet.size);
        return &bands[i];
    }
    return nullptr;
}

/// The meter instruction. The packet may be gone afterwards. A meter that is not there lets pass:
/// its flows are being deleted.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::meter(InFlight& f, std::uint32_t id) noexcept {
    const std::uint32_t row = arena_.meters().find(here_.bridge, id);
    if (row == shm::kNoRow) return;
    const shm::MeterBand* band = measure(row, *f.packet);
    if (band == nullptr) return;
    if (band->type == shm::BandType::drop) return kill(f, shm::DropReason::meter);
    flush_pending(f);
    remark(f, *band);
}

/// Whether the port's policer has tokens for the packet; then it takes them.
template <PacketIo Io, class Sink>
bool Pipeline<Io, Sink>::within_policer(const shm::WantedPort& port, PortSlot slot,
                                        const Packet& packet) noexcept {
    if (meter_epoch_ != epoch_) {
        meter_epoch_ = epoch_;
        meter_now_ = shm::meter_time(io_.clock_ns());
    }
    shm::MeterBand band{};
    band.cost = port.policer_cost.load(std::memory_order_relaxed);
    band.depth = port.policer_depth.load(std::memory_order_relaxed);
    band.shift = port.policer_shift.load(std::memory_order_relaxed);
    const shm::MeterTime charge = shm::band_charge(band, detail::wire_cost(packet).bytes);
    return shm::band_take(band, arena_.policer_state(slot).spent, meter_now_, charge) ==
           shm::Meter::within;
}

/// Frames without an IP header in sight have no DSCP.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::remark(Frame& frame, const shm::MeterBand& band) noexcept {
    if (frame.layers.network != Network::ipv4 && frame.layers.network != Network::ipv6) return;
    constexpr std::size_t kAt = shm::place(Field::ip_dscp).offset;
    std::array<std::byte, 8> value{};
    value[0] = std::byte{
        detail::remarked(std::to_integer<std::uint8_t>(frame.key.bytes()[kAt]), band.prec_level)};
    (void)pipeline::set_field(frame, Field::ip_dscp, value.data());
}

}  // namespace raicho::pipeline
