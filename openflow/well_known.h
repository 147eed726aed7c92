// SPDX-License-Identifier: Apache-2.0
// Names that people use for values of match fields: services, group addresses, operations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/fields.h"

namespace raicho::openflow {

/// Which fields a name is for.
enum class NameKind : std::uint8_t { service, mac, arp_op, icmp_type, icmpv6_type };

struct WellKnown {
    NameKind kind;
    std::string_view name;
    std::uint64_t value;
};

/// IANA's service names and numbers, IEEE 802.1 group addresses, RFC 826, 792 and 4443.
inline constexpr std::array<WellKnown, 50> kWellKnown{{
    {NameKind::service, "ftp-data", 20},
    {NameKind::service, "ftp", 21},
    {NameKind::service, "ssh", 22},
    {NameKind::service, "telnet", 23},
    {NameKind::service, "smtp", 25},
    {NameKind::service, "domain", 53},
    {NameKind::service, "dns", 53},
    {NameKind::service, "bootps", 67},
    {NameKind::service, "bootpc", 68},
    {NameKind::service, "tftp", 69},
    {NameKind::service, "http", 80},
    {NameKind::service, "kerberos", 88},
    {NameKind::service, "pop3", 110},
    {NameKind::service, "ntp", 123},
    {NameKind::service, "imap", 143},
    {NameKind::service, "snmp", 161},
    {NameKind::service, "snmptrap", 162},
    {NameKind::service, "bgp", 179},
    {NameKind::service, "ldap", 389},
    {NameKind::service, "https", 443},
    {NameKind::service, "isakmp", 500},
    {NameKind::service, "syslog", 514},
    {NameKind::service, "dhcpv6-client", 546},
    {NameKind::service, "dhcpv6-server", 547},
    {NameKind::service, "ldaps", 636},
    {NameKind::service, "imaps", 993},
    {NameKind::service, "mysql", 3306},
    {NameKind::service, "sip", 5060},
    {NameKind::service, "vxlan", 4789},
    {NameKind::service, "bfd", 3784},
    {NameKind::service, "mdns", 5353},
    {NameKind::service, "postgresql", 5432},
    {NameKind::service, "iperf3", 5201},
    {NameKind::service, "openflow", 6653},
    {NameKind::mac, "broadcast", 0xffffffffffff},
    {NameKind::mac, "stp", 0x0180c2000000},
    {NameKind::mac, "pause", 0x0180c2000001},
    {NameKind::mac, "lacp", 0x0180c2000002},
    {NameKind::mac, "lldp", 0x0180c200000e},
    {NameKind::arp_op, "request", 1},
    {NameKind::arp_op, "reply", 2},
    {NameKind::icmp_type, "echo-reply", 0},
    {NameKind::icmp_type, "unreachable", 3},
    {NameKind::icmp_type, "echo-request", 8},
    {NameKind::icmpv6_type, "unreachable", 1},
    {NameKind::icmpv6_type, "echo-request", 128},
    {NameKind::icmpv6_type, "echo-reply", 129},
    {NameKind::icmpv6_type, "router-solicitation", 133},
    {NameKind::icmpv6_type, "neighbour-solicitation", 135},
    {NameKind::icmpv6_type, "neighbour-advertisement", 136},
}};

/// The names that a field's value may have.
[[nodiscard]] constexpr std::optional<NameKind> name_kind(Field field) {
    switch (field) {
        case Field::tcp_src:
        case Field::tcp_dst:
        case Field::udp_src:
        case Field::udp_dst:
        case Field::sctp_src:
        case Field::sctp_dst: return NameKind::service;
        case Field::eth_dst:
        case Field::eth_src: return NameKind::mac;
        case Field::arp_op: return NameKind::arp_op;
        case Field::icmpv4_type: return NameKind::icmp_type;
        case Field::icmpv6_type: return NameKind::icmpv6_type;
        default: return std::nullopt;
    }
}

/// The value of a name, or nothing.
[[nodiscard]] constexpr std::optional<std::uint64_t> well_known(Field field,
                                                                std::string_view name) {
    const auto kind = name_kind(field);
    if (!kind) return std::nullopt;
    for (const WellKnown& row : kWellKnown)
        if (row.kind == *kind && row.name == name) return row.value;
    return std::nullopt;
}

}  // namespace raicho::openflow
