// SPDX-License-Identifier: Apache-2.0
// The memory of packets: one pool of small buffers for all port kinds, one of large ones for the
// tail of 64 kB frames, and the way between an mbuf and the pipeline's Packet in its private area.
#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/error.h"
#include "dataplane/pipeline/packet.h"

namespace raicho::io {

using pipeline::Packet;

/// Room in front of a received frame: kHeadroom is left even after a VLAN tag was put back.
inline constexpr std::uint16_t kRxHeadroom = 192;
/// Bytes of a frame in its first buffer; above this a large buffer takes the rest.
inline constexpr std::uint16_t kFirstBytes = 2048;
inline constexpr std::uint16_t kSmallRoom = kRxHeadroom + kFirstBytes;
inline constexpr std::uint16_t kLargeRoom = 0xffc0;
inline constexpr std::uint16_t kPrivateSize = 64;
static_assert(sizeof(Packet) <= kPrivateSize);
static_assert(kRxHeadroom >= pipeline::kHeadroom + 4);

/// The mbuf whose private area holds `packet`.
[[nodiscard]] inline rte_mbuf* mbuf_of(Packet* packet) noexcept {
    return reinterpret_cast<rte_mbuf*>(packet) - 1;
}
[[nodiscard]] inline const rte_mbuf* mbuf_of(const Packet* packet) noexcept {
    return reinterpret_cast<const rte_mbuf*>(packet) - 1;
}
[[nodiscard]] inline Packet* packet_of(rte_mbuf* mbuf) noexcept {
    return reinterpret_cast<Packet*>(mbuf + 1);
}

/// Fills the packet of a received mbuf: sizes and rooms from the mbuf, no offload work.
inline void describe(rte_mbuf* mbuf, PortSlot in_port) noexcept {
    *packet_of(mbuf) = Packet{.data = rte_pktmbuf_mtod(mbuf, std::byte*),
                              .size = mbuf->pkt_len,
                              .first_size = mbuf->data_len,
                              .headroom = mbuf->data_off,
                              .tailroom = rte_pktmbuf_tailroom(mbuf),
                              .in_port = in_port};
}
/// Rebuilds the mbuf's offsets and sizes from its packet, which the pipeline edited.
inline void settle(Packet* packet) noexcept {
    rte_mbuf* mbuf = mbuf_of(packet);
    mbuf->data_off = packet->headroom;
    mbuf->data_len = static_cast<std::uint16_t>(packet->first_size);
    mbuf->pkt_len = packet->size;
}

/// How many buffers a dataplane needs.
struct BufferPlan {
    std::uint32_t small = 0;
    std::uint32_t large = 0;
    /// Memory both pools take.
    [[nodiscard]] std::size_t bytes() const;
};
[[nodiscard]] BufferPlan plan_buffers(std::uint32_t workers, std::uint32_t ports,
                                      std::uint32_t ethdevs);

/// Where the buffers lie: in DPDK's huge pages, or in memory of our own where there are none.
/// DPDK's small pages would be touched one by one, a second on a busy machine; ours come at once.
enum class BufferMemory : std::uint8_t { dpdk, own };

/// Owns the two pools. Copies and allocations are safe from any registered worker thread.
class Buffers {
  public:
    static Result<Buffers> create(const BufferPlan& plan, BufferMemory memory);

    [[nodiscard]] rte_mempool* small() const { return small_.get(); }
    [[nodiscard]] rte_mempool* large() const { return large_.get(); }

    /// See PacketIo::alloc.
    [[nodiscard]] Packet* alloc(std::size_t size) const noexcept;
    /// See PacketIo::clone: the first segment is copied, the rest shared.
    [[nodiscard]] Packet* clone(const Packet& packet) const noexcept;
    /// A one-segment copy of a chain, for devices that cannot send chains; nullptr when there is
    /// no buffer. The packet must be settled.
    [[nodiscard]] rte_mbuf* flatten(const rte_mbuf* mbuf) const noexcept;

  private:
    struct FreePool {
        void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
    };
    using Pool = std::unique_ptr<rte_mempool, FreePool>;
    Buffers(Pool small, Pool large) : small_(std::move(small)), large_(std::move(large)) {}

    Pool small_;
    Pool large_;
};

/// Copies bytes from `offset` of the frame on; returns how many there were (PacketIo::read).
std::size_t read_bytes(const Packet& packet, std::size_t offset, std::span<std::byte> out) noexcept;

}  // namespace raicho::io
