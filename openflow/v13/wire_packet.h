// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: packet-in (§7.4.1) and packet-out (§7.3.7). Neighbour: wire.h.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_packet_in (§7.4.1) after the header
//  0  4  buffer_id   4  2  total_len   6  1  reason   7  1  table_id   8  8  cookie   16  n  match
//  then 2 pad and the frame
struct WirePacketIn {
    Be32 buffer_id;
    Be16 total_len;
    std::uint8_t reason;
    std::uint8_t table;
    Be64 cookie;
};
static_assert(kWireLayout<WirePacketIn, 16>);
inline constexpr std::size_t kPacketInPad = 2;

// ofp_packet_out (§7.3.7) after the header
//  0  4  buffer_id   4  4  in_port   8  2  actions_len   10  6  pad   16  n  actions, then frame
struct WirePacketOut {
    Be32 buffer_id;
    Be32 in_port;
    Be16 actions_len;
    Pad<6> pad;
};
static_assert(kWireLayout<WirePacketOut, 16> && offsetof(WirePacketOut, actions_len) == 8);

}  // namespace raicho::openflow::v13
