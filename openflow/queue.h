// SPDX-License-Identifier: Apache-2.0
// Queues as version-neutral values: queue-get-config and queue statistics (OF 1.3.5 §7.2.2, §7.3.6,
// §7.3.5.8). The protocol only reads them; what a port's queues are, the configuration says.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace raicho::openflow {

inline constexpr std::uint32_t kAllQueues = 0xffffffff;  // OFPQ_ALL

/// ofp_packet_queue: rates in 1/10 of a percent of the port's speed, more than 1000 = disabled
/// (§7.2.2); absent where the queue has none.
struct QueueDesc {
    std::uint32_t queue = 0;
    PortNo port;
    std::optional<std::uint16_t> min_rate{};
    std::optional<std::uint16_t> max_rate{};
    friend bool operator==(const QueueDesc&, const QueueDesc&) = default;
};
struct QueueGetConfigRequest {
    PortNo port = port::kAny;
};
struct QueueGetConfigReply {
    PortNo port = port::kAny;
    std::vector<QueueDesc> queues;
};

struct QueueStatsRequest {
    PortNo port = port::kAny;
    std::uint32_t queue = kAllQueues;
};
struct QueueStats {
    PortNo port;
    std::uint32_t queue = 0;
    std::uint64_t tx_bytes = 0;
    std::uint64_t tx_packets = 0;
    std::uint64_t tx_errors = 0;  // dropped for want of room
    std::uint32_t duration_sec = 0;
    std::uint32_t duration_nsec = 0;
};

}  // namespace raicho::openflow
