// SPDX-License-Identifier: Apache-2.0
// Frames on their way to the kernel: each a vnet header and the segments of its chain as an iovec
// list. Packet sockets hand over a batch of them, taps one by one.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>

#include "dataplane/io/buffers.h"
#include "dataplane/io/port.h"
#include "dataplane/io/vnet_header.h"
#include "dataplane/pipeline/pipeline.h"

namespace raicho::io {

/// Most packets a worker collects for one port before it sends.
inline constexpr std::size_t kTxBatch = pipeline::kMaxBurst;

/// A batch of frames in the form of sendmmsg. Not copyable: the heads point into it.
class VnetBatch {
  public:
    VnetBatch() = default;
    VnetBatch(const VnetBatch&) = delete;
    VnetBatch& operator=(const VnetBatch&) = delete;

    /// Describes the packets from the front until the batch is full; returns how many.
    std::size_t fill(std::span<Packet* const> packets) noexcept;
    [[nodiscard]] std::span<mmsghdr> messages() noexcept { return {messages_.data(), n_}; }

  private:
    static constexpr std::size_t kVectors = 512;
    std::array<VnetHeader, kTxBatch> headers_;
    std::array<iovec, kVectors> vectors_;
    std::array<mmsghdr, kTxBatch> messages_;
    std::size_t n_ = 0;
};

/// Counts one packet the kernel refused with `code`.
void count_refusal(int code, TxTally& tally) noexcept;

}  // namespace raicho::io
