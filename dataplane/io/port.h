// SPDX-License-Identifier: Apache-2.0
// A port as the workers see it: queues to receive from and to send to, and its state as an output.
// Each kind (af_packet_port.h, tap_port.h, null_port.h, ethdev_port.h) opens itself from its
// settings; port_table.h owns them. Calls on a queue come from one worker, the rest from control.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/addr.h"
#include "base/error.h"
#include "base/ids.h"
#include "dataplane/io/buffers.h"
#include "dataplane/pipeline/packet_io.h"
#include "shm/port.h"

namespace raicho::io {

class ReceiveSet;

/// What a receive did besides the packets it gave.
struct RxTally {
    std::uint64_t dropped = 0;  // by the kernel's queue or for lack of buffers
    std::uint64_t errors = 0;   // damaged frames
};

/// What became of the packets of a send.
struct TxTally {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t full = 0;     // the queue stayed full
    std::uint64_t too_big = 0;  // the device refused the size
    std::uint64_t down = 0;     // the device is down
    std::uint64_t errors = 0;   // refused otherwise
};

/// One receive queue, read by one worker.
class RxQueue {
  public:
    virtual ~RxQueue() = default;
    /// Packets into the front of `out`, which has room for kBurst at least; returns how many.
    virtual std::size_t receive(ReceiveSet& set, std::span<Packet*> out,
                                RxTally& tally) noexcept = 0;
    /// How a worker with nothing to do learns of packets.
    enum class Wait : std::uint8_t {
        poll,        // it must look
        descriptor,  // fd() is readable while there are some
        interrupt,   // fd() becomes readable once after arm()
    };
    [[nodiscard]] virtual Wait wait() const noexcept = 0;
    /// What to wait on, -1 for Wait::poll.
    [[nodiscard]] virtual int fd() const noexcept = 0;
    /// Called before and after the worker blocks; for interrupts.
    virtual void arm() noexcept {}
    virtual void disarm() noexcept {}
    /// Called about once a second: kernel statistics of the queue.
    virtual void collect(RxTally&) noexcept {}
};

/// One way out, used by one worker.
class TxQueue {
  public:
    virtual ~TxQueue() = default;
    /// Takes all packets (settled), whatever becomes of them.
    virtual void send(std::span<Packet* const> packets, TxTally& tally) noexcept = 0;
};

/// A port's state, as written into its PortStatus row.
struct PortState {
    shm::PortHealth health = shm::PortHealth::closed;
    std::uint32_t ifindex = 0;
    std::uint32_t mtu = 0;
    std::uint32_t speed_mbps = 0;
    Mac mac;
    std::string text;
};

/// What every kind is opened from: a copy of the wanted row.
struct PortSettings {
    PortSlot slot;
    shm::PortKind kind{};
    std::string name;
    std::string device;
    std::uint32_t mtu = 0;     // 0 = leave as it is
    std::uint16_t queues = 0;  // 0 = automatic
    std::optional<Mac> mac;
    enum class Force : std::uint8_t { no, yes } force = Force::no;
    std::uint32_t generation = 0;  // of the row; odd: the agent was writing mac and addresses
};

class Port {
  public:
    virtual ~Port() = default;
    /// One for each receive queue, in any order of workers.
    [[nodiscard]] virtual std::span<const std::unique_ptr<RxQueue>> rx() const noexcept = 0;
    /// One a worker.
    [[nodiscard]] virtual TxQueue& tx(WorkerId worker) noexcept = 0;

    [[nodiscard]] pipeline::PortView view() const noexcept {
        return {.mtu = mtu_.load(std::memory_order_relaxed),
                .link = link_.load(std::memory_order_relaxed),
                .offload = offload_};
    }
    /// Control thread: what the workers' next burst sees.
    void follow(std::uint32_t mtu, pipeline::Link link) noexcept {
        mtu_.store(mtu, std::memory_order_relaxed);
        link_.store(link, std::memory_order_relaxed);
    }

  protected:
    explicit Port(pipeline::Offload offload) : offload_(offload) {}

  private:
    std::atomic<std::uint32_t> mtu_{0};
    std::atomic<pipeline::Link> link_{pipeline::Link::down};
    const pipeline::Offload offload_;
};

}  // namespace raicho::io
