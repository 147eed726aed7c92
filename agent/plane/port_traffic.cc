// SPDX-License-Identifier: Apache-2.0
// What ports do with their traffic, VLANs, policers and egress queues: between what is wanted, the
// arena's rows and OpenFlow's view of them.
#include <algorithm>
#include <utility>

#include "agent/plane/port_rows.h"

namespace raicho::agent {
namespace {

/// In 1/10 of a percent, as far as a port of this speed has it; nothing when it means nothing.
std::optional<std::uint16_t> share_of(std::uint64_t bps, std::uint64_t port_bps) {
    if (bps == 0 || port_bps == 0) return std::nullopt;
    __extension__ using Wide = unsigned __int128;
    const Wide share = (Wide{bps} * 1000 + port_bps / 2) / port_bps;
    return static_cast<std::uint16_t>(std::min<Wide>(share, 1000));
}

/// The policer as a band of a meter (shm/meter.h): a byte's cost and the bucket's depth.
std::uint64_t policer_cost(const PolicerSpec& policer) {
    if (policer.rate_bps == 0) return 0;
    constexpr std::uint64_t kBit = std::uint64_t{1'000'000'000}
                                   << (shm::kMeterTimeShift + shm::kCostShift);
    return (8 * kBit + policer.rate_bps / 2) / policer.rate_bps;
}
shm::MeterTime policer_depth(const PolicerSpec& policer) {
    if (policer.rate_bps == 0) return 0;
    if (policer.burst_bytes == 0) return shm::meter_time(shm::kUsualDepthNs);
    shm::MeterBand byte{};
    byte.cost = policer_cost(policer);
    return std::clamp(shm::band_charge(byte, policer.burst_bytes),
                      shm::meter_time(shm::kLeastDepthNs), shm::kMostDepth);
}

}  // namespace

void PortRows::write_traffic(PortSlot slot, const PortSpec& spec) {
    const VlanSpec& vlan = spec.vlan;
    shm::VlanWord word{vlan.untagged};
    if (vlan.kind != VlanSpec::Kind::every) word.bits |= shm::VlanWord::kRestricted;
    if (vlan.kind == VlanSpec::Kind::access) word.bits |= shm::VlanWord::kAccess;
    const bool moved = arena_.wanted_port(slot).vlan.load(std::memory_order_relaxed) != word.bits;
    arena_.set_vlan(slot, word, vlan.carried);
    if (moved) forget_addresses(slot);  // they were learned in other VLANs
    arena_.set_policer(slot, policer_cost(spec.policer), policer_depth(spec.policer), loop_.now());
    std::vector<shm::QueueRow> rows;
    for (const QueueSpec& queue : spec.egress)
        rows.push_back({.id = queue.id,
                        .priority = queue.priority,
                        .weight = queue.weight,
                        .min_bps = queue.min_bps,
                        .max_bps = queue.max_bps,
                        .created_ns = loop_.now()});
    arena_.set_queues(slot, rows, spec.egress_bps);
}

void PortRows::read_traffic(PortSlot slot, PortSpec& spec) const {
    const shm::VlanWord word{
        std::as_const(arena_).wanted_port(slot).vlan.load(std::memory_order_relaxed)};
    spec.vlan.untagged = word.untagged();
    if (word.restricted())
        spec.vlan.kind = word.access() ? VlanSpec::Kind::access : VlanSpec::Kind::trunk;
    if (spec.vlan.kind == VlanSpec::Kind::trunk)
        for (std::uint16_t vlan = 1; vlan < shm::kVlanIds; ++vlan)
            if (arena_.wanted_vlans(slot).has(vlan)) spec.vlan.carried.push_back(vlan);
    const shm::PortQueues& row = arena_.wanted_queues(slot);
    spec.egress_bps = row.max_bps;
    if (row.n_queues == 0) return;
    for (const shm::QueueRow& queue : row.queues)
        if (queue.id != shm::kNoQueue)
            spec.egress.push_back({.id = queue.id,
                                   .priority = queue.priority,
                                   .weight = queue.weight,
                                   .min_bps = queue.min_bps,
                                   .max_bps = queue.max_bps});
    std::ranges::sort(spec.egress, {}, &QueueSpec::id);
}

std::vector<openflow::QueueDesc> PortRows::queues(PortSlot slot) const {
    const PortSpec wanted = spec(slot);
    const std::uint64_t speed = std::uint64_t{condition(slot).speed_mbps} * 1'000'000;
    const std::uint64_t port_bps = wanted.egress_bps != 0 ? wanted.egress_bps : speed;
    std::vector<openflow::QueueDesc> descs;
    for (const QueueSpec& queue : wanted.egress)
        descs.push_back({.queue = queue.id,
                         .port = wanted.number,
                         .min_rate = share_of(queue.min_bps, port_bps),
                         .max_rate = share_of(queue.max_bps, port_bps)});
    return descs;
}

bool PortRows::has_queue(BridgeId bridge, std::uint32_t queue) const {
    if (queue == shm::kNoQueue) return false;
    for (std::size_t i = 0; i < life_.size(); ++i) {
        if (life_[i] != Life::attached && life_[i] != Life::prepared) continue;
        const PortSlot slot(static_cast<std::uint16_t>(i));
        if (std::as_const(arena_).wanted_port(slot).bridge != bridge.value()) continue;
        const shm::PortQueues& row = arena_.wanted_queues(slot);
        if (row.n_queues != 0 &&
            std::ranges::find(row.queues, queue, &shm::QueueRow::id) != row.queues.end())
            return true;
    }
    return false;
}

std::optional<openflow::QueueStats> PortRows::queue_stats(PortSlot slot,
                                                          std::uint32_t queue) const {
    const shm::PortQueues& row = arena_.wanted_queues(slot);
    const auto found = std::ranges::find(row.queues, queue, &shm::QueueRow::id);
    if (row.n_queues == 0 || queue == shm::kNoQueue || found == row.queues.end())
        return std::nullopt;
    const shm::PortQueueCounters totals = arena_.queue_totals(slot);
    const auto& count = totals.queues[static_cast<std::size_t>(found - row.queues.begin())];
    const Time now = loop_.now();
    const Time age = now > found->created_ns ? now - found->created_ns : 0;
    return openflow::QueueStats{.port = PortNo(std::as_const(arena_).wanted_port(slot).port_no),
                                .queue = queue,
                                .tx_bytes = count.tx_bytes,
                                .tx_packets = count.tx_packets,
                                .tx_errors = count.tx_errors,
                                .duration_sec = static_cast<std::uint32_t>(age / kSecond),
                                .duration_nsec = static_cast<std::uint32_t>(age % kSecond)};
}

}  // namespace raicho::agent
