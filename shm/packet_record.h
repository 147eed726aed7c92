// SPDX-License-Identifier: Apache-2.0
// What lies in the packet-in and packet-out rings: a fixed head, then the bytes, padded to 64.
// Rings: shm/ring.h. Single producer, single consumer, one ring a worker and direction.
#pragma once

#include <cstdint>
#include <type_traits>

namespace raicho::shm {

/// Reasons of OF 1.3.5 §7.4.1.
enum class PuntReason : std::uint8_t { no_match = 0, action = 1, invalid_ttl = 2 };

//  off size field        writer: the worker
//    0   4  data_size    bytes that follow this head (max_len or miss_send_len applied)
//    4   4  total_size   the frame's size
//    8   8  cookie       of the flow that punted, all ones for a miss without entry
//   16   8  metadata     host order
//   24   8  tunnel_id    host order
//   32   4  in_port
//   36   4  in_phy_port
//   40   2  bridge
//   42   1  table
//   43   1  reason
//   44   1  from_miss    1 = the table-miss entry or fail-mode punted: OFPR_NO_MATCH rules
//   45  19  zero
struct PacketInHead {
    std::uint32_t data_size;
    std::uint32_t total_size;
    std::uint64_t cookie;
    std::uint64_t metadata;
    std::uint64_t tunnel_id;
    std::uint32_t in_port;
    std::uint32_t in_phy_port;
    std::uint16_t bridge;
    std::uint8_t table;
    PuntReason reason;
    std::uint8_t from_miss;
    std::uint8_t zero[19];
};
static_assert(sizeof(PacketInHead) == 64);
static_assert(std::has_unique_object_representations_v<PacketInHead>);

//  off size field        writer: the agent
//    0   4  data_size    the frame, behind the program
//    4   4  program_size bytes of Op words (shm/program.h) that follow this head, ended by `end`;
//                        contiguous, no chunks
//    8   4  in_port      OFPP_CONTROLLER or a port
//   12   2  bridge
//   14   2  zero
//   16  48  zero
struct PacketOutHead {
    std::uint32_t data_size;
    std::uint32_t program_size;
    std::uint32_t in_port;
    std::uint16_t bridge;
    std::uint16_t zero0;
    std::uint8_t zero1[48];
};
static_assert(sizeof(PacketOutHead) == 64);
static_assert(std::has_unique_object_representations_v<PacketOutHead>);

}  // namespace raicho::shm
