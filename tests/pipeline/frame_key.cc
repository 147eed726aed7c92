// SPDX-License-Identifier: Apache-2.0
// What a described frame is to the tables, and descriptions at random.
#include <cstring>

#include "base/be.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::test {
namespace {

template <class T>
void set(shm::Key& key, Field field, T value) {
    std::array<std::byte, 16> bytes{};
    store_be<T>(bytes.data(), value);
    key.set(field, bytes.data());
}
template <class Range>
void set_bytes(shm::Key& key, Field field, const Range& range) {
    key.set(field, reinterpret_cast<const std::byte*>(range.data()));
}

unsigned exthdr_bits(const std::vector<Extension>& extensions) {
    // Frames of random_spec have each kind once and in order; the odd ones have tests of their own.
    unsigned bits = 0;
    for (const Extension& e : extensions) {
        switch (e.type) {
            case 0: bits |= 1u << 6; break;
            case 43: bits |= 1u << 5; break;
            case 44: bits |= 1u << 4; break;
            case 51: bits |= 1u << 2; break;
            case 60: bits |= 1u << 3; break;
        }
    }
    return bits;
}

void transport_key(const FrameSpec& s, shm::Key& key) {
    if (s.later_fragment) return;
    if (s.l4 != L4::none) key.add_presence(shm::presence::kTransport);
    switch (s.l4) {
        case L4::none: break;
        case L4::tcp:
        case L4::udp:
        case L4::sctp:
            set<std::uint16_t>(key, Field::tcp_src, s.sport);
            set<std::uint16_t>(key, Field::tcp_dst, s.dport);
            break;
        case L4::nd:
            if (s.icmp_code == 0) {
                set_bytes(key, Field::ipv6_nd_target, s.nd_target.bytes);
                key.add_presence(shm::presence::kNdTarget);
                if (s.nd_address) {
                    set_bytes(key, Field::ipv6_nd_sll, s.nd_address->bytes);
                    key.add_presence(shm::presence::kNdOption);
                }
            }
            [[fallthrough]];
        case L4::icmpv4:
        case L4::icmpv6:
            set<std::uint8_t>(key, Field::icmpv4_type, s.icmp_type);
            set<std::uint8_t>(key, Field::icmpv4_code, s.icmp_code);
            break;
    }
}

std::uint8_t proto(const FrameSpec& s) {
    switch (s.l4) {
        case L4::none: return s.proto.value_or(253);
        case L4::tcp: return 6;
        case L4::udp: return 17;
        case L4::sctp: return 132;
        case L4::icmpv4: return 1;
        case L4::icmpv6:
        case L4::nd: return 58;
    }
    return 0;
}

template <class T>
T pick(std::mt19937_64& random, std::initializer_list<T> values) {
    return *(values.begin() + random() % values.size());
}
template <std::size_t N>
void fill(std::mt19937_64& random, std::array<std::uint8_t, N>& bytes) {
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
}
std::vector<std::uint8_t> random_bytes(std::mt19937_64& random, std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    return bytes;
}

/// Body of a header of 8 * (1 + extra) bytes, without the first byte.
std::vector<std::uint8_t> extension_body(std::uint8_t extra) {
    std::vector<std::uint8_t> body(7u + 8u * extra, 0);
    body[0] = extra;
    return body;
}

void random_extensions(std::mt19937_64& random, FrameSpec& s) {
    const auto roll = random() % 8;
    if (roll == 0) s.extensions.push_back({0, extension_body(0)});
    if (roll <= 1) s.extensions.push_back({60, extension_body(1)});
    if (roll == 2) {
        Extension routing{43, extension_body(2)};
        routing.body[1] = 0;             // type
        routing.body[2] = random() % 2;  // segments left
        fill(random, s.dst6.bytes);
        if (routing.body[2] != 0) {
            s.last_hop = Ipv6{};
            fill(random, s.last_hop->bytes);
        }
        s.extensions.push_back(routing);
    }
    if (roll == 3) {
        Extension fragment{44, extension_body(0)};
        const bool later = random() % 2 != 0;
        fragment.body[0] = 0;
        fragment.body[1] = later ? 3 : 0;
        fragment.body[2] = 1;  // more fragments
        s.later_fragment = later;
        s.extensions.push_back(fragment);
    }
    if (roll == 4) {
        Extension auth{51, std::vector<std::uint8_t>(23, 0)};
        auth.body[0] = 4;  // (4 + 2) * 4 = 24 bytes
        s.extensions.push_back(auth);
    }
}

}  // namespace

shm::Key expected_key(const FrameSpec& s) {
    shm::Key key;
    set_bytes(key, Field::eth_dst, s.dst.bytes);
    set_bytes(key, Field::eth_src, s.src.bytes);
    if (!s.tags.empty()) {
        set<std::uint16_t>(key, Field::vlan_vid,
                           static_cast<std::uint16_t>((s.tags[0].tci & 0xfff) | 0x1000));
        set<std::uint8_t>(key, Field::vlan_pcp, static_cast<std::uint8_t>(s.tags[0].tci >> 13));
    }
    if (s.tags.size() > 2) {  // the parser stops behind two
        set<std::uint16_t>(key, Field::eth_type, s.tags[2].type);
        return key;
    }
    if (s.customer) {
        set<std::uint16_t>(key, Field::eth_type, 0x88e7);
        key.add_presence(shm::presence::kNetwork);
        std::array<std::byte, 4> itag;
        store_be<std::uint32_t>(itag.data(), s.itag);
        key.set(Field::pbb_isid, itag.data() + 1);
        return key;
    }
    if (!s.labels.empty()) {
        set<std::uint16_t>(key, Field::eth_type, s.label_type);
        key.add_presence(shm::presence::kNetwork);
        set<std::uint32_t>(key, Field::mpls_label, s.labels[0] >> 12);
        set<std::uint8_t>(key, Field::mpls_tc, static_cast<std::uint8_t>(s.labels[0] >> 9 & 7));
        set<std::uint8_t>(key, Field::mpls_bos, static_cast<std::uint8_t>(s.labels[0] >> 8 & 1));
        return key;
    }
    if (s.l3 != L3::other && s.l3 != L3::llc) key.add_presence(shm::presence::kNetwork);
    switch (s.l3) {
        case L3::other: set<std::uint16_t>(key, Field::eth_type, s.type); break;
        case L3::llc: set<std::uint16_t>(key, Field::eth_type, 0x05ff); break;
        case L3::arp:
            set<std::uint16_t>(key, Field::eth_type, 0x0806);
            set<std::uint16_t>(key, Field::arp_op, s.arp_op);
            set_bytes(key, Field::arp_spa, s.spa.bytes);
            set_bytes(key, Field::arp_tpa, s.tpa.bytes);
            set_bytes(key, Field::arp_sha, s.sha.bytes);
            set_bytes(key, Field::arp_tha, s.tha.bytes);
            break;
        case L3::ipv4:
            set<std::uint16_t>(key, Field::eth_type, 0x0800);
            set_bytes(key, Field::ipv4_src, s.src4.bytes);
            set_bytes(key, Field::ipv4_dst, s.dst4.bytes);
            break;
        case L3::ipv6:
            set<std::uint16_t>(key, Field::eth_type, 0x86dd);
            set_bytes(key, Field::ipv6_src, s.src6.bytes);
            set_bytes(key, Field::ipv6_dst, s.dst6.bytes);
            set<std::uint32_t>(key, Field::ipv6_flabel, s.flow_label);
            set<std::uint16_t>(key, Field::ipv6_exthdr,
                               static_cast<std::uint16_t>(exthdr_bits(s.extensions)));
            break;
    }
    if (s.l3 == L3::ipv4 || s.l3 == L3::ipv6) {
        set<std::uint8_t>(key, Field::ip_dscp, s.dscp);
        set<std::uint8_t>(key, Field::ip_ecn, s.ecn);
        set<std::uint8_t>(key, Field::ip_proto, proto(s));
        transport_key(s, key);
    }
    return key;
}

FrameSpec random_spec(std::mt19937_64& random) {
    FrameSpec s;
    fill(random, s.dst.bytes), fill(random, s.src.bytes);
    for (int n = pick(random, {0, 0, 0, 1, 1, 2}); n > 0; --n)
        s.tags.push_back(
            {pick<std::uint16_t>(random, {0x8100, 0x88a8}), static_cast<std::uint16_t>(random())});
    s.l3 = pick(random,
                {L3::ipv4, L3::ipv4, L3::ipv4, L3::ipv6, L3::ipv6, L3::arp, L3::other, L3::llc});
    s.snap = s.l3 != L3::llc && random() % 8 == 0;
    s.payload = random_bytes(random, random() % 90);
    s.arp_op = pick<std::uint16_t>(random, {1, 2, 259});
    fill(random, s.sha.bytes), fill(random, s.tha.bytes);
    fill(random, s.spa.bytes), fill(random, s.tpa.bytes);
    s.dscp = random() % 64, s.ecn = random() % 4;
    s.ttl = pick<std::uint8_t>(random, {0, 1, 2, 64, 255});
    s.id = static_cast<std::uint16_t>(random());
    fill(random, s.src4.bytes), fill(random, s.dst4.bytes);
    fill(random, s.src6.bytes), fill(random, s.dst6.bytes);
    s.flow_label = random() & 0xfffff;
    s.l4 = s.l3 == L3::ipv4
               ? pick(random, {L4::tcp, L4::udp, L4::sctp, L4::icmpv4, L4::none})
               : pick(random, {L4::tcp, L4::udp, L4::sctp, L4::icmpv6, L4::nd, L4::none});
    s.sum = pick(random, {Sum::complete, Sum::complete, Sum::partial});
    if (s.l4 == L4::udp && random() % 4 == 0) s.sum = Sum::absent;
    if (s.l4 == L4::icmpv4 || s.l4 == L4::icmpv6 || s.l4 == L4::none) s.sum = Sum::complete;
    if (s.l4 == L4::nd) {
        s.sum = Sum::complete;
        s.icmp_type = pick<std::uint8_t>(random, {135, 136});
        s.payload.clear();
        fill(random, s.nd_target.bytes);
        if (random() % 3 != 0) fill(random, s.nd_address.emplace().bytes);
    } else if (s.l4 == L4::icmpv6) {
        s.icmp_type = pick<std::uint8_t>(random, {128, 129, 1});
    } else {
        s.icmp_type = pick<std::uint8_t>(random, {0, 8, 3});
        s.icmp_code = random() % 4;
    }
    s.sport = static_cast<std::uint16_t>(random()), s.dport = static_cast<std::uint16_t>(random());
    s.sequence = static_cast<std::uint32_t>(random());
    s.tcp_options = std::vector<std::uint8_t>(4 * (random() % 4), 1);
    if (s.l3 == L3::ipv4) {
        s.options = std::vector<std::uint8_t>(4 * pick<std::size_t>(random, {0, 0, 1, 10}), 1);
        const auto roll = random() % 8;
        if (roll == 0) s.fragment = 0x2000;
        if (roll == 1) s.fragment = 0x2010, s.later_fragment = true;
        if (roll == 2) s.fragment = 0x4000;
    }
    if (s.l3 == L3::ipv6) random_extensions(random, s);
    if (s.later_fragment) s.sum = Sum::complete;
    if (s.later_fragment && s.payload.size() < 30) s.payload.resize(30);
    return s;
}

}  // namespace raicho::test
