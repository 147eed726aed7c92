// SPDX-License-Identifier: Apache-2.0
// A frame as a description, and the bytes of it. The oracle of the pipeline's tests: an action
// changes the description and the frame is built anew with every checksum computed in full, so
// what the pipeline edits in place must be those bytes. Slow and plain on purpose.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/addr.h"
#include "shm/key.h"

namespace raicho::test {

using FrameBytes = std::vector<std::byte>;

struct Tag {
    std::uint16_t type = 0x8100;
    std::uint16_t tci = 0;
};

enum class L3 { other, llc, arp, ipv4, ipv6 };
enum class L4 { none, tcp, udp, sctp, icmpv4, icmpv6, nd };
enum class Sum { complete, partial, absent };  // absent: UDP's zero

/// An IPv6 extension header; `body` without its first byte (next header).
struct Extension {
    std::uint8_t type = 0;
    std::vector<std::uint8_t> body;
};

struct FrameSpec {
    Mac dst{{2, 0, 0, 0, 0, 1}}, src{{2, 0, 0, 0, 0, 2}};
    std::vector<Tag> tags;  // outermost first
    bool snap = false;

    // An I-TAG in front of a customer's frame: all below is ignored then.
    std::shared_ptr<FrameSpec> customer;
    std::uint32_t itag = 0;

    std::uint16_t label_type = 0x8847;
    std::vector<std::uint32_t> labels;  // outermost first, bottom bits as they are

    L3 l3 = L3::ipv4;
    std::uint16_t type = 0x88b5;  // of L3::other; also what a frame of other kind claims to be, see
                                  // `claimed`
    std::optional<std::uint16_t> claimed;  // ethertype written in place of the right one

    // ARP
    std::uint16_t arp_op = 1;
    Mac sha, tha;
    Ipv4 spa, tpa;

    // IP
    std::uint8_t dscp = 0, ecn = 0, ttl = 64;
    std::uint16_t id = 0x1234, fragment = 0;  // flags and offset of IPv4
    std::vector<std::uint8_t> options;        // multiple of 4
    Ipv4 src4{{10, 0, 0, 1}}, dst4{{10, 0, 0, 2}};
    std::uint32_t flow_label = 0;
    Ipv6 src6, dst6;
    std::vector<Extension> extensions;
    std::optional<Ipv6> last_hop;       // the pseudo header's destination, routing header
    std::optional<std::uint8_t> proto;  // overrides the one of l4
    bool later_fragment = false;        // the payload is no transport header

    // Transport
    L4 l4 = L4::udp;
    Sum sum = Sum::complete;
    std::uint16_t sport = 1000, dport = 2000;
    std::uint32_t sequence = 1;
    std::uint8_t tcp_flags = 0x10;
    std::vector<std::uint8_t> tcp_options;
    std::uint8_t icmp_type = 8, icmp_code = 0;
    Ipv6 nd_target;
    std::optional<Mac> nd_address;  // the option that fits icmp_type
    std::vector<std::uint8_t> payload;
    std::size_t padding = 0;  // zero bytes behind the datagram
};

/// Where the transport header of the innermost frame begins; 0 when there is none.
struct Built {
    FrameBytes bytes;
    std::size_t ip_at = 0;
    std::size_t transport_at = 0;
    std::size_t csum_offset = 0;
};
[[nodiscard]] Built build(const FrameSpec& spec);

/// The key that the parser must make of a whole frame, in_port to tunnel_id left zero.
[[nodiscard]] shm::Key expected_key(const FrameSpec& spec);

/// Any frame the parser knows, without PBB and labels (they hide what is inside).
[[nodiscard]] FrameSpec random_spec(std::mt19937_64& random);

/// Internet checksum of whole bytes, the plain way.
[[nodiscard]] std::uint16_t naive_sum(const FrameBytes& bytes);
/// CRC32c bit by bit.
[[nodiscard]] std::uint32_t naive_crc32c(const std::byte* bytes, std::size_t size);

}  // namespace raicho::test
