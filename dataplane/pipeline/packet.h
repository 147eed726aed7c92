// SPDX-License-Identifier: Apache-2.0
// What the pipeline knows of a packet: where its first bytes lie and which offload work is still
// to be done on it. io keeps this struct in the mbuf's private area, tests in plain memory; no
// DPDK name is known here. Neighbours: packet_io.h is what the pipeline asks of its packets' owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/ids.h"
#include "shm/queue.h"

namespace raicho::pipeline {

/// Least room in front of a received frame: pushed headers and the device's own.
inline constexpr std::size_t kHeadroom = 128;
/// The first segment holds at least this much of a frame, or all of it. Headers are read and
/// edited in the first segment only.
inline constexpr std::size_t kContiguous = 256;
/// Least frame on a wire, without FCS; shorter ones are padded with zeros
/// where they leave, to a port or to the controller.
inline constexpr std::size_t kMinFrame = 60;

/// VIRTIO_NET_HDR_GSO_* of virtio 1.3 §5.1.6.
enum class Gso : std::uint8_t { none = 0, tcp4 = 1, udp = 3, tcp6 = 4, udp_l4 = 5 };

/// Whether the transport checksum is complete or partial: it holds the (not inverted) sum of the
/// pseudo header and the rest is to be summed from csum_start (virtio's NEEDS_CSUM).
enum class Checksum : std::uint8_t { complete = 0, partial = 1 };

/// Whether the packet carries an ECN-marked large TCP frame (VIRTIO_NET_HDR_GSO_ECN).
enum class GsoEcn : std::uint8_t { no = 0, yes = 1 };

/// A frame from its first byte (destination address) on, VLAN tags in place.
///
/// Between rx and send the fields here are the truth: io fills all of them on rx, the pipeline
/// edits the bytes and the fields, and io rebuilds its own descriptor (data offset, first
/// segment's size, total size, vnet header) from them in send().
struct Packet {
    std::byte* data = nullptr;     // first segment
    std::uint32_t size = 0;        // whole frame
    std::uint32_t first_size = 0;  // bytes at `data`; == size when there is one segment
    std::uint16_t headroom = 0;    // free bytes in front of `data`
    std::uint16_t tailroom = 0;    // free bytes behind the first segment
    PortSlot in_port;              // ingress; kNoSlot for a packet-out
    Checksum checksum = Checksum::complete;
    Gso gso = Gso::none;
    std::uint16_t csum_start = 0;   // from `data`; partial only
    std::uint16_t csum_offset = 0;  // from csum_start
    std::uint16_t gso_size = 0;     // payload of each segment
    std::uint16_t hdr_len = 0;      // the sender's hint, headers of each segment
    GsoEcn gso_ecn = GsoEcn::no;
    std::uint32_t queue = shm::kNoQueue;  // set_queue's choice for the ports it leaves by

    [[nodiscard]] std::span<std::byte> first() const noexcept { return {data, first_size}; }
    [[nodiscard]] bool single() const noexcept { return first_size == size; }

    /// Opens `n` bytes in front of the frame; false when the headroom is too small.
    [[nodiscard]] bool prepend(std::uint16_t n) noexcept {
        if (headroom < n) return false;
        data -= n;
        first_size += n;
        size += n;
        headroom = static_cast<std::uint16_t>(headroom - n);
        shift(n);
        return true;
    }
    /// Cuts `n` bytes from the front; `n` must not exceed first_size.
    void trim(std::uint16_t n) noexcept {
        data += n;
        first_size -= n;
        size -= n;
        headroom = static_cast<std::uint16_t>(headroom + n);
        shift(-static_cast<int>(n));
    }
    /// Grows a one-segment frame at its end; false when the tailroom is too small. The new bytes
    /// are not initialised.
    [[nodiscard]] bool append(std::uint16_t n) noexcept {
        if (tailroom < n || !single()) return false;
        first_size += n;
        size += n;
        tailroom = static_cast<std::uint16_t>(tailroom - n);
        return true;
    }

    /// Brings a frame to the least size of a wire with zeros; false when the tailroom is too small.
    [[nodiscard]] bool pad() noexcept {
        if (size >= kMinFrame) [[likely]]
            return true;
        const std::uint32_t had = size;
        if (!append(static_cast<std::uint16_t>(kMinFrame - had))) return false;
        std::memset(data + had, 0, kMinFrame - had);
        return true;
    }

  private:
    /// The offload fields count from `data`: they move with it.
    void shift(int n) noexcept {
        if (checksum == Checksum::partial) csum_start = static_cast<std::uint16_t>(csum_start + n);
        if (gso != Gso::none) hdr_len = static_cast<std::uint16_t>(hdr_len + n);
    }
};
static_assert(sizeof(Packet) == 40 && std::is_trivially_copyable_v<Packet>);

}  // namespace raicho::pipeline
