// SPDX-License-Identifier: Apache-2.0
// What runs inside a worker's thread: the polling order of its queues, the burst, the idle wait.
// Queues with a descriptor are polled while they give packets and watched by epoll otherwise, so
// that 256 quiet ports cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/handle.h"
#include "dataplane/io/receive_set.h"
#include "dataplane/io/worker.h"
#include "dataplane/io/worker_io.h"
#include "dataplane/pipeline/pipeline.h"

namespace raicho::io {

class WorkerLoop {
  public:
    explicit WorkerLoop(Worker& worker);
    /// Until the worker is told to stop.
    void run() noexcept;

  private:
    /// A queue as the loop sees it.
    struct Queue {
        WorkerView::Rx rx;
        enum class State : std::uint8_t {
            detached,  // its port is in no bridge: not read
            watched,   // epoll tells when there is something
            hot,       // polled
        } state = State::detached;
        /// While it is attached: how the loop learns of its packets.
        RxQueue::Wait wait = RxQueue::Wait::poll;
        [[nodiscard]] bool watched() const noexcept {
            return state != State::detached && wait != RxQueue::Wait::poll;
        }
    };
    enum class Watched : std::uint8_t { no, yes };
    enum class Work : std::uint8_t { none, some };

    void adopt(const WorkerView& view) noexcept;
    /// Follows the phases of the ports: attached ones are watched or polled, others left alone.
    void follow_phases() noexcept;
    void change(Queue& queue, Queue::State state) noexcept;
    [[nodiscard]] std::size_t count_of(Queue::State state) const noexcept {
        return n_in_state_[static_cast<std::size_t>(state)];
    }
    /// Adds a descriptor to what the idle worker waits for; no: the kernel has no room for it.
    Watched watch(int descriptor, std::uint64_t data) noexcept;
    void forget(int descriptor) noexcept;
    [[nodiscard]] bool attached(const Queue& queue) const noexcept;
    [[nodiscard]] Work poll_queues() noexcept;
    [[nodiscard]] std::size_t poll(Queue& queue) noexcept;
    [[nodiscard]] Work run_packet_outs() noexcept;
    /// Marks queues hot that epoll reports within the timeout.
    void discover(std::uint64_t timeout_ns) noexcept;
    /// Whether something came while the worker was making up its mind to sleep.
    [[nodiscard]] Work pending() noexcept;
    void sleep() noexcept;
    /// Keeps now_ns_ in step; returns the TSC.
    std::uint64_t read_clock() noexcept;
    void housekeeping() noexcept;
    void count(PortSlot slot, const RxTally& tally) noexcept;

    Worker& worker_;
    shm::DataplaneArena& arena_;
    const WorkerId id_;
    WorkerIo io_;
    pipeline::Pipeline<WorkerIo> pipeline_;
    ReceiveSet set_;
    shm::QsbrReader reader_;
    shm::RingConsumer packet_outs_;
    const WorkerView* view_ = nullptr;
    std::vector<Queue> queues_;
    std::array<std::size_t, 3> n_in_state_{};  // queues by State
    std::size_t n_polled_ = 0;                 // attached queues that cannot be waited for
    std::size_t n_always_ = 0;                 // those and the ones with interrupts: always hot
    std::uint64_t loops_ = 0;
    std::uint64_t now_ns_ = 0;
    std::uint64_t clock_tsc_ = 0;  // when now_ns_ was read
    std::uint64_t work_tsc_ = 0;   // when there last was something to do
    std::uint64_t clock_step_tsc_, spin_tsc_;
    std::uint64_t next_housekeeping_ns_ = 0;
    std::uint64_t polled_sleep_ns_ = 0;
    std::uint64_t next_due_ns_ = 0;  // of the egress queues with a backlog
};

}  // namespace raicho::io
