// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/vnet_header.h"

#include <algorithm>
#include <cstring>

#include "base/be.h"

namespace raicho::io {
namespace {

constexpr std::size_t kAddresses = 12;  // two Ethernet addresses
constexpr std::uint16_t kTagSize = 4;
constexpr std::uint32_t kUdpHeader = 8;
constexpr std::uint32_t kTcpHeader = 20;

bool known(std::uint8_t type) {
    using enum pipeline::Gso;
    switch (static_cast<pipeline::Gso>(type)) {
        case none:
        case tcp4:
        case udp:
        case tcp6:
        case udp_l4: return true;
    }
    return false;
}

/// Bytes up to the end of the transport header; the first segment holds it.
std::uint32_t headers_size(const pipeline::Packet& packet) {
    std::uint32_t transport = kUdpHeader;
    if (packet.gso == pipeline::Gso::tcp4 || packet.gso == pipeline::Gso::tcp6) {
        transport = kTcpHeader;
        const std::uint32_t offset_byte = packet.csum_start + 12U;
        if (offset_byte < packet.first_size)
            transport = (std::to_integer<std::uint32_t>(packet.data[offset_byte]) >> 4) * 4;
    }
    return packet.csum_start + transport;
}

}  // namespace

VnetOutcome read_vnet_header(const VnetHeader& header, pipeline::Packet& packet) noexcept {
    using pipeline::Checksum;
    using pipeline::Gso;
    using pipeline::GsoEcn;
    packet.checksum = Checksum::complete;
    packet.gso = Gso::none;
    packet.gso_ecn = GsoEcn::no;
    packet.csum_start = packet.csum_offset = packet.gso_size = packet.hdr_len = 0;
    if ((header.flags & kVnetNeedsCsum) != 0) {
        if (header.csum_start + header.csum_offset + 2U > packet.first_size)
            return VnetOutcome::damaged;
        packet.checksum = Checksum::partial;
        packet.csum_start = header.csum_start;
        packet.csum_offset = header.csum_offset;
    }
    const auto type = static_cast<std::uint8_t>(header.gso_type & ~kVnetGsoEcn);
    if (type == 0) return VnetOutcome::fits;
    if (!known(type) || header.gso_size == 0) return VnetOutcome::damaged;
    packet.gso = static_cast<Gso>(type);
    packet.gso_ecn = (header.gso_type & kVnetGsoEcn) != 0 ? GsoEcn::yes : GsoEcn::no;
    packet.gso_size = header.gso_size;
    packet.hdr_len = header.hdr_len;
    return VnetOutcome::fits;
}

VnetHeader make_vnet_header(const pipeline::Packet& packet) noexcept {
    VnetHeader header;
    if (packet.checksum == pipeline::Checksum::partial) {
        header.flags = kVnetNeedsCsum;
        header.csum_start = packet.csum_start;
        header.csum_offset = packet.csum_offset;
    }
    if (packet.gso != pipeline::Gso::none) {
        header.gso_type =
            static_cast<std::uint8_t>(static_cast<unsigned>(packet.gso) |
                                      (packet.gso_ecn == pipeline::GsoEcn::yes ? kVnetGsoEcn : 0U));
        header.gso_size = packet.gso_size;
        std::uint32_t headers = packet.hdr_len;
        if (packet.checksum == pipeline::Checksum::partial) headers = headers_size(packet);
        header.hdr_len = static_cast<std::uint16_t>(std::min(headers, packet.first_size));
    }
    return header;
}

bool insert_vlan_tag(pipeline::Packet& packet, std::uint16_t tpid, std::uint16_t tci) noexcept {
    if (packet.first_size < kAddresses || !packet.prepend(kTagSize)) return false;
    std::memmove(packet.data, packet.data + kTagSize, kAddresses);
    store_be<std::uint16_t>(packet.data + kAddresses, tpid);
    store_be<std::uint16_t>(packet.data + kAddresses + 2, tci);
    return true;
}

}  // namespace raicho::io
