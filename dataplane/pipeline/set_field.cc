// SPDX-License-Identifier: Apache-2.0
// Set-field as one table: where each field lies and which checksums cover it.
#include <array>
#include <bit>

#include "base/be.h"
#include "dataplane/pipeline/checksum.h"
#include "dataplane/pipeline/edit.h"

namespace raicho::pipeline {
namespace {

/// What an offset counts from.
enum class Base : std::uint8_t { none, key, frame, type, proto, network, transport, nd_option };

/// Which checksums cover the field.
enum class Sums : std::uint8_t {
    none,
    header,     // IPv4's own
    addresses,  // IPv4's own, and the pseudo header's part of the transport's
    protocol,   // the same two, but IPv6 has it at another place than the pseudo header
    transport,  // the transport's
};

enum class Needs : std::uint8_t {
    nothing,
    vlan,
    ip,
    ipv4,
    ipv6,
    arp,
    mpls,
    pbb,
    tcp,
    udp,
    sctp,
    icmpv4,
    icmpv6,
    nd_option,
};

/// Whether the set value can change which headers follow.
enum class Structure : std::uint8_t { kept, changed };

/// `mask` 0: whole bytes at `offset`. Else the field is `mask` of the big-endian word of `word`
/// bytes there, shifted left by `shift`.
struct Spot {
    Base base = Base::none;
    std::uint8_t offset = 0;
    Needs needs = Needs::nothing;
    Sums sums = Sums::none;
    std::uint8_t word = 0;
    std::uint8_t shift = 0;
    std::uint32_t mask = 0;
    Structure structure = Structure::kept;
};

consteval std::array<Spot, kFields> make_spots() {
    std::array<Spot, kFields> t{};
    auto at = [&t](Field f) -> Spot& { return t[static_cast<std::size_t>(f)]; };
    using enum Field;
    at(tunnel_id) = {Base::key};
    at(metadata) = {Base::key};
    at(eth_dst) = {Base::frame, 0};
    at(eth_src) = {Base::frame, 6};
    at(eth_type) = {.base = Base::type, .structure = Structure::changed};
    at(vlan_vid) = {Base::frame, 14, Needs::vlan, Sums::none, 2, 0, 0x0fff};
    at(vlan_pcp) = {Base::frame, 14, Needs::vlan, Sums::none, 2, 13, 0xe000};
    at(ip_dscp) = {Base::network, 0, Needs::ip, Sums::header, 2, 2, 0x00fc};
    at(ip_ecn) = {Base::network, 0, Needs::ip, Sums::header, 2, 0, 0x0003};
    at(ip_proto) = {.base = Base::proto,
                    .needs = Needs::ip,
                    .sums = Sums::protocol,
                    .structure = Structure::changed};
    at(ipv4_src) = {Base::network, 12, Needs::ipv4, Sums::addresses};
    at(ipv4_dst) = {Base::network, 16, Needs::ipv4, Sums::addresses};
    at(tcp_src) = {Base::transport, 0, Needs::tcp, Sums::transport};
    at(tcp_dst) = {Base::transport, 2, Needs::tcp, Sums::transport};
    at(udp_src) = {Base::transport, 0, Needs::udp, Sums::transport};
    at(udp_dst) = {Base::transport, 2, Needs::udp, Sums::transport};
    at(sctp_src) = {Base::transport, 0, Needs::sctp, Sums::transport};
    at(sctp_dst) = {Base::transport, 2, Needs::sctp, Sums::transport};
    at(icmpv4_type) = {Base::transport, 0, Needs::icmpv4, Sums::transport};
    at(icmpv4_code) = {Base::transport, 1, Needs::icmpv4, Sums::transport};
    at(icmpv6_type) = {.base = Base::transport,
                       .offset = 0,
                       .needs = Needs::icmpv6,
                       .sums = Sums::transport,
                       .structure = Structure::changed};
    at(icmpv6_code) = {.base = Base::transport,
                       .offset = 1,
                       .needs = Needs::icmpv6,
                       .sums = Sums::transport,
                       .structure = Structure::changed};
    at(arp_op) = {Base::network, 6, Needs::arp};
    at(arp_sha) = {Base::network, 8, Needs::arp};
    at(arp_spa) = {Base::network, 14, Needs::arp};
    at(arp_tha) = {Base::network, 18, Needs::arp};
    at(arp_tpa) = {Base::network, 24, Needs::arp};
    at(ipv6_src) = {Base::network, 8, Needs::ipv6, Sums::addresses};
    at(ipv6_dst) = {Base::network, 24, Needs::ipv6, Sums::addresses};
    at(ipv6_flabel) = {Base::network, 0, Needs::ipv6, Sums::none, 4, 0, 0x000fffff};
    at(ipv6_nd_target) = {Base::transport, 8, Needs::nd_option, Sums::transport};
    at(ipv6_nd_sll) = {Base::nd_option, 2, Needs::nd_option, Sums::transport};
    at(ipv6_nd_tll) = {Base::nd_option, 2, Needs::nd_option, Sums::transport};
    at(mpls_label) = {Base::network, 0, Needs::mpls, Sums::none, 4, 12, 0xfffff000};
    at(mpls_tc) = {Base::network, 0, Needs::mpls, Sums::none, 4, 9, 0x00000e00};
    at(mpls_bos) = {Base::network, 0, Needs::mpls, Sums::none, 4, 8, 0x00000100};
    at(pbb_isid) = {Base::network, 1, Needs::pbb};
    return t;
}
constexpr auto kSpots = make_spots();
static_assert([] {
    for (const FieldRow& r : kFieldRows)
        if (r.settable == Settable::yes &&
            kSpots[static_cast<std::size_t>(r.field)].base == Base::none)
            return false;
    return true;
}());

EditResult check(const Frame& frame, Needs needs, Field field) noexcept {
    const Layers& l = frame.layers;
    auto fits = [](bool condition) { return condition ? EditResult::done : EditResult::unfit; };
    switch (needs) {
        case Needs::nothing: return fits(l.type_at != 0);
        case Needs::vlan: return fits(l.n_vlans > 0);
        case Needs::ip: return fits(l.network == Network::ipv4 || l.network == Network::ipv6);
        case Needs::ipv4: return fits(l.network == Network::ipv4);
        case Needs::ipv6: return fits(l.network == Network::ipv6);
        case Needs::arp: return fits(l.network == Network::arp);
        case Needs::mpls: return fits(l.network == Network::mpls);
        case Needs::pbb: return fits(l.network == Network::pbb);
        case Needs::tcp: return fits(l.transport == Transport::tcp);
        case Needs::udp: return fits(l.transport == Transport::udp);
        case Needs::sctp: return fits(l.transport == Transport::sctp);
        case Needs::icmpv4: return fits(l.transport == Transport::icmpv4);
        case Needs::icmpv6: return fits(l.transport == Transport::icmpv6);
        case Needs::nd_option: break;
    }
    if (l.transport != Transport::icmpv6) return EditResult::unfit;
    if (field == Field::ipv6_nd_target) return fits(l.nd == NeighbourDiscovery::yes);
    return fits(l.nd_option_at != 0);
}

std::size_t base_offset(const Layers& l, Base base) noexcept {
    switch (base) {
        case Base::none:
        case Base::key:
        case Base::frame: return 0;
        case Base::type: return l.type_at;
        case Base::proto: return l.proto_at;
        case Base::network: return l.network_at;
        case Base::transport: return l.transport_at;
        case Base::nd_option: return l.nd_option_at;
    }
    return 0;
}

std::size_t checksum_offset(Transport transport) noexcept {
    switch (transport) {
        case Transport::tcp: return 16;
        case Transport::udp: return 6;
        case Transport::sctp: return 8;
        case Transport::icmpv4:
        case Transport::icmpv6: return 2;
        case Transport::none: break;
    }
    return 0;
}

/// The field as it lies in the key: only its bits, vlan_vid with PRESENT.
std::array<std::byte, 16> key_value(Field field, const std::byte* value) noexcept {
    const FieldRow& r = row(field);
    std::array<std::byte, 16> out{};
    std::memcpy(out.data(), value, r.size());
    const unsigned spare = static_cast<unsigned>(r.size() * 8 - r.bits);
    if (spare >= 8) {
        out[0] = {};
        out[1] &= std::byte(0xff >> (spare - 8));
    } else {
        out[0] &= std::byte(0xff >> spare);
    }
    if (field == Field::vlan_vid) out[0] |= std::byte{kVlanPresent >> 8};
    return out;
}

std::uint32_t integer(std::span<const std::byte> bytes) noexcept {
    std::uint32_t v = 0;
    for (std::byte b : bytes) v = v << 8 | std::to_integer<std::uint32_t>(b);
    return v;
}

void write_word(std::byte* at, const Spot& spot, std::uint32_t value) noexcept {
    const std::uint32_t bits = value << spot.shift & spot.mask;
    if (spot.word == 2)
        store_be<std::uint16_t>(
            at, static_cast<std::uint16_t>((load_be<std::uint16_t>(at) & ~spot.mask) | bits));
    else
        store_be<std::uint32_t>(at, (load_be<std::uint32_t>(at) & ~spot.mask) | bits);
}

/// Applies the delta of changed transport or address bytes to the transport's checksum.
void update_transport(Frame& frame, Sums sums, const ChecksumDelta& delta) noexcept {
    Packet& packet = *frame.packet;
    const Layers& l = frame.layers;
    if (l.transport_at == 0) return;  // a later fragment, or cut off
    if (packet.checksum == Checksum::partial && packet.csum_start == l.transport_at) {
        const std::size_t at = std::size_t{packet.csum_start} + packet.csum_offset;
        // A sender that names another place than the protocol's is not believed.
        const bool right =
            l.transport == Transport::none || packet.csum_offset == checksum_offset(l.transport);
        const bool pseudo = l.transport != Transport::sctp && l.transport != Transport::icmpv4;
        if (sums != Sums::transport && pseudo && right && at + 2 <= packet.first_size)
            delta.apply_partial(packet.data + at);
        return;
    }
    std::byte* field = packet.data + l.transport_at + checksum_offset(l.transport);
    switch (l.transport) {
        case Transport::none: return;
        case Transport::tcp: return delta.apply(field);
        case Transport::udp: return delta.apply_udp(field);
        case Transport::icmpv6: return delta.apply(field);
        case Transport::icmpv4:
            if (sums == Sums::transport) delta.apply(field);
            return;
        case Transport::sctp:
            // A CRC over the whole message: made anew when the packet leaves.
            if (sums == Sums::transport) {
                packet.checksum = Checksum::partial;
                packet.csum_start = l.transport_at;
                packet.csum_offset = 8;
            }
            return;
    }
}

/// Parses as the new protocol and corrects the sum over the pseudo header, which lies where the
/// old protocol has it; where that one is not known, the new one's place is the best guess.
void change_protocol(Frame& frame, std::byte before, std::byte after) noexcept {
    const std::array<std::byte, 2> was{std::byte{0}, before}, is{std::byte{0}, after};
    ChecksumDelta delta;
    delta.minus(was);
    delta.plus(is);
    const bool known = frame.layers.transport != Transport::none;
    if (known) update_transport(frame, Sums::protocol, delta);
    reparse(frame);
    if (!known) update_transport(frame, Sums::protocol, delta);
}

Spot spot_of(const Frame& frame, Field field) noexcept {
    Spot spot = kSpots[static_cast<std::size_t>(field)];
    if (frame.layers.network == Network::ipv6) {  // the traffic class straddles two bytes
        if (field == Field::ip_dscp) spot.shift = 6, spot.mask = 0x0fc0;
        if (field == Field::ip_ecn) spot.shift = 4, spot.mask = 0x0030;
    }
    return spot;
}

}  // namespace

EditResult set_field(Frame& frame, Field field, const std::byte* value) noexcept {
    if (static_cast<std::size_t>(field) >= kFields) return EditResult::unfit;
    const Spot spot = spot_of(frame, field);
    const std::size_t size = row(field).size();
    if (spot.base == Base::none) return EditResult::unfit;
    const std::array<std::byte, 16> bytes = key_value(field, value);
    if (spot.base == Base::key) {
        frame.key.set(field, bytes.data());
        return EditResult::done;
    }
    Packet& packet = *frame.packet;
    const Layers& l = frame.layers;
    if (spot.sums == Sums::transport) {
        if (l.fragment == Fragment::later) return EditResult::done;
        // The CRC of a fragmented message cannot be made from a part of it.
        if (l.transport == Transport::sctp && l.fragment != Fragment::none)
            return EditResult::unfit;
    }
    if (const EditResult fit = check(frame, spot.needs, field); fit != EditResult::done) return fit;

    const std::size_t at = base_offset(l, spot.base) + spot.offset;
    const std::size_t whole = spot.mask != 0 ? spot.word : size;
    const std::byte before = packet.data[at];
    if (spot.sums == Sums::none) {
        if (spot.mask != 0)
            write_word(packet.data + at, spot, integer({bytes.data(), size}));
        else
            std::memcpy(packet.data + at, bytes.data(), whole);
    } else {
        // The even-placed words that hold the field, counted from the header's start.
        const std::size_t begin = at - (spot.offset & 1u) -
                                  (spot.base == Base::proto ? (l.proto_at - l.network_at) & 1u : 0);
        const std::size_t n = (at + whole - begin + 1) & ~std::size_t{1};
        const std::span<const std::byte> words(packet.data + begin, n);
        ChecksumDelta delta;
        delta.minus(words);
        if (spot.mask != 0)
            write_word(packet.data + at, spot, integer({bytes.data(), size}));
        else
            std::memcpy(packet.data + at, bytes.data(), whole);
        delta.plus(words);
        if (spot.sums != Sums::transport && l.network == Network::ipv4)
            delta.apply(packet.data + l.network_at + 10);
        const bool covered =
            spot.sums == Sums::transport ||
            (spot.sums == Sums::addresses && !(field == Field::ipv6_dst && l.routed != 0));
        if (covered) update_transport(frame, spot.sums, delta);
    }
    if (spot.sums == Sums::protocol) {
        change_protocol(frame, before, packet.data[at]);
    } else if (spot.structure == Structure::changed) {
        reparse(frame);
    } else {
        frame.key.set(field, bytes.data());
    }
    return EditResult::done;
}

}  // namespace raicho::pipeline
