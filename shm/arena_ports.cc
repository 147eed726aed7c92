// SPDX-License-Identifier: Apache-2.0
// The agent's end of the arena: which numbers and bridges have which port slots, where counting
// starts, and what of a port changes while it is attached.
#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "shm/arena.h"
#include "shm/tables.h"

namespace raicho::shm {

Result<void> AgentArena::bind_port(BridgeId bridge, PortNo number, PortSlot slot) {
    const std::size_t n = 2 * max_ports();
    auto* map = &mutable_at<std::atomic<PortMapEntry>>(Region::port_maps,
                                                       (bridge.value() & bridge_mask_) * n);
    std::atomic<PortMapEntry>* place = nullptr;
    for (std::size_t i = 0, at = port_map_start(number.value(), n); i < n;
         ++i, at = (at + 1) & (n - 1)) {
        const PortMapEntry entry = map[at].load(std::memory_order_relaxed);
        if (entry.used == 1 && entry.port_no == number.value())
            return fail(format("port number {}: taken", number.value()));
        if (entry.used != 1 && place == nullptr) place = &map[at];
        if (entry.used == 0) break;
    }
    if (place == nullptr) return fail(format("port number {}: no room", number.value()));
    place->store({number.value(), slot.value(), 1}, std::memory_order_release);  // port_slot()
    const std::size_t s = slot.value() & port_mask_;
    mutable_at<std::atomic<std::uint64_t>>(
        Region::port_bits, (bridge.value() & bridge_mask_) * (max_ports() / 64) + s / 64)
        .fetch_or(std::uint64_t{1} << (s % 64), std::memory_order_release);
    return {};
}

void AgentArena::unbind_port(BridgeId bridge, PortNo number) {
    const std::size_t n = 2 * max_ports();
    auto* map = &mutable_at<std::atomic<PortMapEntry>>(Region::port_maps,
                                                       (bridge.value() & bridge_mask_) * n);
    std::size_t at = port_map_start(number.value(), n);
    for (std::size_t i = 0;; ++i, at = (at + 1) & (n - 1)) {
        const PortMapEntry entry = map[at].load(std::memory_order_relaxed);
        if (entry.used == 0 || i == n) return;
        if (entry.used != 1 || entry.port_no != number.value()) continue;
        const std::size_t s = entry.slot & port_mask_;
        mutable_at<std::atomic<std::uint64_t>>(
            Region::port_bits, (bridge.value() & bridge_mask_) * (max_ports() / 64) + s / 64)
            .fetch_and(~(std::uint64_t{1} << (s % 64)), std::memory_order_release);
        break;
    }
    map[at].store({0, kNoSlot, 2}, std::memory_order_release);
    // A deleted entry in front of a never-used one ends no probe: give it and those before it back.
    while (map[(at + 1) & (n - 1)].load(std::memory_order_relaxed).used == 0 &&
           map[at].load(std::memory_order_relaxed).used == 2) {
        map[at].store({}, std::memory_order_release);
        at = (at - 1) & (n - 1);
    }
}

void AgentArena::reconcile_ports() {
    const std::size_t n = 2 * max_ports();
    const std::size_t n_words = max_ports() / 64;
    const auto attached = [](const WantedPort& row) {
        return row.phase.load(std::memory_order_relaxed) == PortPhase::attached;
    };
    for (std::size_t b = 0; b < max_bridges(); ++b) {
        auto* map = &mutable_at<std::atomic<PortMapEntry>>(Region::port_maps, b * n);
        for (std::size_t at = 0; at < n; ++at) {
            const PortMapEntry entry = map[at].load(std::memory_order_relaxed);
            if (entry.used != 1) continue;
            const WantedPort& row = wanted_port(PortSlot(entry.slot));
            if (!attached(row) || (row.bridge & bridge_mask_) != b || row.port_no != entry.port_no)
                unbind_port(BridgeId(static_cast<std::uint16_t>(b)), PortNo(entry.port_no));
        }
    }
    std::vector<std::uint64_t> bits(max_bridges() * n_words);
    for (std::size_t s = 0; s < max_ports(); ++s) {
        const PortSlot slot(static_cast<std::uint16_t>(s));
        const WantedPort& row = wanted_port(slot);
        if (!attached(row)) continue;
        const BridgeId bridge(static_cast<std::uint16_t>(row.bridge & bridge_mask_));
        const PortNo number(row.port_no);
        // A number that another attached row holds stays with it: then this one gets no packets.
        if (port_slot(*this, bridge, number) != s && !bind_port(bridge, number, slot)) continue;
        bits[bridge.value() * n_words + s / 64] |= std::uint64_t{1} << (s % 64);
    }
    for (std::size_t w = 0; w < bits.size(); ++w)
        mutable_at<std::atomic<std::uint64_t>>(Region::port_bits, w)
            .store(bits[w], std::memory_order_release);
}

void AgentArena::rebase_port(PortSlot slot) {
    const std::size_t s = slot.value() & port_mask_;
    auto& ports = mutable_at<PortCounters>(Region::port_bases, s);
    auto& drops = mutable_at<DropCounters>(Region::drop_bases, s);
    ports = {};
    drops = {};
    ports = port_totals(slot);
    drops = drop_totals(slot);
}

void AgentArena::rebase_bridge(BridgeId bridge) {
    for (std::size_t t = 0; t < kTables; ++t) {
        const TableId table(static_cast<std::uint8_t>(t));
        auto& base =
            mutable_at<TableCounters>(Region::table_bases, table_row(WorkerId(0), bridge, table));
        base = {};
        base = table_totals(bridge, table);
    }
}

void AgentArena::set_queues(PortSlot slot, std::span<const QueueRow> queues,
                            std::uint64_t max_bps) {
    const std::size_t s = slot.value() & port_mask_;
    auto& row = mutable_at<PortQueues>(Region::wanted_queues, s);
    auto& bases = mutable_at<PortQueueCounters>(Region::queue_bases, s);
    std::array<QueueRow, kPortQueues> places{};
    const auto wanted = queues.first(std::min(queues.size(), kPortQueues));
    std::vector<const QueueRow*> fresh;
    for (const QueueRow& queue : wanted) {
        const auto known = row.n_queues == 0
                               ? row.queues.end()
                               : std::ranges::find(row.queues, queue.id, &QueueRow::id);
        if (known == row.queues.end()) {
            fresh.push_back(&queue);
            continue;
        }
        QueueRow& place = places[static_cast<std::size_t>(known - row.queues.begin())];
        place = queue;
        place.created_ns = known->created_ns;
    }
    const PortQueueCounters sums = queue_totals(slot);
    for (const QueueRow* queue : fresh) {
        QueueRow& place = *std::ranges::find(places, kNoQueue, &QueueRow::id);
        place = *queue;
        const auto at = static_cast<std::size_t>(&place - places.data());
        bases.queues[at].tx_packets += sums.queues[at].tx_packets;
        bases.queues[at].tx_bytes += sums.queues[at].tx_bytes;
        bases.queues[at].tx_errors += sums.queues[at].tx_errors;
    }
    // An odd sequence is what an agent left that was killed at it: it is finished here.
    const bool whole = (row.sequence.load(std::memory_order_relaxed) & 1) == 0;
    if (whole && row.n_queues == wanted.size() && row.max_bps == max_bps &&
        (wanted.empty() || row.queues == places))
        return;
    const std::uint32_t sequence = row.sequence.load(std::memory_order_relaxed) | 1;
    row.sequence.store(sequence, std::memory_order_relaxed);
    // pairs with read_queues(): who sees a part of the new row sees the odd number
    std::atomic_thread_fence(std::memory_order_release);
    row.n_queues = static_cast<std::uint32_t>(wanted.size());
    row.max_bps = max_bps;
    row.queues = places;
    row.sequence.store(sequence + 1, std::memory_order_release);
}

void AgentArena::set_vlan(PortSlot slot, VlanWord word, std::span<const std::uint16_t> carried) {
    auto& set = mutable_at<PortVlans>(Region::wanted_vlans, slot.value() & port_mask_);
    std::array<std::uint64_t, kVlanIds / 64> bits{};
    for (const std::uint16_t vlan : carried)
        bits[vlan / 64 % bits.size()] |= std::uint64_t{1} << vlan % 64;
    for (std::size_t i = 0; i < bits.size(); ++i)
        set.carried[i].store(bits[i], std::memory_order_relaxed);
    // pairs with the pipeline's load: who sees the word sees the set
    wanted_port(slot).vlan.store(word.bits, std::memory_order_release);
}

void AgentArena::set_policer(PortSlot slot, std::uint64_t cost, MeterTime depth,
                             std::uint64_t now_ns) {
    WantedPort& row = wanted_port(slot);
    const bool same = row.policer_cost.load(std::memory_order_relaxed) == cost &&
                      row.policer_depth.load(std::memory_order_relaxed) == depth;
    if (same) return;
    // Neither debt nor savings of an earlier rate count: the bucket is full now.
    const MeterTime spent = policer_state(slot).spent.load(std::memory_order_relaxed);
    row.policer_shift.store(meter_time(now_ns) - depth - spent, std::memory_order_relaxed);
    row.policer_depth.store(depth, std::memory_order_relaxed);
    row.policer_cost.store(cost, std::memory_order_release);
}

}  // namespace raicho::shm
