// SPDX-License-Identifier: Apache-2.0
#include "dataplane/pipeline/gso.h"

#include <cstring>

#include "base/be.h"

namespace raicho::pipeline {
namespace {

constexpr std::size_t kTcpFlags = 13;
constexpr std::uint8_t kFin = 0x01, kPsh = 0x08, kCwr = 0x80;

std::size_t ipv4_header_size(const std::byte* ip) noexcept {
    return (load_be<std::uint8_t>(ip) & 15u) * std::size_t{4};
}

/// Bytes from `ip.at` on without which the header's fields are no header. The sender's word for
/// IPv4; the transport may not begin before.
std::size_t header_size(const Packet& packet, const IpPlace& ip) noexcept {
    if (ip.network == Network::ipv6) return 40;
    return std::max<std::size_t>(20, ipv4_header_size(packet.data + ip.at));
}

IpPlace ip_at(const Packet& packet, std::size_t at, const Layers& layers) noexcept {
    IpPlace place{.at = at, .end = packet.size, .network = layers.network, .routed = layers.routed};
    const std::byte* header = packet.data + at;
    if (layers.network == Network::ipv4) {
        const std::size_t total = load_be<std::uint16_t>(header + 2);
        if (total != 0) place.end = std::min<std::size_t>(packet.size, at + total);
    } else {
        const std::size_t payload = load_be<std::uint16_t>(header + 4);
        if (payload != 0) place.end = std::min<std::size_t>(packet.size, at + 40 + payload);
    }
    return place;
}

/// The headers from an IP header on, read through a frame view whose type is made to fit.
IpPlace ip_behind_labels(const Packet& packet, std::size_t at) noexcept {
    const auto* stack = packet.data + at;
    while (at + 4 <= packet.first_size && (load_be<std::uint8_t>(stack + 2) & 1) == 0)
        stack += 4, at += 4;
    at += 4;
    if (at + 20 > packet.first_size) return {};
    const unsigned version = load_be<std::uint8_t>(packet.data + at) >> 4;
    if (version != 4 && (version != 6 || at + 40 > packet.first_size)) return {};
    Layers layers;
    layers.network = version == 4 ? Network::ipv4 : Network::ipv6;
    return ip_at(packet, at, layers);
}

/// Sum of the pseudo header for `size` bytes of transport.
std::uint64_t pseudo_sum(const std::byte* ip, Network network, unsigned proto,
                         std::size_t size) noexcept {
    std::array<std::byte, 8> tail;
    store_be<std::uint32_t>(tail.data(), static_cast<std::uint32_t>(size));
    store_be<std::uint32_t>(tail.data() + 4, proto);
    const std::span<const std::byte> addresses =
        network == Network::ipv4 ? std::span(ip + 12, 8) : std::span(ip + 8, 32);
    return add_words(add_words(0, tail), addresses);
}

void finish_ip(std::byte* ip, const SegmentPlan& plan, std::size_t index,
               std::size_t datagram) noexcept {
    if (plan.ip.network == Network::ipv6) {
        store_be<std::uint16_t>(ip + 4, static_cast<std::uint16_t>(datagram - 40));
        return;
    }
    store_be<std::uint16_t>(ip + 2, static_cast<std::uint16_t>(datagram));
    store_be<std::uint16_t>(ip + 4,
                            static_cast<std::uint16_t>(load_be<std::uint16_t>(ip + 4) + index));
    std::memset(ip + 10, 0, 2);
    const std::size_t header = ipv4_header_size(ip);
    const auto sum = static_cast<std::uint16_t>(~fold(add_words(0, {ip, header})));
    std::memcpy(ip + 10, &sum, 2);
}

void finish_tcp(std::byte* tcp, const SegmentPlan& plan, std::size_t index) noexcept {
    const auto sequence = load_be<std::uint32_t>(tcp + 4);
    store_be<std::uint32_t>(tcp + 4, static_cast<std::uint32_t>(sequence + index * plan.step));
    std::uint8_t flags = load_be<std::uint8_t>(tcp + kTcpFlags);
    if (index + 1 < plan.count()) flags &= static_cast<std::uint8_t>(~(kFin | kPsh));
    if (index > 0) flags &= static_cast<std::uint8_t>(~kCwr);  // RFC 3168 §6.1.2
    tcp[kTcpFlags] = std::byte{flags};
}

}  // namespace

IpPlace find_ip(const Packet& packet) noexcept {
    Packet view = packet;  // the frame, then what an I-TAG carries
    std::size_t skipped = 0;
    for (int depth = 0; depth < 4; ++depth) {
        shm::Key key;
        const Layers layers = parse(view, key);
        const std::size_t at = layers.network_at;
        switch (layers.network) {
            case Network::ipv4:
            case Network::ipv6: return ip_at(packet, skipped + at, layers);
            case Network::mpls: return ip_behind_labels(packet, skipped + at);
            case Network::pbb:
                skipped += at + 4;
                view.trim(static_cast<std::uint16_t>(at + 4));
                break;
            case Network::none:
            case Network::arp: return {};
        }
    }
    return {};
}

std::optional<SegmentPlan> plan_segments(const Packet& large) noexcept {
    SegmentPlan plan;
    plan.ip = find_ip(large);
    plan.transport_at = large.csum_start;
    plan.step = large.gso_size;
    const bool partial = large.checksum == Checksum::partial;
    if (!partial || plan.step == 0 || plan.ip.network == Network::none ||
        plan.transport_at < plan.ip.at + header_size(large, plan.ip))
        return std::nullopt;
    switch (large.gso) {
        case Gso::tcp4:
        case Gso::tcp6: {
            const Network wanted = large.gso == Gso::tcp4 ? Network::ipv4 : Network::ipv6;
            if (plan.ip.network != wanted || large.csum_offset != 16 ||
                plan.transport_at + 20 > large.first_size)
                return std::nullopt;
            const std::size_t size =
                (load_be<std::uint8_t>(large.data + plan.transport_at + 12) >> 4) * 4u;
            if (size < 20) return std::nullopt;
            plan.transport = Transport::tcp;
            plan.header_size = plan.transport_at + size;
            break;
        }
        case Gso::udp_l4:
            if (large.csum_offset != 6) return std::nullopt;
            plan.transport = Transport::udp;
            plan.header_size = plan.transport_at + 8;
            break;
        case Gso::none:
        case Gso::udp: return std::nullopt;  // fragmentation offload is not asked of any sender
    }
    // A type of no name leaves the transport open.
    if (plan.transport == Transport::none || plan.header_size > large.first_size ||
        plan.header_size > plan.ip.end)
        return std::nullopt;
    plan.payload = plan.ip.end - plan.header_size;
    return plan;
}

void finish_segment(std::byte* frame, const SegmentPlan& plan, std::size_t index,
                    std::size_t size) noexcept {
    std::byte* ip = frame + plan.ip.at;
    std::byte* transport = frame + plan.transport_at;
    const std::size_t transport_size = plan.header_size - plan.transport_at + size;
    const bool tcp = plan.transport == Transport::tcp;
    std::byte* field = transport + (tcp ? 16 : 6);

    std::uint64_t sum = 0;
    if (plan.ip.routed != 0) {
        // The pseudo header has the last hop as destination: take the sender's sum and put this
        // segment's size for that of the whole.
        const std::size_t whole = plan.header_size - plan.transport_at + plan.payload;
        std::array<std::byte, 4> bytes;
        store_be<std::uint32_t>(bytes.data(), static_cast<std::uint32_t>(whole));
        ChecksumDelta delta;
        delta.minus(bytes);
        store_be<std::uint32_t>(bytes.data(), static_cast<std::uint32_t>(transport_size));
        delta.plus(bytes);
        delta.apply_partial(field);
        std::uint16_t partial;
        std::memcpy(&partial, field, 2);
        sum = partial;
    } else {
        sum = pseudo_sum(ip, plan.ip.network, tcp ? 6 : 17, transport_size);
    }
    finish_ip(ip, plan, index, plan.header_size - plan.ip.at + size);
    if (tcp)
        finish_tcp(transport, plan, index);
    else
        store_be<std::uint16_t>(transport + 4, static_cast<std::uint16_t>(transport_size));
    std::memset(field, 0, 2);
    auto checksum = static_cast<std::uint16_t>(~fold(add_words(sum, {transport, transport_size})));
    if (checksum == 0) checksum = 0xffff;
    std::memcpy(field, &checksum, 2);
}

}  // namespace raicho::pipeline
