// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: group-mod (§7.3.4.2) and the group multiparts (§7.3.5.9 to
// §7.3.5.11). Neighbours: wire.h, wire_meter.h.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_group_mod (§7.3.4.2) after the header
//  0  2  command   2  1  type   3  1  pad   4  4  group_id   8  n  buckets
struct WireGroupMod {
    Be16 command;
    std::uint8_t type;
    Pad<1> pad;
    Be32 group;
};
static_assert(kWireLayout<WireGroupMod, 8>);

// ofp_bucket (§7.3.4.2)
//  0  2  len (with actions)   2  2  weight   4  4  watch_port   8  4  watch_group   12  4  pad
// 16  n  actions
struct WireBucket {
    Be16 length;
    Be16 weight;
    Be32 watch_port;
    Be32 watch_group;
    Pad<4> pad;
};
static_assert(kWireLayout<WireBucket, 16>);

// ofp_group_stats_request (§7.3.5.9):  0  4  group_id   4  4  pad
struct WireGroupStatsRequest {
    Be32 group;
    Pad<4> pad;
};
static_assert(kWireLayout<WireGroupStatsRequest, 8>);

// ofp_bucket_counter (§7.3.5.9), ofp_meter_band_stats (§7.3.5.12)
//  0  8  packet_count   8  8  byte_count
struct WireCount {
    Be64 packet_count;
    Be64 byte_count;
};
static_assert(kWireLayout<WireCount, 16>);

// ofp_group_stats (§7.3.5.9)
//  0  2  length (of the entry)   2  2  pad   4  4  group_id   8  4  ref_count   12  4  pad
// 16  8  packet_count   24  8  byte_count   32  4  duration_sec   36  4  duration_nsec
// 40  n  bucket counters
struct WireGroupStats {
    Be16 length;
    Pad<2> pad;
    Be32 group;
    Be32 ref_count;
    Pad<4> pad2;
    Be64 packet_count;
    Be64 byte_count;
    Be32 duration_sec;
    Be32 duration_nsec;
};
static_assert(kWireLayout<WireGroupStats, 40> && offsetof(WireGroupStats, packet_count) == 16);

// ofp_group_desc (§7.3.5.10)
//  0  2  length (of the entry)   2  1  type   3  1  pad   4  4  group_id   8  n  buckets
struct WireGroupDesc {
    Be16 length;
    std::uint8_t type;
    Pad<1> pad;
    Be32 group;
};
static_assert(kWireLayout<WireGroupDesc, 8>);

// ofp_group_features (§7.3.5.11)
//  0  4  types   4  4  capabilities   8 4x4  max_groups   24 4x4  actions, bit n: ofp_action_type n
struct WireGroupFeatures {
    Be32 types;
    Be32 capabilities;
    std::array<Be32, 4> max_groups;
    std::array<Be32, 4> actions;
};
static_assert(kWireLayout<WireGroupFeatures, 40>);

}  // namespace raicho::openflow::v13
