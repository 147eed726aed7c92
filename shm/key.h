// SPDX-License-Identifier: Apache-2.0
// The lookup key: every match field of a packet in fixed places, network byte order inside each
// place, all other bytes zero. Parser writes it once, tables read it, set-field keeps it in step.
// Words are chosen so that common tables use few: L2 one word, IPv4 5-tuple two.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/fields.h"

namespace raicho::shm {

inline constexpr std::size_t kKeyWords = 16;

/// Offset and size in bytes of a field inside Key.
struct KeyPlace {
    std::uint8_t offset;
    std::uint8_t size;
};

//  off size field                                   off size field
//    0  2  eth_type (0x05ff for 802.3 without SNAP)  48  8  tunnel_id
//    2  1  ip_proto                                  56  4  mpls_label, or 57 3 pbb_isid
//    3  1  vlan_pcp (low 3 bits), presence           60  1  mpls_tc
//    4  2  L4 source, arp_op, or 4 1 icmp type       61  1  mpls_bos
//    6  2  L4 destination, or 6 1 icmp code          62  2  zero
//    8  4  ipv4_src, arp_spa                         64 16  ipv6_src, or 64 6 arp_sha, 72 6 arp_tha
//   12  4  ipv4_dst, arp_tpa                         80 16  ipv6_dst
//   16  6  eth_dst                                   96 16  ipv6_nd_target
//   22  2  vlan_vid (with PRESENT)                  112  4  ipv6_flabel
//   24  6  eth_src                                  116  2  ipv6_exthdr
//   30  1  ip_dscp                                  118  2  zero
//   31  1  ip_ecn                                   120  6  ipv6_nd_sll, ipv6_nd_tll
//   32  4  in_port                                  126  2  zero
//   36  4  in_phy_port
//   40  8  metadata
/// Fields that share a place exclude each other by their prerequisites.

/// The high bits of the byte of vlan_pcp say which headers are wholly there, so that a match on the
/// value 0 of a field does not fit a packet without it: a later fragment has an ip_proto but no
/// ports, a frame may end behind its Ethernet type. They lie in the word of eth_type, which every
/// match on such a field wants anyway (its prerequisite): no table compares a word more for them.
namespace presence {
inline constexpr std::uint8_t kTransport = 0x80;  // TCP, UDP, SCTP, ICMP
inline constexpr std::uint8_t kNetwork = 0x40;    // ARP of Ethernet and IPv4, IP, label, I-TAG
inline constexpr std::uint8_t kNdTarget = 0x20;
inline constexpr std::uint8_t kNdOption = 0x10;  // the link-layer address
inline constexpr std::uint8_t kVlanPcp = 0x07;   // no presence: the field in the same byte
inline constexpr std::size_t kOffset = 3;
}  // namespace presence

/// The presence bits of a packet that has the field.
[[nodiscard]] constexpr std::uint8_t presence_of(Field field) {
    switch (row(field).prerequisite) {
        using enum Prerequisite;
        case none:
        case in_port:
        case vlan: return 0;
        case ip:
        case ipv4:
        case ipv6:
        case arp:
        case mpls:
        case pbb: return presence::kNetwork;
        case tcp:
        case udp:
        case sctp:
        case icmpv4:
        case icmpv6: return presence::kTransport;
        case nd: return presence::kNdTarget;
        case nd_solicit:
        case nd_advert: return presence::kNdOption;
    }
    return 0;
}

[[nodiscard]] constexpr KeyPlace place(Field field) {
    switch (field) {
        using enum Field;
        case in_port: return {32, 4};
        case in_phy_port: return {36, 4};
        case metadata: return {40, 8};
        case eth_dst: return {16, 6};
        case eth_src: return {24, 6};
        case eth_type: return {0, 2};
        case vlan_vid: return {22, 2};
        case vlan_pcp: return {3, 1};
        case ip_dscp: return {30, 1};
        case ip_ecn: return {31, 1};
        case ip_proto: return {2, 1};
        case ipv4_src:
        case arp_spa: return {8, 4};
        case ipv4_dst:
        case arp_tpa: return {12, 4};
        case tcp_src:
        case udp_src:
        case sctp_src:
        case arp_op: return {4, 2};
        case tcp_dst:
        case udp_dst:
        case sctp_dst: return {6, 2};
        case icmpv4_type:
        case icmpv6_type: return {4, 1};
        case icmpv4_code:
        case icmpv6_code: return {6, 1};
        case arp_sha: return {64, 6};
        case arp_tha: return {72, 6};
        case ipv6_src: return {64, 16};
        case ipv6_dst: return {80, 16};
        case ipv6_flabel: return {112, 4};
        case ipv6_nd_target: return {96, 16};
        case ipv6_nd_sll:
        case ipv6_nd_tll: return {120, 6};
        case mpls_label: return {56, 4};
        case mpls_tc: return {60, 1};
        case mpls_bos: return {61, 1};
        case pbb_isid: return {57, 3};
        case tunnel_id: return {48, 8};
        case ipv6_exthdr: return {116, 2};
    }
    return {0, 0};
}

/// The words that say where a packet is and not what: in_port, in_phy_port, metadata, tunnel_id.
inline constexpr std::size_t kContextWord = 4, kContextWords = 3;
static_assert(place(Field::in_port).offset == 8 * kContextWord);
static_assert(place(Field::tunnel_id).offset == 8 * (kContextWord + kContextWords - 1));

/// Key or mask of a key. Plain bytes seen as 16 words.
struct alignas(64) Key {
    std::array<std::uint64_t, kKeyWords> words{};

    [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(words.data()); }
    [[nodiscard]] const std::byte* bytes() const {
        return reinterpret_cast<const std::byte*>(words.data());
    }
    /// Copies the first place(field).size bytes of `value` (a FieldValue's bytes) into its place;
    /// presence bits stay.
    void set(Field field, const std::byte* value) {
        const KeyPlace at = place(field);
        if (field == Field::vlan_pcp) {
            constexpr std::byte kBits{presence::kVlanPcp};
            bytes()[at.offset] = (bytes()[at.offset] & ~kBits) | (value[0] & kBits);
            return;
        }
        std::memcpy(bytes() + at.offset, value, at.size);
    }
    /// Says that headers are there (presence) besides those that are said to be.
    void add_presence(std::uint8_t bits) { bytes()[presence::kOffset] |= std::byte{bits}; }
    friend bool operator==(const Key&, const Key&) = default;
};

static_assert(sizeof(Key) == 128 && alignof(Key) == 64);
static_assert(std::has_unique_object_representations_v<Key>);
static_assert(place(Field::vlan_pcp).offset == presence::kOffset);
static_assert([] {
    for (const FieldRow& r : kFieldRows)
        if (place(r.field).size != r.size() || place(r.field).offset + r.size() > sizeof(Key))
            return false;
    return true;
}());

/// Bit i set = word i of the mask is not zero.
[[nodiscard]] constexpr std::uint16_t words_in_use(const Key& mask) {
    std::uint16_t used = 0;
    for (std::size_t i = 0; i < kKeyWords; ++i)
        if (mask.words[i] != 0) used = static_cast<std::uint16_t>(used | 1u << i);
    return used;
}

}  // namespace raicho::shm
