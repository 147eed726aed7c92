// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: the header, the table of message types, and the messages of
// §7.3.1, §7.3.2 and §7.5. Neighbours: wire_flow.h, wire_port.h, wire_packet.h, wire_multipart.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/be.h"

namespace raicho::openflow::v13 {

/// A wire structure has no padding of the compiler's and no alignment; sizes are the spec's.
template <class T, std::size_t kSize>
inline constexpr bool kWireLayout =
    sizeof(T) == kSize && alignof(T) == 1 && std::is_standard_layout_v<T> &&
    std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>;

template <std::size_t kSize>
using Pad = std::array<std::uint8_t, kSize>;

/// ofp_type (§7.1).
enum class MessageType : std::uint8_t {
    hello,
    error,
    echo_request,
    echo_reply,
    experimenter,
    features_request,
    features_reply,
    get_config_request,
    get_config_reply,
    set_config,
    packet_in,
    flow_removed,
    port_status,
    packet_out,
    flow_mod,
    group_mod,
    port_mod,
    table_mod,
    multipart_request,
    multipart_reply,
    barrier_request,
    barrier_reply,
    queue_get_config_request,
    queue_get_config_reply,
    role_request,
    role_reply,
    get_async_request,
    get_async_reply,
    set_async,
    meter_mod,
};
inline constexpr std::size_t kMessageTypes = 30;

/// Whether a message ends with its fixed part.
enum class Tail : bool { none, allowed };

/// One ofp_type: its name in logs (the specification's without `OFPT_`), the size of its fixed
/// part with header, and the section.
struct MessageRow {
    MessageType type;
    std::string_view name;
    std::uint16_t size;
    Tail tail;
    std::string_view section;
};

inline constexpr std::array<MessageRow, kMessageTypes> kMessageRows{{
    {MessageType::hello, "HELLO", 8, Tail::allowed, "7.5.1"},
    {MessageType::error, "ERROR", 12, Tail::allowed, "7.4.4"},
    {MessageType::echo_request, "ECHO_REQUEST", 8, Tail::allowed, "7.5.2"},
    {MessageType::echo_reply, "ECHO_REPLY", 8, Tail::allowed, "7.5.3"},
    {MessageType::experimenter, "EXPERIMENTER", 16, Tail::allowed, "7.5.4"},
    {MessageType::features_request, "FEATURES_REQUEST", 8, Tail::none, "7.3.1"},
    {MessageType::features_reply, "FEATURES_REPLY", 32, Tail::none, "7.3.1"},
    {MessageType::get_config_request, "GET_CONFIG_REQUEST", 8, Tail::none, "7.3.2"},
    {MessageType::get_config_reply, "GET_CONFIG_REPLY", 12, Tail::none, "7.3.2"},
    {MessageType::set_config, "SET_CONFIG", 12, Tail::none, "7.3.2"},
    {MessageType::packet_in, "PACKET_IN", 34, Tail::allowed, "7.4.1"},
    {MessageType::flow_removed, "FLOW_REMOVED", 56, Tail::allowed, "7.4.2"},
    {MessageType::port_status, "PORT_STATUS", 80, Tail::none, "7.4.3"},
    {MessageType::packet_out, "PACKET_OUT", 24, Tail::allowed, "7.3.7"},
    {MessageType::flow_mod, "FLOW_MOD", 56, Tail::allowed, "7.3.4.1"},
    {MessageType::group_mod, "GROUP_MOD", 16, Tail::allowed, "7.3.4.2"},
    {MessageType::port_mod, "PORT_MOD", 40, Tail::none, "7.3.4.3"},
    {MessageType::table_mod, "TABLE_MOD", 16, Tail::none, "7.3.3"},
    {MessageType::multipart_request, "MULTIPART_REQUEST", 16, Tail::allowed, "7.3.5"},
    {MessageType::multipart_reply, "MULTIPART_REPLY", 16, Tail::allowed, "7.3.5"},
    {MessageType::barrier_request, "BARRIER_REQUEST", 8, Tail::none, "7.3.8"},
    {MessageType::barrier_reply, "BARRIER_REPLY", 8, Tail::none, "7.3.8"},
    {MessageType::queue_get_config_request, "QUEUE_GET_CONFIG_REQUEST", 16, Tail::none, "7.3.6"},
    {MessageType::queue_get_config_reply, "QUEUE_GET_CONFIG_REPLY", 16, Tail::allowed, "7.3.6"},
    {MessageType::role_request, "ROLE_REQUEST", 24, Tail::none, "7.3.9"},
    {MessageType::role_reply, "ROLE_REPLY", 24, Tail::none, "7.3.9"},
    {MessageType::get_async_request, "GET_ASYNC_REQUEST", 8, Tail::none, "7.3.10"},
    {MessageType::get_async_reply, "GET_ASYNC_REPLY", 32, Tail::none, "7.3.10"},
    {MessageType::set_async, "SET_ASYNC", 32, Tail::none, "7.3.10"},
    {MessageType::meter_mod, "METER_MOD", 16, Tail::allowed, "7.3.4.4"},
}};
static_assert([] {
    for (std::size_t i = 0; i < kMessageTypes; ++i)
        if (static_cast<std::size_t>(kMessageRows[i].type) != i) return false;
    return true;
}());

// ofp_header (§7.1)
//  0  1  version   1  1  type   2  2  length (of the whole message)   4  4  xid
struct WireHeader {
    std::uint8_t version;
    std::uint8_t type;
    Be16 length;
    Be32 xid;
};
static_assert(kWireLayout<WireHeader, 8>);

// ofp_hello_elem_header (§7.5.1); the element is padded to 8 bytes, its length is without padding
//  0  2  type (1 = version bitmap)   2  2  length   4  4n bitmaps, version 0 is bit 0 of the first
struct HelloElement {
    Be16 type;
    Be16 length;
};
static_assert(kWireLayout<HelloElement, 4>);
inline constexpr std::uint16_t kVersionBitmap = 1;

// ofp_error_msg (§7.4.4) after the header
//  0  2  type   2  2  code   4  n  data
struct WireError {
    Be16 type;
    Be16 code;
};
static_assert(kWireLayout<WireError, 4>);

// ofp_experimenter_header (§7.5.4) after the header
//  0  4  experimenter   4  4  exp_type
struct WireExperimenter {
    Be32 experimenter;
    Be32 exp_type;
};
static_assert(kWireLayout<WireExperimenter, 8>);

// ofp_switch_features (§7.3.1) after the header
//  0  8  datapath_id   8  4  n_buffers   12  1  n_tables   13  1  auxiliary_id   14  2  pad
// 16  4  capabilities   20  4  reserved
struct WireFeatures {
    Be64 dpid;
    Be32 n_buffers;
    std::uint8_t n_tables;
    std::uint8_t auxiliary_id;
    Pad<2> pad;
    Be32 capabilities;
    Be32 reserved;
};
static_assert(kWireLayout<WireFeatures, 24> && offsetof(WireFeatures, capabilities) == 16);

// ofp_switch_config (§7.3.2) after the header
//  0  2  flags   2  2  miss_send_len
struct WireConfig {
    Be16 flags;
    Be16 miss_send_len;
};
static_assert(kWireLayout<WireConfig, 4>);

}  // namespace raicho::openflow::v13
