// SPDX-License-Identifier: Apache-2.0
// Where a worker's packet sockets and taps receive into: a set of slots, each a small buffer for
// the frame's beginning and a large one for the rest of a 64 kB frame. Shared by all queues of one
// worker, because frames leave it before the next queue is read.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/io/buffers.h"
#include "dataplane/io/vnet_header.h"

namespace raicho::io {

/// Frames of one burst.
inline constexpr std::size_t kBurst = 32;

class ReceiveSet {
  public:
    explicit ReceiveSet(const Buffers& buffers);
    ReceiveSet(const ReceiveSet&) = delete;  // iovecs point into it
    ReceiveSet& operator=(const ReceiveSet&) = delete;
    ~ReceiveSet();

    /// Fills the empty slots; the first `n` returned are ready. Less than kBurst = no memory.
    std::size_t refill() noexcept;

    /// vnet header, first buffer, large buffer when there is one.
    [[nodiscard]] std::span<iovec> vectors(std::size_t slot) noexcept {
        return {slots_[slot].vectors.data(), slots_[slot].large != nullptr ? 3U : 2U};
    }
    [[nodiscard]] const VnetHeader& header(std::size_t slot) const noexcept {
        return slots_[slot].header;
    }
    /// The frame of `size` bytes (without vnet header) that lies in the slot, as a packet with its
    /// offload fields; the slot becomes empty. nullptr: the vnet header is damaged, the slot keeps
    /// its buffers.
    [[nodiscard]] Packet* take(std::size_t slot, std::size_t size, PortSlot in_port) noexcept;

    /// Ready-made message heads over the slots, for recvmmsg.
    struct Message {
        alignas(cmsghdr) std::array<std::byte, 64> control;
    };
    [[nodiscard]] std::array<mmsghdr, kBurst>& messages() noexcept { return messages_; }
    [[nodiscard]] Message& message(std::size_t slot) noexcept { return controls_[slot]; }

  private:
    struct Slot {
        VnetHeader header;
        rte_mbuf* first = nullptr;
        rte_mbuf* large = nullptr;
        std::array<iovec, 3> vectors{};
    };
    const Buffers& buffers_;
    std::array<Slot, kBurst> slots_;
    std::array<mmsghdr, kBurst> messages_{};
    std::array<Message, kBurst> controls_{};
    std::size_t ready_ = 0;  // slots before it are full
};

}  // namespace raicho::io
