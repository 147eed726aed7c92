// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: multipart requests and replies (§7.3.5). Neighbour: wire.h,
// wire_port.h has the entry of port descriptions.
#pragma once

#include "openflow/message.h"
#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

/// One ofp_multipart_type: the smallest body of a request and of a reply, and whether they may be
/// longer.
struct MultipartRow {
    MultipartType type;
    std::string_view name;
    std::uint16_t request_size;
    Tail request_tail;
    std::uint16_t reply_size;
    Tail reply_tail;
};
inline constexpr std::array<MultipartRow, 15> kMultipartRows{{
    {MultipartType::desc, "DESC", 0, Tail::none, 1056, Tail::none},
    {MultipartType::flow, "FLOW", 40, Tail::allowed, 0, Tail::allowed},
    {MultipartType::aggregate, "AGGREGATE", 40, Tail::allowed, 24, Tail::none},
    {MultipartType::table, "TABLE", 0, Tail::none, 0, Tail::allowed},
    {MultipartType::port_stats, "PORT_STATS", 8, Tail::none, 0, Tail::allowed},
    {MultipartType::queue, "QUEUE", 8, Tail::none, 0, Tail::allowed},
    {MultipartType::group, "GROUP", 8, Tail::none, 0, Tail::allowed},
    {MultipartType::group_desc, "GROUP_DESC", 0, Tail::none, 0, Tail::allowed},
    {MultipartType::group_features, "GROUP_FEATURES", 0, Tail::none, 40, Tail::none},
    {MultipartType::meter, "METER", 8, Tail::none, 0, Tail::allowed},
    {MultipartType::meter_config, "METER_CONFIG", 8, Tail::none, 0, Tail::allowed},
    {MultipartType::meter_features, "METER_FEATURES", 0, Tail::none, 16, Tail::none},
    {MultipartType::table_features, "TABLE_FEATURES", 0, Tail::allowed, 0, Tail::allowed},
    {MultipartType::port_desc, "PORT_DESC", 0, Tail::none, 0, Tail::allowed},
    {MultipartType::experimenter, "EXPERIMENTER", 8, Tail::allowed, 8, Tail::allowed},
}};
static_assert([] {
    for (std::size_t i = 0; i + 1 < kMultipartRows.size(); ++i)
        if (static_cast<std::size_t>(kMultipartRows[i].type) != i) return false;
    return kMultipartRows.back().type == MultipartType::experimenter;
}());

/// The row of a type, or nullptr for a number that is not in the specification.
[[nodiscard]] constexpr const MultipartRow* multipart_row(std::uint16_t type) {
    for (const MultipartRow& row : kMultipartRows)
        if (static_cast<std::uint16_t>(row.type) == type) return &row;
    return nullptr;
}

// ofp_multipart_request, ofp_multipart_reply (§7.3.5) after the header
//  0  2  type   2  2  flags   4  4  pad   8  n  body
struct WireMultipart {
    Be16 type;
    Be16 flags;
    Pad<4> pad;
};
static_assert(kWireLayout<WireMultipart, 8>);
inline constexpr std::uint16_t kReplyMore = 1;  // OFPMPF_REPLY_MORE

// ofp_desc (§7.3.5.1); NUL-terminated texts
//  0 256  mfr_desc   256 256  hw_desc   512 256  sw_desc   768 32  serial_num   800 256  dp_desc
struct WireDesc {
    std::array<char, 256> mfr;
    std::array<char, 256> hw;
    std::array<char, 256> sw;
    std::array<char, 32> serial;
    std::array<char, 256> dp;
};
static_assert(kWireLayout<WireDesc, 1056> && offsetof(WireDesc, dp) == 800);

// ofp_flow_stats_request (§7.3.5.2), ofp_aggregate_stats_request (§7.3.5.3)
//  0  1  table_id   1  3  pad   4  4  out_port   8  4  out_group   12  4  pad   16  8  cookie
// 24  8  cookie_mask   32  n  match
struct WireFlowStatsRequest {
    std::uint8_t table;
    Pad<3> pad;
    Be32 out_port;
    Be32 out_group;
    Pad<4> pad2;
    Be64 cookie;
    Be64 cookie_mask;
};
static_assert(kWireLayout<WireFlowStatsRequest, 32>);

// ofp_flow_stats (§7.3.5.2)
//  0  2  length (of the entry)   2  1  table_id   3  1  pad   4  4  duration_sec
//  8  4  duration_nsec   12  2  priority   14  2  idle_timeout   16  2  hard_timeout
// 18  2  flags   20  4  pad   24  8  cookie   32  8  packet_count   40  8  byte_count
// 48  n  match   then instructions
struct WireFlowStats {
    Be16 length;
    std::uint8_t table;
    Pad<1> pad;
    Be32 duration_sec;
    Be32 duration_nsec;
    Be16 priority;
    Be16 idle_timeout;
    Be16 hard_timeout;
    Be16 flags;
    Pad<4> pad2;
    Be64 cookie;
    Be64 packet_count;
    Be64 byte_count;
};
static_assert(kWireLayout<WireFlowStats, 48> && offsetof(WireFlowStats, cookie) == 24);

// ofp_aggregate_stats_reply (§7.3.5.3)
//  0  8  packet_count   8  8  byte_count   16  4  flow_count   20  4  pad
struct WireAggregate {
    Be64 packet_count;
    Be64 byte_count;
    Be32 flow_count;
    Pad<4> pad;
};
static_assert(kWireLayout<WireAggregate, 24>);

// ofp_table_stats (§7.3.5.4)
//  0  1  table_id   1  3  pad   4  4  active_count   8  8  lookup_count   16  8  matched_count
struct WireTableStats {
    std::uint8_t table;
    Pad<3> pad;
    Be32 active_count;
    Be64 lookup_count;
    Be64 matched_count;
};
static_assert(kWireLayout<WireTableStats, 24>);

// ofp_port_stats_request (§7.3.5.6):  0  4  port_no   4  4  pad
struct WirePortStatsRequest {
    Be32 port;
    Pad<4> pad;
};
static_assert(kWireLayout<WirePortStatsRequest, 8>);

// ofp_port_stats (§7.3.5.6)
//  0  4  port_no   4  4  pad   8 12x8  rx_packets tx_packets rx_bytes tx_bytes rx_dropped
//  tx_dropped rx_errors tx_errors rx_frame_err rx_over_err rx_crc_err collisions
// 104  4  duration_sec   108  4  duration_nsec
struct WirePortStats {
    Be32 port;
    Pad<4> pad;
    Be64 rx_packets;
    Be64 tx_packets;
    Be64 rx_bytes;
    Be64 tx_bytes;
    Be64 rx_dropped;
    Be64 tx_dropped;
    Be64 rx_errors;
    Be64 tx_errors;
    Be64 rx_frame_err;
    Be64 rx_over_err;
    Be64 rx_crc_err;
    Be64 collisions;
    Be32 duration_sec;
    Be32 duration_nsec;
};
static_assert(kWireLayout<WirePortStats, 112> && offsetof(WirePortStats, duration_sec) == 104);

}  // namespace raicho::openflow::v13
