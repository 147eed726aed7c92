// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: queues (§7.2.2), queue-get-config (§7.3.6), queue statistics
// (§7.3.5.8). Neighbour: wire.h.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_queue_get_config_request and the head of its reply (§7.3.6) after the header
//  0  4  port   4  4  pad   8  n  queues (reply)
struct WireQueueConfig {
    Be32 port;
    Pad<4> pad;
};
static_assert(kWireLayout<WireQueueConfig, 8>);

// ofp_packet_queue (§7.2.2)
//  0  4  queue_id   4  4  port   8  2  len (with properties)   10  6  pad   16  n  properties
struct WireQueue {
    Be32 queue;
    Be32 port;
    Be16 length;
    Pad<6> pad;
};
static_assert(kWireLayout<WireQueue, 16>);

// ofp_queue_prop_header (§7.2.2):  0  2  property   2  2  len   4  4  pad
struct WireQueueProperty {
    Be16 type;
    Be16 length;
    Pad<4> pad;
};
static_assert(kWireLayout<WireQueueProperty, 8>);
inline constexpr std::uint16_t kQueueMinRate = 1;
inline constexpr std::uint16_t kQueueMaxRate = 2;

// What follows in ofp_queue_prop_min_rate and _max_rate:  0  2  rate   2  6  pad
struct WireQueueRate {
    Be16 rate;
    Pad<6> pad;
};
static_assert(kWireLayout<WireQueueRate, 8>);

// ofp_queue_stats_request (§7.3.5.8):  0  4  port_no   4  4  queue_id
struct WireQueueStatsRequest {
    Be32 port;
    Be32 queue;
};
static_assert(kWireLayout<WireQueueStatsRequest, 8>);

// ofp_queue_stats (§7.3.5.8)
//  0  4  port_no   4  4  queue_id   8  8  tx_bytes   16  8  tx_packets   24  8  tx_errors
// 32  4  duration_sec   36  4  duration_nsec
struct WireQueueStats {
    Be32 port;
    Be32 queue;
    Be64 tx_bytes;
    Be64 tx_packets;
    Be64 tx_errors;
    Be32 duration_sec;
    Be32 duration_nsec;
};
static_assert(kWireLayout<WireQueueStats, 40>);

}  // namespace raicho::openflow::v13
