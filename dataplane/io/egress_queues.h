// SPDX-License-Identifier: Apache-2.0
// The queues of one port and who of them sends next (OF 1.3.5 §7.2.2): guaranteed rates first, then
// strict priority, equal priorities by weight; no queue above its limit, the port not above its
// speed. Pure: packets are only pointers, the time is given. Neighbour: egress.h shares it among
// workers. DPDK's librte_sched has fixed pipes and classes and no queue ids: it does not fit.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "dataplane/pipeline/packet.h"
#include "shm/meter.h"
#include "shm/queue.h"

namespace raicho::io {

using pipeline::Packet;

class EgressQueues {
  public:
    /// One place a queue of the arena's row, and the last for packets without one: of priority 0
    /// and weight 1, without rates.
    static constexpr std::size_t kPlaces = shm::kPortQueues + 1;
    static constexpr std::size_t kOtherPlace = shm::kPortQueues;
    /// Packets that wait in one queue at most.
    static constexpr std::size_t kLength = 512;
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    EgressQueues();

    /// What the port has from now on; `link_bps` counts where the plan has no rate for the port, 0
    /// = no limit. Packets that wait stay in their place.
    void configure(const shm::QueuePlan& plan, std::uint64_t link_bps, std::uint64_t now_ns);

    /// False: its queue is full, or (place_of) unused; the packet stays the caller's.
    [[nodiscard]] bool offer(Packet* packet, std::uint64_t now_ns);
    [[nodiscard]] std::size_t place_of(std::uint32_t queue) const;

    struct Sent {
        Packet* packet = nullptr;
        std::size_t place = 0;
    };
    /// The next packet that may leave now.
    [[nodiscard]] std::optional<Sent> take(std::uint64_t now_ns);
    /// When take() may have something, kNever when nothing waits.
    [[nodiscard]] std::uint64_t due_ns(std::uint64_t now_ns) const;
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Takes out a packet that waits, due or not; nullptr when there is none.
    [[nodiscard]] Packet* take_any();

  private:
    /// A rate: the virtual time (shm/meter.h) up to which it is used.
    struct Pace {
        std::uint64_t cost = 0;  // of a byte, 2^-16 of virtual time; 0 = no rate
        shm::MeterTime spent = 0;

        void set(std::uint64_t bps, shm::MeterTime now);
        [[nodiscard]] bool ready(shm::MeterTime now) const {
            return cost == 0 || static_cast<std::int64_t>(now - spent) >= 0;
        }
        /// Of what was not used until `then` little is left.
        void forget(shm::MeterTime then);
        void charge(shm::MeterTime now, std::uint64_t bytes);
        /// As charge(), but what is sent beyond the rate leaves no debt: for guarantees.
        void charge_capped(shm::MeterTime now, std::uint64_t bytes);
    };
    struct Queue {
        std::uint32_t id = shm::kNoQueue;
        std::uint32_t priority = 0;
        std::uint32_t weight = 1;
        Pace floor;    // guaranteed
        Pace ceiling;  // limit
        // Start-time fair queueing among equal priorities: where the queue stands, by its weight,
        // and where those stand that are served now. Who could not send for a while begins there.
        std::uint64_t share = 0;
        std::uint64_t clock = 0;
        std::size_t first = 0, n = 0;
        [[nodiscard]] std::uint64_t start() const { return share > clock ? share : clock; }
        std::unique_ptr<std::array<Packet*, kLength>> ring;
    };
    /// Rates keep a short burst of the time in which there was nothing to send, or another queue's
    /// turn; and all of the time in which packets were due and nobody asked.
    void forget_until(std::uint64_t now_ns);
    [[nodiscard]] static std::uint64_t ns_of(shm::MeterTime time, shm::MeterTime now,
                                             std::uint64_t now_ns);
    template <class Fits, class Better>
    [[nodiscard]] std::optional<std::size_t> best(const Fits& fits, const Better& better) const;
    [[nodiscard]] Packet* pop(std::size_t place);

    std::array<Queue, kPlaces> queues_;
    std::uint32_t waiting_ = 0;  // places with packets
    std::size_t size_ = 0;
    Pace port_;
    std::uint64_t asked_ns_ = 0;  // when take() was called last
    std::uint64_t due_ns_ = 0;    // from when on it had something
};

}  // namespace raicho::io
