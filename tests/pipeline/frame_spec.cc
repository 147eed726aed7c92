// SPDX-License-Identifier: Apache-2.0
#include "tests/pipeline/frame_spec.h"

#include <algorithm>
#include <cstring>

#include "base/be.h"

namespace raicho::test {
namespace {

void put8(FrameBytes& out, unsigned value) {
    out.push_back(static_cast<std::byte>(value));
}
void put16(FrameBytes& out, unsigned value) {
    put8(out, value >> 8 & 255);
    put8(out, value & 255);
}
void put32(FrameBytes& out, std::uint32_t value) {
    put16(out, value >> 16);
    put16(out, value & 0xffff);
}
template <class Range>
void put(FrameBytes& out, const Range& range) {
    for (auto b : range) put8(out, static_cast<unsigned>(b));
}
void patch16(FrameBytes& out, std::size_t at, std::size_t value) {
    store_be<std::uint16_t>(out.data() + at, static_cast<std::uint16_t>(value));
}

std::uint8_t proto_of(const FrameSpec& s) {
    if (s.proto) return *s.proto;
    switch (s.l4) {
        case L4::none: return 253;
        case L4::tcp: return 6;
        case L4::udp: return 17;
        case L4::sctp: return 132;
        case L4::icmpv4: return 1;
        case L4::icmpv6:
        case L4::nd: return 58;
    }
    return 253;
}

/// The transport header with a zero checksum, and the payload.
FrameBytes transport(const FrameSpec& s) {
    FrameBytes out;
    if (s.later_fragment) {
        put(out, s.payload);
        return out;
    }
    switch (s.l4) {
        case L4::none: break;
        case L4::tcp:
            put16(out, s.sport), put16(out, s.dport), put32(out, s.sequence), put32(out, 7);
            put8(out, static_cast<unsigned>((20 + s.tcp_options.size()) / 4) << 4);
            put8(out, s.tcp_flags), put16(out, 500), put16(out, 0), put16(out, 0);
            put(out, s.tcp_options);
            break;
        case L4::udp:
            put16(out, s.sport), put16(out, s.dport);
            put16(out, static_cast<unsigned>(8 + s.payload.size())), put16(out, 0);
            break;
        case L4::sctp:
            put16(out, s.sport), put16(out, s.dport), put32(out, 99), put32(out, 0);
            break;
        case L4::icmpv4:
        case L4::icmpv6:
            put8(out, s.icmp_type), put8(out, s.icmp_code), put16(out, 0), put32(out, 5);
            break;
        case L4::nd:
            put8(out, s.icmp_type), put8(out, s.icmp_code), put16(out, 0), put32(out, 0);
            put(out, s.nd_target.bytes);
            if (s.nd_address) {
                put8(out, s.icmp_type == 135 ? 1 : 2), put8(out, 1);
                put(out, s.nd_address->bytes);
            }
            break;
    }
    put(out, s.payload);
    return out;
}

std::size_t checksum_at(L4 l4) {
    switch (l4) {
        case L4::none: return 0;
        case L4::tcp: return 16;
        case L4::udp: return 6;
        case L4::sctp: return 8;
        case L4::icmpv4:
        case L4::icmpv6:
        case L4::nd: return 2;
    }
    return 0;
}

/// Fills the checksum of `segment`, the transport's bytes.
void sum_transport(const FrameSpec& s, FrameBytes& segment) {
    const std::size_t at = checksum_at(s.l4);
    if (s.later_fragment || at == 0 || s.sum == Sum::absent) return;
    if (s.l4 == L4::sctp) {
        if (s.sum == Sum::partial) return;
        const std::uint32_t crc = naive_crc32c(segment.data(), segment.size());
        for (std::size_t i = 0; i < 4; ++i)
            segment[at + i] = static_cast<std::byte>(crc >> (8 * i) & 255);
        return;
    }
    FrameBytes pseudo;
    if (s.l4 != L4::icmpv4) {
        if (s.l3 == L3::ipv4) {
            put(pseudo, s.src4.bytes), put(pseudo, s.dst4.bytes);
        } else {
            put(pseudo, s.src6.bytes), put(pseudo, s.last_hop.value_or(s.dst6).bytes);
        }
        put32(pseudo, static_cast<std::uint32_t>(segment.size()));
        put32(pseudo, proto_of(s));
    }
    std::uint16_t sum = 0;
    if (s.sum == Sum::partial) {
        sum = static_cast<std::uint16_t>(~naive_sum(pseudo));
    } else {
        pseudo.insert(pseudo.end(), segment.begin(), segment.end());
        sum = naive_sum(pseudo);
        if (s.l4 == L4::udp && sum == 0) sum = 0xffff;
    }
    patch16(segment, at, sum);
}

std::uint16_t right_type(const FrameSpec& s) {
    if (s.claimed) return *s.claimed;
    if (!s.labels.empty()) return s.label_type;
    switch (s.l3) {
        case L3::other: return s.type;
        case L3::llc: return 0;
        case L3::arp: return 0x0806;
        case L3::ipv4: return 0x0800;
        case L3::ipv6: return 0x86dd;
    }
    return 0;
}

void build_ip(const FrameSpec& s, Built& built) {
    FrameBytes& out = built.bytes;
    FrameBytes segment = transport(s);
    sum_transport(s, segment);
    built.ip_at = out.size();
    const unsigned tos = unsigned{s.dscp} << 2 | s.ecn;
    if (s.l3 == L3::ipv4) {
        FrameBytes header;
        const std::size_t size = 20 + s.options.size();
        put8(header, 0x40u | static_cast<unsigned>(size / 4)), put8(header, tos);
        put16(header, static_cast<unsigned>(size + segment.size()));
        put16(header, s.id), put16(header, s.fragment);
        put8(header, s.ttl), put8(header, proto_of(s)), put16(header, 0);
        put(header, s.src4.bytes), put(header, s.dst4.bytes), put(header, s.options);
        patch16(header, 10, naive_sum(header));
        put(out, header);
    } else {
        std::size_t extra = 0;
        for (const Extension& e : s.extensions) extra += e.body.size() + 1;
        put32(out, 6u << 28 | tos << 20 | s.flow_label);
        put16(out, static_cast<unsigned>(extra + segment.size()));
        put8(out, s.extensions.empty() ? proto_of(s) : s.extensions[0].type), put8(out, s.ttl);
        put(out, s.src6.bytes), put(out, s.dst6.bytes);
        for (std::size_t i = 0; i < s.extensions.size(); ++i) {
            put8(out, i + 1 < s.extensions.size() ? s.extensions[i + 1].type : proto_of(s));
            put(out, s.extensions[i].body);
        }
    }
    if (!s.later_fragment && s.l4 != L4::none) {
        built.transport_at = out.size();
        built.csum_offset = checksum_at(s.l4);
    }
    put(out, segment);
}

}  // namespace

std::uint16_t naive_sum(const FrameBytes& bytes) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto b = std::to_integer<std::uint32_t>(bytes[i]);
        sum += i % 2 == 0 ? b << 8 : b;
        while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    }
    return static_cast<std::uint16_t>(~sum);
}

std::uint32_t naive_crc32c(const std::byte* bytes, std::size_t size) {
    std::uint32_t crc = 0xffffffff;
    for (std::size_t i = 0; i < size; ++i) {
        crc ^= std::to_integer<std::uint32_t>(bytes[i]);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
    }
    return ~crc;
}

Built build(const FrameSpec& s) {
    Built built;
    FrameBytes& out = built.bytes;
    put(out, s.dst.bytes), put(out, s.src.bytes);
    for (const Tag& tag : s.tags) put16(out, tag.type), put16(out, tag.tci);
    if (s.customer) {
        put16(out, 0x88e7), put32(out, s.itag);
        const Built inner = build(*s.customer);
        const std::size_t at = out.size();
        put(out, inner.bytes);
        built.ip_at = inner.ip_at == 0 ? 0 : at + inner.ip_at;
        built.transport_at = inner.transport_at == 0 ? 0 : at + inner.transport_at;
        built.csum_offset = inner.csum_offset;
        return built;
    }
    const std::size_t length_at = out.size();
    if (s.l3 == L3::llc) {
        put16(out, static_cast<unsigned>(3 + s.payload.size()));
        put8(out, 0x42), put8(out, 0x42), put8(out, 3);
        put(out, s.payload);
        return built;
    }
    if (s.snap) put16(out, 0), put32(out, 0xaaaa0300), put16(out, 0);
    put16(out, right_type(s));
    for (std::uint32_t label : s.labels) put32(out, label);
    switch (s.l3) {
        case L3::other: put(out, s.payload); break;
        case L3::llc: break;
        case L3::arp:
            put16(out, 1), put16(out, 0x0800), put16(out, 0x0604), put16(out, s.arp_op);
            put(out, s.sha.bytes), put(out, s.spa.bytes);
            put(out, s.tha.bytes), put(out, s.tpa.bytes);
            break;
        case L3::ipv4:
        case L3::ipv6: build_ip(s, built); break;
    }
    if (s.snap) patch16(out, length_at, out.size() - length_at - 2);
    out.resize(out.size() + s.padding);
    return built;
}

}  // namespace raicho::test
