// SPDX-License-Identifier: Apache-2.0
#include "dataplane/pipeline/parse.h"

#include <algorithm>
#include <cstring>

#include "base/be.h"

namespace raicho::pipeline {
namespace {

using Byte = const std::byte;

constexpr std::uint16_t kIpv4 = 0x0800, kIpv6 = 0x86dd, kArp = 0x0806, kVlan = 0x8100,
                        kServiceVlan = 0x88a8, kMpls = 0x8847, kMplsMulticast = 0x8848,
                        kPbb = 0x88e7, kNoSnap = 0x05ff, kFirstType = 0x0600;

/// Offsets inside the key, named once (shm/key.h).
consteval std::size_t at(Field field) {
    return shm::place(field).offset;
}
consteval std::size_t size_of(Field field) {
    return shm::place(field).size;
}

/// The frame while it is read; `end` bounds every access.
class Reader {
  public:
    Reader(const Packet& packet, shm::Key& key, Layers& layers) noexcept
        : begin_(packet.data), end_(packet.first_size), key_(key.bytes()), layers_(layers) {}

    void run() noexcept {
        // Words 4..6 hold in_port, in_phy_port, metadata and tunnel_id: not ours.
        std::memset(key_, 0, 32);
        std::memset(key_ + 56, 0, sizeof(shm::Key) - 56);
        layers_ = Layers{};
        if (end_ >= 14) ethernet();
    }

  private:
    [[nodiscard]] bool has(std::size_t offset, std::size_t size) const noexcept {
        return offset + size <= end_;
    }
    [[nodiscard]] Byte* byte(std::size_t offset) const noexcept { return begin_ + offset; }
    template <Field F>
    void copy(std::size_t offset) noexcept {
        std::memcpy(key_ + at(F), begin_ + offset, size_of(F));
    }
    template <Field F>
    void put8(unsigned value) noexcept {
        key_[at(F)] = static_cast<std::byte>(value);
    }
    template <Field F>
    void put16(unsigned value) noexcept {
        store_be<std::uint16_t>(key_ + at(F), static_cast<std::uint16_t>(value));
    }

    /// Behind the VLAN tag's priority, which shares the byte.
    void present(std::uint8_t bits) noexcept { key_[shm::presence::kOffset] |= std::byte{bits}; }

    void ethernet() noexcept {
        copy<Field::eth_dst>(0);
        copy<Field::eth_src>(6);
        std::size_t pos = 12;
        auto type = load_be<std::uint16_t>(byte(pos));
        while ((type == kVlan || type == kServiceVlan) && layers_.n_vlans < 2 && has(pos, 6)) {
            if (layers_.n_vlans == 0) {
                const auto tci = load_be<std::uint16_t>(byte(pos + 2));
                put16<Field::vlan_vid>((tci & 0x0fffu) | kVlanPresent);
                put8<Field::vlan_pcp>(tci >> 13);
            }
            ++layers_.n_vlans;
            pos += 4;
            type = load_be<std::uint16_t>(byte(pos));
        }
        if (type < kFirstType) {
            // 802.3: SNAP with an OUI of zero carries a type, all else is 0x05ff (§7.2.3.8).
            const bool snap = has(pos + 2, 8) &&
                              load_be<std::uint32_t>(byte(pos + 2)) == 0xaaaa0300u &&
                              load_be<std::uint8_t>(byte(pos + 6)) == 0 &&
                              load_be<std::uint8_t>(byte(pos + 7)) == 0;
            const std::uint16_t inner = snap ? load_be<std::uint16_t>(byte(pos + 8)) : 0;
            if (inner >= kFirstType) {
                pos += 8;
                type = inner;
            } else {
                type = kNoSnap;
            }
        }
        layers_.type_at = static_cast<std::uint16_t>(pos);
        put16<Field::eth_type>(type);
        network(type, pos + 2);
    }

    void network(std::uint16_t type, std::size_t pos) noexcept {
        layers_.network_at = static_cast<std::uint16_t>(pos);
        switch (type) {
            case kIpv4: return ipv4(pos);
            case kIpv6: return Reader(*this).ipv6(pos);  // a copy: this one stays in registers
            case kArp: return arp(pos);
            case kMpls:
            case kMplsMulticast: return mpls(pos);
            case kPbb: return pbb(pos);
        }
    }

    void arp(std::size_t pos) noexcept {
        // Ethernet and IPv4 only: other address sizes have their fields elsewhere.
        if (!has(pos, 28) || load_be<std::uint16_t>(byte(pos)) != 1 ||
            load_be<std::uint16_t>(byte(pos + 2)) != kIpv4 ||
            load_be<std::uint16_t>(byte(pos + 4)) != 0x0604)
            return;
        layers_.network = Network::arp;
        present(shm::presence::kNetwork);
        copy<Field::arp_op>(pos + 6);
        copy<Field::arp_sha>(pos + 8);
        copy<Field::arp_spa>(pos + 14);
        copy<Field::arp_tha>(pos + 18);
        copy<Field::arp_tpa>(pos + 24);
    }

    void mpls(std::size_t pos) noexcept {
        if (!has(pos, 4)) return;
        layers_.network = Network::mpls;
        present(shm::presence::kNetwork);
        const auto word = load_be<std::uint32_t>(byte(pos));
        store_be<std::uint32_t>(key_ + at(Field::mpls_label), word >> 12);
        put8<Field::mpls_tc>(word >> 9 & 7);
        put8<Field::mpls_bos>(word >> 8 & 1);
    }

    void pbb(std::size_t pos) noexcept {
        if (!has(pos, 18)) return;  // I-TAG with the customer's addresses, type behind them
        layers_.network = Network::pbb;
        present(shm::presence::kNetwork);
        copy<Field::pbb_isid>(pos + 1);
    }

    void ipv4(std::size_t pos) noexcept {
        if (!has(pos, 20)) return;
        const unsigned first = load_be<std::uint8_t>(byte(pos));
        const std::size_t header = (first & 15u) * 4u;
        if (first >> 4 != 4 || header < 20 || !has(pos, header)) return;
        layers_.network = Network::ipv4;
        present(shm::presence::kNetwork);
        const unsigned tos = load_be<std::uint8_t>(byte(pos + 1));
        put8<Field::ip_dscp>(tos >> 2);
        put8<Field::ip_ecn>(tos & 3);
        const unsigned proto = load_be<std::uint8_t>(byte(pos + 9));
        put8<Field::ip_proto>(proto);
        layers_.proto_at = static_cast<std::uint16_t>(pos + 9);
        std::memcpy(key_ + at(Field::ipv4_src), byte(pos + 12), 8);  // and ipv4_dst behind it
        const unsigned fragment = load_be<std::uint16_t>(byte(pos + 6)) & 0x3fffu;
        if (fragment != 0) [[unlikely]] {
            layers_.fragment = (fragment & 0x1fff) != 0 ? Fragment::later : Fragment::first;
            if (layers_.fragment == Fragment::later) return;
        }
        const std::size_t total = load_be<std::uint16_t>(byte(pos + 2));
        bound(pos + std::max(total, header));
        transport4(proto, pos + header);
    }

    /// Padding behind the datagram is no header of it.
    void bound(std::size_t end) noexcept {
        if (end < end_) end_ = end;
    }

    void transport4(unsigned proto, std::size_t pos) noexcept {
        layers_.transport_at = static_cast<std::uint16_t>(pos);
        if (proto == 1) {
            if (!has(pos, 4)) return;
            layers_.transport = Transport::icmpv4;
            icmp(pos);
        } else {
            ports(proto, pos);
        }
    }

    void ports(unsigned proto, std::size_t pos) noexcept {
        const auto kind = proto == 6     ? Transport::tcp
                          : proto == 17  ? Transport::udp
                          : proto == 132 ? Transport::sctp
                                         : Transport::none;
        const std::size_t size = kind == Transport::tcp ? 20 : kind == Transport::udp ? 8 : 12;
        if (kind == Transport::none || !has(pos, size)) return;
        layers_.transport = kind;
        present(shm::presence::kTransport);
        std::memcpy(key_ + at(Field::tcp_src), byte(pos), 4);  // and the destination behind it
    }

    void icmp(std::size_t pos) noexcept {
        present(shm::presence::kTransport);
        copy<Field::icmpv4_type>(pos);
        copy<Field::icmpv4_code>(pos + 1);
    }

    void ipv6(std::size_t pos) noexcept;
    void ipv6_extensions(unsigned next, std::size_t pos) noexcept;
    void icmpv6(std::size_t pos) noexcept;

    Byte* begin_;
    std::size_t end_;
    std::byte* key_;
    Layers& layers_;
};

void Reader::ipv6(std::size_t pos) noexcept {
    if (!has(pos, 40)) return;
    const auto word = load_be<std::uint32_t>(byte(pos));
    if (word >> 28 != 6) return;
    layers_.network = Network::ipv6;
    present(shm::presence::kNetwork);
    put8<Field::ip_dscp>(word >> 22 & 63);
    put8<Field::ip_ecn>(word >> 20 & 3);
    store_be<std::uint32_t>(key_ + at(Field::ipv6_flabel), word & 0xfffff);
    std::memcpy(key_ + at(Field::ipv6_src), byte(pos + 8), 32);  // and ipv6_dst behind it
    const std::size_t payload = load_be<std::uint16_t>(byte(pos + 4));
    if (payload != 0) bound(pos + 40 + payload);  // 0: jumbogram, or the sender will fill it in
    layers_.proto_at = static_cast<std::uint16_t>(pos + 6);
    ipv6_extensions(load_be<std::uint8_t>(byte(pos + 6)), pos + 40);
}

/// ofp_ipv6exthdr_flags, OF 1.3.5 §7.2.3.8.
enum : unsigned {
    kNoNext = 1u << 0,
    kEsp = 1u << 1,
    kAuth = 1u << 2,
    kDest = 1u << 3,
    kFrag = 1u << 4,
    kRouter = 1u << 5,
    kHop = 1u << 6,
    kRepeats = 1u << 7,
    kSequence = 1u << 8,
};

/// Follows the order of RFC 8200 §4.1; a header that comes before one of lower rank sets the
/// sequence bit, a second one of a kind (a third of destination options) the repeats bit.
class ExtensionOrder {
  public:
    void saw(unsigned flag, unsigned rank) noexcept {
        if (flag == kDest) {
            if (dests_ >= 2) bits_ |= kRepeats;
            if (dests_ > 0 || rank_ > rank) rank = 6;  // the ones before the upper layer
            ++dests_;
        } else if ((bits_ & flag) != 0) {
            bits_ |= kRepeats;
        }
        if (rank < rank_) bits_ |= kSequence;
        rank_ = std::max(rank, rank_);
        bits_ |= flag;
    }
    [[nodiscard]] unsigned bits() const noexcept { return bits_; }

  private:
    unsigned bits_ = 0;
    unsigned rank_ = 0;
    unsigned dests_ = 0;
};

void Reader::ipv6_extensions(unsigned next, std::size_t pos) noexcept {
    ExtensionOrder order;
    bool whole = true;  // the chain was followed to its end
    for (bool extension = true; extension && whole;) {
        std::size_t size = 0;
        switch (next) {
            case 0: order.saw(kHop, 0); break;
            case 60: order.saw(kDest, 1); break;
            case 43: order.saw(kRouter, 2); break;
            case 44: order.saw(kFrag, 3); break;
            case 51: order.saw(kAuth, 4); break;
            case 50:
                order.saw(kEsp, 5);
                extension = false;
                continue;
            case 59:
                order.saw(kNoNext, 7);
                extension = false;
                continue;
            default: extension = false; continue;
        }
        if (!has(pos, 8)) {
            whole = false;
            break;
        }
        const unsigned length = load_be<std::uint8_t>(byte(pos + 1));
        if (next == 44) {
            const unsigned offset = load_be<std::uint16_t>(byte(pos + 2));
            layers_.fragment = (offset & 0xfff8) != 0 ? Fragment::later
                               : (offset & 1) != 0    ? Fragment::first
                                                      : layers_.fragment;
            size = 8;
        } else {
            size = next == 51 ? (length + 2u) * 4u : (length + 1u) * 8u;
            if (next == 43 && load_be<std::uint8_t>(byte(pos + 3)) != 0) layers_.routed = 1;
        }
        if (!has(pos, size)) {
            whole = false;
            break;
        }
        next = load_be<std::uint8_t>(byte(pos));
        layers_.proto_at = static_cast<std::uint16_t>(pos);
        pos += size;
        if (layers_.fragment == Fragment::later) break;
    }
    put16<Field::ipv6_exthdr>(order.bits());
    put8<Field::ip_proto>(next);
    if (!whole || layers_.fragment == Fragment::later) return;
    layers_.transport_at = static_cast<std::uint16_t>(pos);
    if (next == 58)
        icmpv6(pos);
    else
        ports(next, pos);
}

void Reader::icmpv6(std::size_t pos) noexcept {
    if (!has(pos, 4)) return;
    layers_.transport = Transport::icmpv6;
    icmp(pos);
    const unsigned type = load_be<std::uint8_t>(byte(pos));
    if ((type != 135 && type != 136) || load_be<std::uint8_t>(byte(pos + 1)) != 0 || !has(pos, 24))
        return;
    layers_.nd = NeighbourDiscovery::yes;
    present(shm::presence::kNdTarget);
    copy<Field::ipv6_nd_target>(pos + 8);
    // Source address of a solicitation, target address of an advertisement (RFC 4861 §4.6.1).
    const unsigned wanted = type == 135 ? 1 : 2;
    for (std::size_t option = pos + 24; has(option, 8);) {
        const std::size_t size = load_be<std::uint8_t>(byte(option + 1)) * std::size_t{8};
        if (size == 0 || !has(option, size)) return;
        if (load_be<std::uint8_t>(byte(option)) == wanted && size == 8) {
            layers_.nd_option_at = static_cast<std::uint16_t>(option);
            present(shm::presence::kNdOption);
            copy<Field::ipv6_nd_sll>(option + 2);
            return;
        }
        option += size;
    }
}

}  // namespace

void parse_any(const Packet& packet, shm::Key& key, Layers& layers) noexcept {
    Reader(packet, key, layers).run();
}

}  // namespace raicho::pipeline
