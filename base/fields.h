// SPDX-License-Identifier: Apache-2.0
// The match fields of OpenFlow 1.3 (OF 1.3.5 §7.2.3.7, table 12) as one table: parsing, printing,
// prerequisites, the lookup key and the configuration language derive from it.
// Neighbours: shm/key.h places each field in the lookup key, openflow/match.h holds values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace raicho {

/// OXM field of class OFPXMC_OPENFLOW_BASIC; the enumerator's number is its oxm_field.
enum class Field : std::uint8_t {
    in_port,
    in_phy_port,
    metadata,
    eth_dst,
    eth_src,
    eth_type,
    vlan_vid,
    vlan_pcp,
    ip_dscp,
    ip_ecn,
    ip_proto,
    ipv4_src,
    ipv4_dst,
    tcp_src,
    tcp_dst,
    udp_src,
    udp_dst,
    sctp_src,
    sctp_dst,
    icmpv4_type,
    icmpv4_code,
    arp_op,
    arp_spa,
    arp_tpa,
    arp_sha,
    arp_tha,
    ipv6_src,
    ipv6_dst,
    ipv6_flabel,
    icmpv6_type,
    icmpv6_code,
    ipv6_nd_target,
    ipv6_nd_sll,
    ipv6_nd_tll,
    mpls_label,
    mpls_tc,
    mpls_bos,
    pbb_isid,
    tunnel_id,
    ipv6_exthdr,
};
inline constexpr std::size_t kFields = 40;

/// What must be matched before a field may be (OF 1.3.5 §7.2.3.8).
enum class Prerequisite : std::uint8_t {
    none,
    in_port,     // a match on in_port
    vlan,        // vlan_vid with the PRESENT bit
    ip,          // eth_type 0x0800 or 0x86dd
    ipv4,        // eth_type 0x0800
    ipv6,        // eth_type 0x86dd
    arp,         // eth_type 0x0806
    tcp,         // ip_proto 6
    udp,         // ip_proto 17
    sctp,        // ip_proto 132
    icmpv4,      // ip_proto 1 over ipv4
    icmpv6,      // ip_proto 58 over ipv6
    nd,          // icmpv6_type 135 or 136
    nd_solicit,  // icmpv6_type 135
    nd_advert,   // icmpv6_type 136
    mpls,        // eth_type 0x8847 or 0x8848
    pbb,         // eth_type 0x88e7
};

/// How people write the value.
enum class FieldFormat : std::uint8_t { decimal, hex, mac, ipv4, ipv6, port };

/// Beyond the table the ports of transport take masks: ranges become entries so, and Open vSwitch
/// takes them.
enum class Maskable : bool { no, yes };
enum class Settable : bool { no, yes };

/// One row of table 12. `name` is the ONF name in lower case; `ovs_name` is the other name that
/// ovs-ofctl takes and prints, or empty.
struct FieldRow {
    Field field;
    std::string_view name;
    std::string_view ovs_name;
    std::uint8_t bits;
    Maskable maskable;
    Settable settable;
    Prerequisite prerequisite;
    FieldFormat format;

    /// Bytes of the value on the wire; 20-bit fields (label, flow label) travel in four.
    [[nodiscard]] constexpr std::size_t size() const { return bits == 20 ? 4 : (bits + 7u) / 8u; }
};

/// Value or mask of a field: network order, left-aligned in `bytes`, FieldRow::size() of them used,
/// the rest zero.
struct FieldValue {
    std::array<std::byte, 16> bytes{};
    friend bool operator==(const FieldValue&, const FieldValue&) = default;
};

namespace detail {
using enum Maskable;
inline constexpr std::array<FieldRow, kFields> make_field_rows() {
    using F = Field;
    using P = Prerequisite;
    using enum FieldFormat;
    constexpr auto m = Maskable::yes;
    constexpr auto x = Maskable::no;
    constexpr auto s = Settable::yes;
    constexpr auto r = Settable::no;
    return {{
        {F::in_port, "in_port", "", 32, x, r, P::none, port},
        {F::in_phy_port, "in_phy_port", "", 32, x, r, P::in_port, port},
        {F::metadata, "metadata", "", 64, m, r, P::none, hex},
        {F::eth_dst, "eth_dst", "dl_dst", 48, m, s, P::none, mac},
        {F::eth_src, "eth_src", "dl_src", 48, m, s, P::none, mac},
        {F::eth_type, "eth_type", "dl_type", 16, x, s, P::none, hex},
        {F::vlan_vid, "vlan_vid", "", 13, m, s, P::none, decimal},
        {F::vlan_pcp, "vlan_pcp", "dl_vlan_pcp", 3, x, s, P::vlan, decimal},
        {F::ip_dscp, "ip_dscp", "", 6, x, s, P::ip, decimal},
        {F::ip_ecn, "ip_ecn", "nw_ecn", 2, x, s, P::ip, decimal},
        {F::ip_proto, "ip_proto", "nw_proto", 8, x, s, P::ip, decimal},
        {F::ipv4_src, "ipv4_src", "nw_src", 32, m, s, P::ipv4, ipv4},
        {F::ipv4_dst, "ipv4_dst", "nw_dst", 32, m, s, P::ipv4, ipv4},
        {F::tcp_src, "tcp_src", "tp_src", 16, m, s, P::tcp, decimal},
        {F::tcp_dst, "tcp_dst", "tp_dst", 16, m, s, P::tcp, decimal},
        {F::udp_src, "udp_src", "", 16, m, s, P::udp, decimal},
        {F::udp_dst, "udp_dst", "", 16, m, s, P::udp, decimal},
        {F::sctp_src, "sctp_src", "", 16, m, s, P::sctp, decimal},
        {F::sctp_dst, "sctp_dst", "", 16, m, s, P::sctp, decimal},
        {F::icmpv4_type, "icmpv4_type", "icmp_type", 8, x, s, P::icmpv4, decimal},
        {F::icmpv4_code, "icmpv4_code", "icmp_code", 8, x, s, P::icmpv4, decimal},
        {F::arp_op, "arp_op", "", 16, x, s, P::arp, decimal},
        {F::arp_spa, "arp_spa", "", 32, m, s, P::arp, ipv4},
        {F::arp_tpa, "arp_tpa", "", 32, m, s, P::arp, ipv4},
        {F::arp_sha, "arp_sha", "", 48, m, s, P::arp, mac},
        {F::arp_tha, "arp_tha", "", 48, m, s, P::arp, mac},
        {F::ipv6_src, "ipv6_src", "", 128, m, s, P::ipv6, ipv6},
        {F::ipv6_dst, "ipv6_dst", "", 128, m, s, P::ipv6, ipv6},
        {F::ipv6_flabel, "ipv6_flabel", "ipv6_label", 20, m, s, P::ipv6, hex},
        {F::icmpv6_type, "icmpv6_type", "", 8, x, s, P::icmpv6, decimal},
        {F::icmpv6_code, "icmpv6_code", "", 8, x, s, P::icmpv6, decimal},
        {F::ipv6_nd_target, "ipv6_nd_target", "nd_target", 128, x, s, P::nd, ipv6},
        {F::ipv6_nd_sll, "ipv6_nd_sll", "nd_sll", 48, x, s, P::nd_solicit, mac},
        {F::ipv6_nd_tll, "ipv6_nd_tll", "nd_tll", 48, x, s, P::nd_advert, mac},
        {F::mpls_label, "mpls_label", "", 20, x, s, P::mpls, decimal},
        {F::mpls_tc, "mpls_tc", "", 3, x, s, P::mpls, decimal},
        {F::mpls_bos, "mpls_bos", "", 1, x, s, P::mpls, decimal},
        {F::pbb_isid, "pbb_isid", "", 24, m, s, P::pbb, hex},
        {F::tunnel_id, "tunnel_id", "tun_id", 64, m, s, P::none, hex},
        {F::ipv6_exthdr, "ipv6_exthdr", "", 9, m, r, P::ipv6, hex},
    }};
}
inline constexpr auto kFieldRows = make_field_rows();
consteval bool field_rows_in_order() {
    for (std::size_t i = 0; i < kFields; ++i)
        if (static_cast<std::size_t>(kFieldRows[i].field) != i) return false;
    return true;
}
static_assert(field_rows_in_order(), "kFieldRows is indexed by oxm_field");
}  // namespace detail

/// All rows, indexed by oxm_field.
inline constexpr const std::array<FieldRow, kFields>& kFieldRows = detail::kFieldRows;

[[nodiscard]] constexpr const FieldRow& row(Field field) {
    return kFieldRows[static_cast<std::size_t>(field)];
}

/// The field of an ONF or ovs-ofctl name, or nothing.
[[nodiscard]] constexpr std::optional<Field> field_by_name(std::string_view name) {
    for (const FieldRow& r : kFieldRows)
        if (name == r.name || (!r.ovs_name.empty() && name == r.ovs_name)) return r.field;
    return std::nullopt;
}

/// OFPVID_PRESENT (OF 1.3.5 §7.2.3.7): set in vlan_vid when the packet has a VLAN tag.
inline constexpr std::uint16_t kVlanPresent = 0x1000;

}  // namespace raicho
