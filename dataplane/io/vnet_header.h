// SPDX-License-Identifier: Apache-2.0
// The header that packet sockets and tap devices put before each frame (virtio 1.3 §5.1.6, legacy
// form: 10 bytes in the machine's byte order), and the VLAN tag that Linux takes out of it. An own
// struct because <linux/virtio_net.h> does not compile as C++. Pure functions on Packet.
#pragma once

#include <cstdint>
#include <type_traits>

#include "dataplane/pipeline/packet.h"

namespace raicho::io {

inline constexpr std::uint8_t kVnetNeedsCsum = 1;  // VIRTIO_NET_HDR_F_NEEDS_CSUM
inline constexpr std::uint8_t kVnetGsoEcn = 0x80;  // VIRTIO_NET_HDR_GSO_ECN

//  off size field
//    0   1  flags        NEEDS_CSUM 1, DATA_VALID 2
//    1   1  gso_type     VIRTIO_NET_HDR_GSO_*, with the ECN bit
//    2   2  hdr_len      headers of each segment, a hint
//    4   2  gso_size     payload of each segment
//    6   2  csum_start   from the frame's first byte
//    8   2  csum_offset  from csum_start
struct VnetHeader {
    std::uint8_t flags = 0;
    std::uint8_t gso_type = 0;
    std::uint16_t hdr_len = 0;
    std::uint16_t gso_size = 0;
    std::uint16_t csum_start = 0;
    std::uint16_t csum_offset = 0;
    friend bool operator==(const VnetHeader&, const VnetHeader&) = default;
};
static_assert(sizeof(VnetHeader) == 10 && std::has_unique_object_representations_v<VnetHeader>);

enum class VnetOutcome : std::uint8_t {
    fits,
    damaged,  // an offset outside the first segment, a type we do not know
};

/// Puts the header's meaning into the packet's offload fields. On `damaged` the packet is to be
/// dropped.
[[nodiscard]] VnetOutcome read_vnet_header(const VnetHeader& header,
                                           pipeline::Packet& packet) noexcept;

/// The header to give the kernel with this packet. hdr_len is computed from the frame, so that the
/// kernel copies only the headers into the linear part.
[[nodiscard]] VnetHeader make_vnet_header(const pipeline::Packet& packet) noexcept;

/// Puts a tag behind the addresses; the offload fields move with the bytes. False when the frame
/// has no room or is shorter than its addresses.
[[nodiscard]] bool insert_vlan_tag(pipeline::Packet& packet, std::uint16_t tpid,
                                   std::uint16_t tci) noexcept;

}  // namespace raicho::io
