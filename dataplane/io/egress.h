// SPDX-License-Identifier: Apache-2.0
// The egress queues of a port as the workers share them: one short lock around EgressQueues, held
// while packets are given to the device too, so that a queue's packets keep their order. Whoever
// puts packets in, or finds some left, takes out what is due. Ports without queues have none.
#pragma once

#include <atomic>
#include <cstdint>

#include "dataplane/io/buffers.h"
#include "dataplane/io/egress_queues.h"

namespace raicho::io {

/// How many buffers all queues of all ports may hold, so that receiving never starves.
class EgressRoom {
  public:
    EgressRoom(std::uint32_t small, std::uint32_t large) : small_(small), large_(large) {}
    /// Whether there was room for the packet.
    [[nodiscard]] bool take(const Packet& packet) noexcept;
    void give(const Packet& packet) noexcept;

  private:
    [[nodiscard]] std::atomic<std::int64_t>& of(const Packet& packet) noexcept {
        return packet.size > kFirstBytes ? large_ : small_;
    }
    std::atomic<std::int64_t> small_;
    std::atomic<std::int64_t> large_;
};

class Egress {
  public:
    explicit Egress(EgressRoom& room) : room_(room) {}
    /// Frees what waits; no worker uses it any more.
    ~Egress();
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    /// Control thread.
    void configure(const shm::QueuePlan& plan, std::uint64_t link_bps, std::uint64_t now_ns);

    /// The queues for as long as it lives.
    class Held {
      public:
        explicit Held(Egress& egress) noexcept : egress_(egress) {
            while (egress_.busy_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
        }
        ~Held() { egress_.busy_.clear(std::memory_order_release); }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

        /// False: no room, the packet stays the caller's.
        [[nodiscard]] bool offer(Packet* packet, std::uint64_t now_ns) noexcept;
        [[nodiscard]] std::optional<EgressQueues::Sent> take(std::uint64_t now_ns) noexcept;
        [[nodiscard]] const EgressQueues& queues() const noexcept { return egress_.queues_; }

      private:
        Egress& egress_;
    };

  private:
    EgressRoom& room_;
    std::atomic_flag busy_;
    EgressQueues queues_;
};

}  // namespace raicho::io
