// SPDX-License-Identifier: Apache-2.0
// What a parser says of a frame beside its key: which headers there are and where they lie.
#pragma once

#include <cstdint>

namespace raicho::pipeline {

enum class Network : std::uint8_t { none, arp, ipv4, ipv6, mpls, pbb };
enum class Transport : std::uint8_t { none, tcp, udp, sctp, icmpv4, icmpv6 };
enum class Fragment : std::uint8_t { none, first, later };
enum class NeighbourDiscovery : std::uint8_t { no, yes };

/// Where the headers lie, in bytes from the frame's start. Offsets are meaningful only when their
/// kind says that the header is wholly inside the first segment.
struct Layers {
    std::uint16_t type_at = 0;       // the two bytes of the innermost Ethernet type
    std::uint16_t network_at = 0;    // ARP, IP, MPLS stack or I-TAG
    std::uint16_t transport_at = 0;  // TCP .. ICMPv6
    std::uint16_t proto_at = 0;      // the byte that holds ip_proto
    std::uint16_t nd_option_at = 0;  // link-layer address option of ND, 0 = none
    std::uint8_t n_vlans = 0;        // 0 to 2; the outermost tag is at 12
    Network network = Network::none;
    Transport transport = Transport::none;
    Fragment fragment = Fragment::none;
    NeighbourDiscovery nd = NeighbourDiscovery::no;  // the target is there
    std::uint8_t routed = 0;  // IPv6 routing header with hops left: dst is not in the pseudo header
};

}  // namespace raicho::pipeline
