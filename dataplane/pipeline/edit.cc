// SPDX-License-Identifier: Apache-2.0
#include "dataplane/pipeline/edit.h"

#include <array>
#include <cstring>

#include "base/be.h"
#include "dataplane/pipeline/checksum.h"

namespace raicho::pipeline {
namespace {

constexpr std::size_t kAddresses = 12;  // both Ethernet addresses
constexpr std::uint16_t kTag = 4;       // a VLAN tag, a label
constexpr std::uint16_t kItag = 18;     // addresses, type and TCI in front of a customer's frame

std::uint8_t octet(const std::byte* p) noexcept {
    return std::to_integer<std::uint8_t>(*p);
}

/// Opens `n` bytes at `at`: the bytes in front of it move down.
[[nodiscard]] bool open_gap(Packet& packet, std::size_t at, std::uint16_t n) noexcept {
    if (!packet.prepend(n)) return false;
    std::memmove(packet.data, packet.data + n, at);
    return true;
}

/// Closes `n` bytes at `at`.
void close_gap(Packet& packet, std::size_t at, std::uint16_t n) noexcept {
    std::memmove(packet.data + n, packet.data, at);
    packet.trim(n);
}

/// The length field of an 802.3 frame counts what follows it.
void grow_length(const Frame& frame, int n) noexcept {
    const std::size_t at = kAddresses + kTag * std::size_t{frame.layers.n_vlans};
    if (at == frame.layers.type_at) return;
    std::byte* field = frame.packet->data + at;
    store_be<std::uint16_t>(field, static_cast<std::uint16_t>(load_be<std::uint16_t>(field) + n));
}

/// Moves every offset behind the VLAN tags.
void shift(Layers& l, int n) noexcept {
    for (std::uint16_t* at :
         {&l.type_at, &l.network_at, &l.transport_at, &l.proto_at, &l.nd_option_at})
        if (*at != 0) *at = static_cast<std::uint16_t>(*at + n);
}

void key_vlan(Frame& frame, std::uint16_t vid, std::uint8_t pcp) noexcept {
    std::array<std::byte, 2> bytes;
    store_be<std::uint16_t>(bytes.data(), vid);
    frame.key.set(Field::vlan_vid, bytes.data());
    bytes[0] = std::byte{pcp};
    frame.key.set(Field::vlan_pcp, bytes.data());
}

/// A byte that holds a TTL, and the IPv4 header that sums it.
struct Ttl {
    std::byte* at = nullptr;
    std::byte* ipv4 = nullptr;  // nullptr: not summed
};

void write_ttl(const Ttl& ttl, std::uint8_t value) noexcept {
    if (ttl.ipv4 == nullptr) {
        *ttl.at = std::byte{value};
        return;
    }
    ChecksumDelta delta;
    delta.minus_word(ttl.ipv4 + 8);
    *ttl.at = std::byte{value};
    delta.plus_word(ttl.ipv4 + 8);
    delta.apply(ttl.ipv4 + 10);
}

Ttl network_ttl(const Frame& frame) noexcept {
    std::byte* header = frame.packet->data + frame.layers.network_at;
    if (frame.layers.network == Network::ipv4) return {header + 8, header};
    if (frame.layers.network == Network::ipv6) return {header + 7, nullptr};
    return {};
}

/// The TTL of an IP header of that version, where there is one.
Ttl ip_ttl(const Frame& frame, std::size_t at, unsigned version) noexcept {
    const std::size_t left = frame.packet->first_size - at;
    std::byte* header = frame.packet->data + at;
    if (left < 20 || octet(header) >> 4 != version) return {};
    if (version == 4) return {header + 8, header};
    return version == 6 && left >= 40 ? Ttl{header + 7, nullptr} : Ttl{};
}

/// The TTL next to the outermost one: of the next label, of IP at the stack's bottom, of IP in IP.
Ttl inner_ttl(const Frame& frame) noexcept {
    const Layers& l = frame.layers;
    const std::byte* data = frame.packet->data;
    if (l.network == Network::mpls) {
        const std::size_t at = l.network_at + std::size_t{kTag};
        const std::size_t left = frame.packet->first_size - at;
        const bool bottom = (octet(data + at - 2) & 1) != 0;
        if (!bottom) return left >= kTag ? Ttl{frame.packet->data + at + 3, nullptr} : Ttl{};
        return left > 0 ? ip_ttl(frame, at, octet(data + at) >> 4) : Ttl{};
    }
    if ((l.network != Network::ipv4 && l.network != Network::ipv6) || l.transport_at == 0)
        return {};
    const std::uint8_t proto = octet(data + l.proto_at);
    if (proto != 4 && proto != 41) return {};
    return ip_ttl(frame, l.transport_at, proto == 4 ? 4 : 6);
}

EditResult decrement(const Ttl& ttl) noexcept {
    if (ttl.at == nullptr) return EditResult::unfit;
    const std::uint8_t value = octet(ttl.at);
    if (value <= 1) return EditResult::expired;
    write_ttl(ttl, static_cast<std::uint8_t>(value - 1));
    return EditResult::done;
}

Ttl label_ttl(const Frame& frame) noexcept {
    if (frame.layers.network != Network::mpls) return {};
    return {frame.packet->data + frame.layers.network_at + 3, nullptr};
}

Ttl outer_ttl(const Frame& frame) noexcept {
    return frame.layers.network == Network::mpls ? label_ttl(frame) : network_ttl(frame);
}

}  // namespace

void reparse(Frame& frame) noexcept {
    parse(*frame.packet, frame.key, frame.layers);
}

EditResult push_vlan(Frame& frame, std::uint16_t type) noexcept {
    Layers& l = frame.layers;
    Packet& packet = *frame.packet;
    if (l.type_at == 0) return EditResult::unfit;
    // The new tag takes identifier and priority of the one it covers (§5.12.1).
    const std::uint16_t tci =
        l.n_vlans > 0 ? load_be<std::uint16_t>(packet.data + kAddresses + 2) : std::uint16_t{0};
    if (!open_gap(packet, kAddresses, kTag)) return EditResult::unfit;
    store_be<std::uint16_t>(packet.data + kAddresses, type);
    store_be<std::uint16_t>(packet.data + kAddresses + 2, tci & 0xefffu);
    if (l.n_vlans >= 2 || (type != 0x8100 && type != 0x88a8)) {
        reparse(frame);
        return EditResult::done;
    }
    ++l.n_vlans;
    shift(l, kTag);
    key_vlan(frame, static_cast<std::uint16_t>((tci & 0x0fffu) | kVlanPresent),
             static_cast<std::uint8_t>(tci >> 13));
    return EditResult::done;
}

EditResult pop_vlan(Frame& frame) noexcept {
    Layers& l = frame.layers;
    if (l.n_vlans == 0) return EditResult::unfit;
    close_gap(*frame.packet, kAddresses, kTag);
    if (l.n_vlans >= 2) {  // a third tag may have come into sight
        reparse(frame);
        return EditResult::done;
    }
    l.n_vlans = 0;
    shift(l, -int{kTag});
    key_vlan(frame, 0, 0);
    return EditResult::done;
}

EditResult push_mpls(Frame& frame, std::uint16_t type) noexcept {
    const Layers& l = frame.layers;
    Packet& packet = *frame.packet;
    if (l.type_at == 0) return EditResult::unfit;
    // §5.12.1: label, class and TTL from the outermost label; a first label has TTL of IP.
    std::uint32_t label = 0x100;
    if (l.network == Network::mpls)
        label = load_be<std::uint32_t>(packet.data + l.network_at) & ~0x100u;
    else if (const Ttl ttl = network_ttl(frame); ttl.at != nullptr)
        label |= octet(ttl.at);
    if (!open_gap(packet, l.network_at, kTag)) return EditResult::unfit;
    grow_length(frame, kTag);
    store_be<std::uint16_t>(packet.data + l.type_at, type);
    store_be<std::uint32_t>(packet.data + l.network_at, label);
    reparse(frame);
    return EditResult::done;
}

EditResult pop_mpls(Frame& frame, std::uint16_t type) noexcept {
    const Layers& l = frame.layers;
    if (l.network != Network::mpls) return EditResult::unfit;
    grow_length(frame, -int{kTag});
    store_be<std::uint16_t>(frame.packet->data + l.type_at, type);
    close_gap(*frame.packet, l.network_at, kTag);
    reparse(frame);
    return EditResult::done;
}

EditResult push_pbb(Frame& frame, std::uint16_t type) noexcept {
    const Layers& l = frame.layers;
    Packet& packet = *frame.packet;
    if (l.type_at == 0) return EditResult::unfit;
    std::uint32_t tci = 0;  // §5.12.1: I-SID of the outermost I-TAG, priority of the VLAN tag
    if (l.network == Network::pbb)
        tci = load_be<std::uint32_t>(packet.data + l.network_at) & 0x00ffffffu;
    if (l.n_vlans > 0) tci |= (std::uint32_t{octet(packet.data + kAddresses + 2)} & 0xe0u) << 24;
    if (!packet.prepend(kItag)) return EditResult::unfit;
    std::memcpy(packet.data, packet.data + kItag, kAddresses);
    store_be<std::uint16_t>(packet.data + kAddresses, type);
    store_be<std::uint32_t>(packet.data + kAddresses + 2, tci);
    reparse(frame);
    return EditResult::done;
}

EditResult pop_pbb(Frame& frame) noexcept {
    const Layers& l = frame.layers;
    if (l.network != Network::pbb) return EditResult::unfit;
    frame.packet->trim(static_cast<std::uint16_t>(l.network_at + 4));
    reparse(frame);
    return EditResult::done;
}

EditResult set_nw_ttl(Frame& frame, std::uint8_t value) noexcept {
    const Ttl ttl = network_ttl(frame);
    if (ttl.at == nullptr) return EditResult::unfit;
    write_ttl(ttl, value);
    return EditResult::done;
}

EditResult dec_nw_ttl(Frame& frame) noexcept {
    return decrement(network_ttl(frame));
}

EditResult set_mpls_ttl(Frame& frame, std::uint8_t value) noexcept {
    const Ttl ttl = label_ttl(frame);
    if (ttl.at == nullptr) return EditResult::unfit;
    write_ttl(ttl, value);
    return EditResult::done;
}

EditResult dec_mpls_ttl(Frame& frame) noexcept {
    return decrement(label_ttl(frame));
}

EditResult copy_ttl_out(Frame& frame) noexcept {
    const Ttl outer = outer_ttl(frame), inner = inner_ttl(frame);
    if (outer.at == nullptr || inner.at == nullptr) return EditResult::unfit;
    write_ttl(outer, octet(inner.at));
    return EditResult::done;
}

EditResult copy_ttl_in(Frame& frame) noexcept {
    const Ttl outer = outer_ttl(frame), inner = inner_ttl(frame);
    if (outer.at == nullptr || inner.at == nullptr) return EditResult::unfit;
    write_ttl(inner, octet(outer.at));
    return EditResult::done;
}

}  // namespace raicho::pipeline
