// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: meter-mod (§7.3.4.4) and the meter multiparts (§7.3.5.12 to
// §7.3.5.14). Neighbours: wire.h, wire_group.h has the counter of a band.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_meter_mod (§7.3.4.4) after the header
//  0  2  command   2  2  flags   4  4  meter_id   8  n  bands
struct WireMeterMod {
    Be16 command;
    Be16 flags;
    Be32 meter;
};
static_assert(kWireLayout<WireMeterMod, 8>);

// ofp_meter_band_header (§7.3.4.4)
//  0  2  type   2  2  len   4  4  rate   8  4  burst_size
struct WireBandHeader {
    Be16 type;
    Be16 length;
    Be32 rate;
    Be32 burst_size;
};
static_assert(kWireLayout<WireBandHeader, 12>);

// What follows in ofp_meter_band_drop (nothing) and ofp_meter_band_dscp_remark
//  0  1  prec_level   1  3  pad
struct WireBandTail {
    std::uint8_t prec_level;
    Pad<3> pad;
};
static_assert(kWireLayout<WireBandTail, 4>);
inline constexpr std::size_t kBandSize = sizeof(WireBandHeader) + sizeof(WireBandTail);

// ofp_meter_multipart_request (§7.3.5.12, §7.3.5.13):  0  4  meter_id   4  4  pad
struct WireMeterRequest {
    Be32 meter;
    Pad<4> pad;
};
static_assert(kWireLayout<WireMeterRequest, 8>);

// ofp_meter_stats (§7.3.5.12)
//  0  4  meter_id   4  2  len (of the entry)   6  6  pad   12  4  flow_count
// 16  8  packet_in_count   24  8  byte_in_count   32  4  duration_sec   36  4  duration_nsec
// 40  n  counters of bands
struct WireMeterStats {
    Be32 meter;
    Be16 length;
    Pad<6> pad;
    Be32 flow_count;
    Be64 packet_in_count;
    Be64 byte_in_count;
    Be32 duration_sec;
    Be32 duration_nsec;
};
static_assert(kWireLayout<WireMeterStats, 40> && offsetof(WireMeterStats, flow_count) == 12);

// ofp_meter_config (§7.3.5.13)
//  0  2  length (of the entry)   2  2  flags   4  4  meter_id   8  n  bands
struct WireMeterConfig {
    Be16 length;
    Be16 flags;
    Be32 meter;
};
static_assert(kWireLayout<WireMeterConfig, 8>);

// ofp_meter_features (§7.3.5.14)
//  0  4  max_meter   4  4  band_types   8  4  capabilities   12  1  max_bands   13  1  max_color
// 14  2  pad
struct WireMeterFeatures {
    Be32 max_meter;
    Be32 band_types;
    Be32 capabilities;
    std::uint8_t max_bands;
    std::uint8_t max_color;
    Pad<2> pad;
};
static_assert(kWireLayout<WireMeterFeatures, 16>);

}  // namespace raicho::openflow::v13
