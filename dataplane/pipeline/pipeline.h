// SPDX-License-Identifier: Apache-2.0
// The way of a packet through a bridge (house.md §3, OF 1.3.5 §5.1): a burst from one port is
// parsed, looked up table by table and put out, to the end, by one worker. It knows packets
// through PacketIo only. One Pipeline per worker; nothing in it is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "dataplane/pipeline/packet.h"
#include "dataplane/pipeline/packet_io.h"
#include "shm/packet_record.h"

namespace raicho::shm {
class DataplaneArena;
}

namespace raicho::pipeline {

/// Most packets of one run().
inline constexpr std::size_t kMaxBurst = 64;

/// Takes no notice: the production sink. A recording one explains what a packet met.
struct NullSink {};

template <PacketIo Io, class Sink = NullSink>
class Pipeline {
  public:
    /// Borrows all of them for its life. `worker` names the counters and rings it writes.
    Pipeline(shm::DataplaneArena& arena, WorkerId worker, Io& io, Sink sink = {}) noexcept;

    /// Takes up to kMaxBurst packets received on `ingress` and forwards, keeps or frees every one
    /// before it returns; what goes out was given to io.send(). `tick` is CLOCK_MONOTONIC in
    /// 1/8 s. rx counters of the port are io's, drops, table and flow counters are counted here.
    void run(PortSlot ingress, std::span<Packet* const> burst, std::uint32_t tick) noexcept;

    /// Runs a packet-out record: `program` is head.program_size bytes of Op words. Takes `frame`,
    /// which holds the head.data_size bytes, with in_port kNoSlot.
    void packet_out(const shm::PacketOutHead& head, std::span<const std::byte> program,
                    Packet* frame, std::uint32_t tick) noexcept;
};

}  // namespace raicho::pipeline
