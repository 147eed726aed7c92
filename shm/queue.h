// SPDX-License-Identifier: Apache-2.0
// The egress queues of ports (OF 1.3.5 §7.2.2): what the agent wants and what workers counted. Row
// n belongs to port slot n. A port whose row names no queue has none: its packets go straight to
// the device. Reader: dataplane/io/egress.h.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace raicho::shm {

/// Queues of a port at most.
inline constexpr std::size_t kPortQueues = 16;
/// A packet that no set_queue chose a queue for.
inline constexpr std::uint32_t kNoQueue = 0xffffffff;  // OFPQ_ALL, no queue's id

//  off size field          writer: agent
//    0   4  id             OpenFlow queue id; kNoQueue = the place is free
//    4   2  priority       higher ones are served first
//    6   2  weight         share among equal priorities; 0: as its min_bps, in Mbit/s, at least 1
//    8   8  min_bps        guaranteed, before any priority; 0 = none
//   16   8  max_bps        never more; 0 = no limit
//   24   8  created_ns     CLOCK_MONOTONIC
struct QueueRow {
    std::uint32_t id = kNoQueue;
    std::uint16_t priority = 0;
    std::uint16_t weight = 0;
    std::uint64_t min_bps = 0;
    std::uint64_t max_bps = 0;
    std::uint64_t created_ns = 0;
    friend bool operator==(const QueueRow&, const QueueRow&) = default;
};
static_assert(sizeof(QueueRow) == 32 && std::has_unique_object_representations_v<QueueRow>);

//  off size field          writer: agent
//    0   4  sequence       even = stable, odd = being written; a change of it is a new
//    configuration 4   4  n_queues       places in use, 0 = the port has no queues 8   8  max_bps
//    of the port as a whole; 0 = the device's speed
//   16  48  zero
//   64 512  queues         a queue keeps its place, and with it its counters, while it exists
struct alignas(64) PortQueues {
    std::atomic<std::uint32_t> sequence;
    std::uint32_t n_queues;
    std::uint64_t max_bps;
    std::array<std::uint8_t, 48> zero;
    std::array<QueueRow, kPortQueues> queues;
};
static_assert(sizeof(PortQueues) == 576 && std::is_standard_layout_v<PortQueues>);
static_assert(offsetof(PortQueues, queues) == 64);

/// A consistent copy of a PortQueues row.
struct QueuePlan {
    std::uint32_t sequence = 0;
    std::uint32_t n_queues = 0;
    std::uint64_t max_bps = 0;
    std::array<QueueRow, kPortQueues> queues{};
};
/// Nothing while the agent is writing: ask again.
[[nodiscard]] inline std::optional<QueuePlan> read_queues(const PortQueues& row) noexcept {
    QueuePlan plan;
    // pairs with AgentArena::set_queues()
    plan.sequence = row.sequence.load(std::memory_order_acquire);
    plan.n_queues = row.n_queues;
    plan.max_bps = row.max_bps;
    plan.queues = row.queues;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (plan.sequence % 2 != 0 || row.sequence.load(std::memory_order_relaxed) != plan.sequence)
        return std::nullopt;
    if (plan.n_queues > kPortQueues) plan.n_queues = kPortQueues;
    return plan;
}

//  off size field          writer: the worker
//    0   8  tx_packets
//    8   8  tx_bytes
//   16   8  tx_errors      lost because the queue was full
//   24   8  zero
struct QueueCounters {
    std::uint64_t tx_packets = 0, tx_bytes = 0, tx_errors = 0, zero = 0;
};
static_assert(sizeof(QueueCounters) == 32);
static_assert(std::has_unique_object_representations_v<QueueCounters>);

/// One row per worker and port, by the queue's place.
struct alignas(64) PortQueueCounters {
    std::array<QueueCounters, kPortQueues> queues{};
};
static_assert(sizeof(PortQueueCounters) == 512);
static_assert(std::has_unique_object_representations_v<PortQueueCounters>);

}  // namespace raicho::shm
