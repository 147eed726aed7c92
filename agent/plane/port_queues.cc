// SPDX-License-Identifier: Apache-2.0
// The egress queues of ports: between what is wanted, the arena's rows and OpenFlow's view of them.
#include <algorithm>

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

}  // namespace

void PortRows::write_queues(PortSlot slot, const PortSpec& spec) {
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

void PortRows::read_queues(PortSlot slot, PortSpec& spec) const {
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
