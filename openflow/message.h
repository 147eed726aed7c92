// SPDX-License-Identifier: Apache-2.0
// OpenFlow messages as version-neutral values: what the model works on. Only wire files and codec
// know a version's bytes (OF 1.3.5 §7). Neighbour: codec.h turns bytes into these and back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/addr.h"
#include "base/bytes.h"
#include "base/ids.h"
#include "openflow/action.h"
#include "openflow/error.h"
#include "openflow/group.h"
#include "openflow/match.h"
#include "openflow/meter.h"
#include "openflow/queue.h"
#include "openflow/role.h"
#include "openflow/table.h"

namespace raicho::openflow {

using ByteVector = std::vector<std::byte>;
inline constexpr std::uint32_t kNoBuffer = 0xffffffff;

/// Wire version numbers (OF 1.3.5 §7.1).
namespace version {
inline constexpr std::uint8_t k10 = 0x01;
inline constexpr std::uint8_t k13 = 0x04;
}  // namespace version

// --- §7.5 symmetric -------------------------------------------------------------------------

/// `bitmap`: bit n set = version n offered; absent when the peer sent no version-bitmap element.
struct Hello {
    std::optional<std::uint64_t> bitmap;
};
/// `data`: for hello_failed a text, else the first bytes of the offending message.
struct ErrorMsg {
    std::uint16_t type = 0;
    std::uint16_t code = 0;
    ByteVector data;
};
struct EchoRequest {
    ByteVector data;
};
struct EchoReply {
    ByteVector data;
};
struct Experimenter {
    std::uint32_t experimenter = 0;
    std::uint32_t exp_type = 0;
    ByteVector data;
};

// --- §7.3.1, §7.3.2 -------------------------------------------------------------------------

struct FeaturesRequest {};
struct FeaturesReply {
    Dpid dpid;
    std::uint32_t n_buffers = 0;
    std::uint8_t n_tables = 0;
    std::uint8_t auxiliary_id = 0;
    std::uint32_t capabilities = 0;  // OFPC_*
};
struct GetConfigRequest {};
struct GetConfigReply {
    std::uint16_t flags = 0;
    std::uint16_t miss_send_len = 128;
};
struct SetConfig {
    std::uint16_t flags = 0;
    std::uint16_t miss_send_len = 128;
};

// --- §7.3.4 modify state --------------------------------------------------------------------

enum class FlowModCommand : std::uint8_t { add, modify, modify_strict, remove, remove_strict };
namespace flow_flag {  // OFPFF_*
inline constexpr std::uint16_t kSendFlowRem = 1;
inline constexpr std::uint16_t kCheckOverlap = 2;
inline constexpr std::uint16_t kResetCounts = 4;
inline constexpr std::uint16_t kNoPktCounts = 8;
inline constexpr std::uint16_t kNoBytCounts = 16;
}  // namespace flow_flag

struct FlowMod {
    std::uint64_t cookie = 0;
    std::uint64_t cookie_mask = 0;
    TableId table;
    FlowModCommand command{};
    std::uint16_t idle_timeout = 0;  // seconds
    std::uint16_t hard_timeout = 0;  // seconds
    std::uint16_t priority = 0x8000;
    std::uint32_t buffer_id = kNoBuffer;
    PortNo out_port = port::kAny;
    GroupId out_group = group::kAny;
    std::uint16_t flags = 0;
    Match match;
    Instructions instructions;
};

namespace port_config {  // OFPPC_*
inline constexpr std::uint32_t kPortDown = 1;
inline constexpr std::uint32_t kNoRecv = 4;
inline constexpr std::uint32_t kNoFwd = 32;
inline constexpr std::uint32_t kNoPacketIn = 64;
}  // namespace port_config
namespace port_state {  // OFPPS_*
inline constexpr std::uint32_t kLinkDown = 1;
inline constexpr std::uint32_t kBlocked = 2;
inline constexpr std::uint32_t kLive = 4;
}  // namespace port_state

struct PortMod {
    PortNo port;
    Mac hw_addr;
    std::uint32_t config = 0;
    std::uint32_t mask = 0;
    std::uint32_t advertise = 0;
};

/// ofp_port (§7.2.1); speeds in kbit/s, feature words OFPPF_*.
struct PortDesc {
    PortNo port;
    Mac hw_addr;
    std::string name;  // 15 bytes travel
    std::uint32_t config = 0;
    std::uint32_t state = 0;
    std::uint32_t curr = 0;
    std::uint32_t advertised = 0;
    std::uint32_t supported = 0;
    std::uint32_t peer = 0;
    std::uint32_t curr_speed = 0;
    std::uint32_t max_speed = 0;
    friend bool operator==(const PortDesc&, const PortDesc&) = default;
};

// --- §7.3.5 multipart -----------------------------------------------------------------------

enum class MultipartType : std::uint16_t {
    desc = 0,
    flow = 1,
    aggregate = 2,
    table = 3,
    port_stats = 4,
    queue = 5,
    group = 6,
    group_desc = 7,
    group_features = 8,
    meter = 9,
    meter_config = 10,
    meter_features = 11,
    table_features = 12,
    port_desc = 13,
    experimenter = 0xffff,
};

struct FlowStatsRequest {  // also aggregate
    TableId table = kAllTables;
    PortNo out_port = port::kAny;
    GroupId out_group = group::kAny;
    std::uint64_t cookie = 0;
    std::uint64_t cookie_mask = 0;
    Match match;
};
struct DescRequest {};
struct TableStatsRequest {};
struct PortDescRequest {};
struct PortStatsRequest {
    PortNo port = port::kAny;
};
struct AggregateRequest {
    FlowStatsRequest filter;
};
struct MultipartRequest {
    std::uint16_t flags = 0;
    std::variant<DescRequest, FlowStatsRequest, AggregateRequest, TableStatsRequest,
                 PortStatsRequest, QueueStatsRequest, GroupStatsRequest, GroupDescRequest,
                 GroupFeaturesRequest, MeterStatsRequest, MeterConfigRequest, MeterFeaturesRequest,
                 TableFeaturesRequest, PortDescRequest, Experimenter>
        body;
};

struct Desc {
    std::string mfr, hw, sw, serial, dp;
};
struct FlowStats {
    TableId table;
    std::uint32_t duration_sec = 0;
    std::uint32_t duration_nsec = 0;
    std::uint16_t priority = 0;
    std::uint16_t idle_timeout = 0;
    std::uint16_t hard_timeout = 0;
    std::uint16_t flags = 0;
    std::uint64_t cookie = 0;
    std::uint64_t packet_count = 0;
    std::uint64_t byte_count = 0;
    Match match;
    Instructions instructions;
};
struct AggregateStats {
    std::uint64_t packet_count = 0;
    std::uint64_t byte_count = 0;
    std::uint32_t flow_count = 0;
};
struct TableStats {
    TableId table;
    std::uint32_t active_count = 0;
    std::uint64_t lookup_count = 0;
    std::uint64_t matched_count = 0;
};
struct PortStats {
    PortNo port;
    std::uint64_t rx_packets = 0, tx_packets = 0, rx_bytes = 0, tx_bytes = 0;
    std::uint64_t rx_dropped = 0, tx_dropped = 0, rx_errors = 0, tx_errors = 0;
    std::uint64_t rx_frame_err = 0, rx_over_err = 0, rx_crc_err = 0, collisions = 0;
    std::uint32_t duration_sec = 0, duration_nsec = 0;
};

/// Whether the sender hands further parts of the same reply to encode(): then the last wire message
/// of this part carries OFPMPF_REPLY_MORE too, so that a million flows need not lie in memory.
enum class ReplyMore : bool { no, yes };

/// A reply of any length; encode() splits it into messages of at most 64 KB on entry borders.
struct MultipartReply {
    std::variant<Desc, std::vector<FlowStats>, AggregateStats, std::vector<TableStats>,
                 std::vector<PortStats>, std::vector<QueueStats>, std::vector<GroupStats>,
                 std::vector<GroupDesc>, GroupFeatures, std::vector<MeterStats>,
                 std::vector<MeterConfig>, MeterFeatures, std::vector<TableFeatures>,
                 std::vector<PortDesc>, Experimenter>
        body;
    ReplyMore more = ReplyMore::no;
};

// --- §7.3.7, §7.3.8, §7.4 -------------------------------------------------------------------

struct PacketOut {
    std::uint32_t buffer_id = kNoBuffer;
    PortNo in_port = port::kController;
    ActionList actions;
    ByteVector data;
};
struct BarrierRequest {};
struct BarrierReply {};

enum class PacketInReason : std::uint8_t { no_match, action, invalid_ttl };
struct PacketIn {
    std::uint32_t buffer_id = kNoBuffer;
    std::uint16_t total_len = 0;
    PacketInReason reason{};
    TableId table;
    std::uint64_t cookie = ~0ull;
    Match match;  // in_port; metadata and tunnel_id where not zero
    ByteVector data;
};
enum class FlowRemovedReason : std::uint8_t {
    idle_timeout,
    hard_timeout,
    removed,
    group_delete,
    meter_delete
};
struct FlowRemoved {
    std::uint64_t cookie = 0;
    std::uint16_t priority = 0;
    FlowRemovedReason reason{};
    TableId table;
    std::uint32_t duration_sec = 0;
    std::uint32_t duration_nsec = 0;
    std::uint16_t idle_timeout = 0;
    std::uint16_t hard_timeout = 0;
    std::uint64_t packet_count = 0;
    std::uint64_t byte_count = 0;
    Match match;
};
enum class PortReason : std::uint8_t { added, removed, modified };
struct PortStatus {
    PortReason reason{};
    PortDesc desc;
};

using Message = std::variant<Hello, ErrorMsg, EchoRequest, EchoReply, Experimenter, FeaturesRequest,
                             FeaturesReply, GetConfigRequest, GetConfigReply, SetConfig, PacketIn,
                             FlowRemoved, PortStatus, PacketOut, FlowMod, PortMod, MultipartRequest,
                             MultipartReply, BarrierRequest, BarrierReply, GroupMod, MeterMod,
                             TableMod, QueueGetConfigRequest, QueueGetConfigReply, RoleRequest,
                             RoleReply, GetAsyncRequest, GetAsyncReply, SetAsync>;

/// ofp_header, decoded. `length` counts the header's 8 bytes.
struct Header {
    std::uint8_t version = 0;
    std::uint8_t type = 0;
    std::uint16_t length = 0;
    std::uint32_t xid = 0;
};

}  // namespace raicho::openflow
