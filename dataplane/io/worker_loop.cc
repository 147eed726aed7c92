// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/worker_loop.h"

#include <rte_cycles.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace raicho::io {
namespace {

/// epoll data of the two event descriptors; queues have their index.
constexpr std::uint64_t kEvent = ~std::uint64_t{0};
constexpr std::size_t kEvents = 64;

constexpr std::uint64_t kSecond = 1'000'000'000;
/// The clock is read this often while packets run.
constexpr std::uint64_t kClockStep = 50'000;
/// Polling goes on this long after the last packet. Short: on a small machine the peer needs the
/// core more than we do, and epoll wakes us within 30 us.
constexpr std::uint64_t kSpin = 20'000;
/// Queues without descriptor are looked at after sleeps that grow from the first to the second.
constexpr std::uint64_t kShortSleep = 50'000;
constexpr std::uint64_t kLongSleep = 1'000'000;
/// With descriptors only: the heartbeat, and an attach that nobody rang for.
constexpr std::uint64_t kIdleSleep = kSecond / 10;
/// What waking up takes.
constexpr std::uint64_t kWakeUp = 30'000;
constexpr std::uint64_t kDiscoverEvery = 8;
constexpr std::uint64_t kPhasesEvery = 64;
constexpr int kPacketOuts = 32;

void drain(int event) {
    std::uint64_t count = 0;
    if (event >= 0) [[maybe_unused]]
        const ssize_t size = ::read(event, &count, sizeof count);
}

}  // namespace

WorkerLoop::WorkerLoop(Worker& worker)
    : worker_(worker),
      arena_(worker.arena_),
      id_(worker.settings_.id),
      io_(arena_, id_, worker.buffers_),
      pipeline_(arena_, id_, io_),
      set_(worker.buffers_),
      reader_(arena_.reader(id_)),
      packet_outs_(arena_.packet_out(id_)),
      clock_step_tsc_(rte_get_tsc_hz() / (kSecond / kClockStep)),
      spin_tsc_(rte_get_tsc_hz() / (kSecond / kSpin)) {}

void WorkerLoop::run() noexcept {
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    while (!worker_.stop_.load(std::memory_order_relaxed)) {
        if (const WorkerView* next = worker_.next_.load(std::memory_order_acquire); next != view_)
            adopt(*next);
        if (view_ == nullptr) {
            sleep();
            continue;
        }
        const std::uint64_t tsc = read_clock();
        if (now_ns_ >= next_housekeeping_ns_) housekeeping();
        if (loops_++ % kPhasesEvery == 0) follow_phases();
        Work work = poll_queues();
        if (run_packet_outs() == Work::some) work = Work::some;
        io_.finish_burst();
        if (io_.has_backlog()) next_due_ns_ = io_.run_backlog();
        reader_.quiescent();
        shm::WorkerWords& words = arena_.worker_words(id_);
        if (work == Work::some) {
            work_tsc_ = tsc;
            polled_sleep_ns_ = kShortSleep;
            words.bursts.store(words.bursts.load(std::memory_order_relaxed) + 1,
                               std::memory_order_relaxed);
            if (loops_ % kDiscoverEvery == 0) discover(0);
            continue;
        }
        words.empty_polls.store(words.empty_polls.load(std::memory_order_relaxed) + 1,
                                std::memory_order_relaxed);
        discover(0);
        if (count_of(Queue::State::hot) == n_always_ && tsc - work_tsc_ > spin_tsc_ &&
            worker_.settings_.idle == shm::IdleProfile::balanced)
            sleep();
    }
    reader_.offline();
}

std::uint64_t WorkerLoop::read_clock() noexcept {
    const std::uint64_t tsc = rte_rdtsc();
    if (tsc - clock_tsc_ >= clock_step_tsc_) {
        clock_tsc_ = tsc;
        now_ns_ = monotonic_ns();
    }
    return tsc;
}

void WorkerLoop::adopt(const WorkerView& view) noexcept {
    // not before the first view: until then it passes no quiescent point that others wait for
    if (view_ == nullptr) {
        reader_.online();
        watch(worker_.event_.get(), kEvent);
    } else {
        for (const Queue& queue : queues_)
            if (queue.watched()) forget(queue.rx.queue->fd());
        forget(view_->wake_event);
    }
    view_ = &view;
    io_.adopt(view);
    queues_.clear();
    for (const WorkerView::Rx& rx : view.rx) queues_.push_back({.rx = rx});
    n_in_state_ = {queues_.size(), 0, 0};
    n_polled_ = n_always_ = 0;
    // without it packet-outs are seen after a short sleep
    if (view.wake_event >= 0 && watch(view.wake_event, kEvent) == Watched::no) ++n_polled_;
    follow_phases();
    // pairs with Worker::wait_adopted(): nothing of an older view is used from here on
    worker_.adopted_.store(view.generation, std::memory_order_release);
}

bool WorkerLoop::attached(const Queue& queue) const noexcept {
    // pairs with the agent's one store that attaches or detaches
    return arena_.wanted_port(queue.rx.slot).phase.load(std::memory_order_acquire) ==
           shm::PortPhase::attached;
}

void WorkerLoop::change(Queue& queue, Queue::State state) noexcept {
    --n_in_state_[static_cast<std::size_t>(queue.state)];
    ++n_in_state_[static_cast<std::size_t>(state)];
    queue.state = state;
}

WorkerLoop::Watched WorkerLoop::watch(int descriptor, std::uint64_t data) noexcept {
    epoll_event entry{.events = EPOLLIN, .data = {.u64 = data}};
    const int result = ::epoll_ctl(worker_.epoll_.get(), EPOLL_CTL_ADD, descriptor, &entry);
    return result == 0 ? Watched::yes : Watched::no;
}

void WorkerLoop::forget(int descriptor) noexcept {
    ::epoll_ctl(worker_.epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void WorkerLoop::follow_phases() noexcept {
    using enum Queue::State;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        Queue& queue = queues_[i];
        const bool wanted = attached(queue);
        if (wanted == (queue.state != detached)) continue;
        if (wanted) {
            queue.wait = queue.rx.queue->wait();
            // no room for one more descriptor (fs.epoll.max_user_watches): it is looked at instead
            if (queue.wait != RxQueue::Wait::poll && watch(queue.rx.queue->fd(), i) == Watched::no)
                queue.wait = RxQueue::Wait::poll;
        } else if (queue.watched()) {
            forget(queue.rx.queue->fd());
        }
        const std::size_t step = wanted ? 1 : ~std::size_t{0};
        if (queue.wait == RxQueue::Wait::poll) n_polled_ += step;
        if (queue.wait != RxQueue::Wait::descriptor) n_always_ += step;
        // hot at first: packets may have come before it was watched
        change(queue, wanted ? hot : detached);
    }
}

WorkerLoop::Work WorkerLoop::poll_queues() noexcept {
    Work work = Work::none;
    if (count_of(Queue::State::hot) == 0) return work;
    for (Queue& queue : queues_) {
        if (queue.state != Queue::State::hot) continue;
        if (poll(queue) != 0)
            work = Work::some;
        else if (queue.wait == RxQueue::Wait::descriptor)
            change(queue, Queue::State::watched);
    }
    return work;
}

std::size_t WorkerLoop::poll(Queue& queue) noexcept {
    if (!attached(queue)) return 0;
    std::array<Packet*, pipeline::kMaxBurst> burst;
    RxTally tally;
    const std::size_t n = queue.rx.queue->receive(set_, burst, tally);
    count(queue.rx.slot, tally);
    if (n == 0) return tally.errors + tally.dropped;  // lost ones were work too
    shm::PortCounters& counters = arena_.port_counters(id_, queue.rx.slot);
    std::uint64_t bytes = 0;
    for (const Packet* packet : std::span(burst).first(n)) bytes += packet->size;
    counters.rx_packets += n;
    counters.rx_bytes += bytes;
    pipeline_.run(queue.rx.slot, std::span(burst).first(n), now_ns_);
    io_.finish_burst();
    return n;
}

WorkerLoop::Work WorkerLoop::run_packet_outs() noexcept {
    Work work = Work::none;
    for (int i = 0; i < kPacketOuts; ++i) {
        const std::span<const std::byte> record = packet_outs_.front();
        if (record.empty()) break;
        work = Work::some;
        shm::PacketOutHead head;
        if (record.size() >= sizeof head) {
            std::memcpy(&head, record.data(), sizeof head);
            const std::span<const std::byte> rest = record.subspan(sizeof head);
            const std::size_t need = std::size_t{head.program_size} + head.data_size;
            Packet* frame = need <= rest.size() ? io_.alloc(head.data_size) : nullptr;
            if (frame == nullptr) {
                pipeline_.refuse_packet_out(head, need <= rest.size()
                                                      ? shm::DropReason::clone_failed
                                                      : shm::DropReason::bad_packet_out);
            } else {
                const auto bytes = rest.subspan(head.program_size, head.data_size);
                std::memcpy(frame->data, bytes.data(), bytes.size());
                const bool grown = frame->append(static_cast<std::uint16_t>(bytes.size()));
                ASSERT(grown);
                settle(frame);
                pipeline_.packet_out(head, rest.first(head.program_size), frame, now_ns_);
                io_.finish_burst();
            }
        }
        packet_outs_.pop();  // only now: a barrier waits for it
    }
    return work;
}

void WorkerLoop::discover(std::uint64_t timeout_ns) noexcept {
    if (timeout_ns == 0 && count_of(Queue::State::watched) == 0) return;
    std::array<epoll_event, kEvents> events;
    const timespec timeout{.tv_sec = static_cast<time_t>(timeout_ns / kSecond),
                           .tv_nsec = static_cast<long>(timeout_ns % kSecond)};
    const int n = ::epoll_pwait2(worker_.epoll_.get(), events.data(), kEvents, &timeout, nullptr);
    for (int i = 0; i < n; ++i) {
        const std::uint64_t index = events[static_cast<std::size_t>(i)].data.u64;
        if (index == kEvent) {
            drain(worker_.event_.get());
            drain(view_->wake_event);
        } else if (Queue& queue = queues_[index]; queue.state == Queue::State::watched) {
            change(queue, Queue::State::hot);
        }
    }
}

WorkerLoop::Work WorkerLoop::pending() noexcept {
    const bool some = !packet_outs_.empty() || worker_.stop_.load(std::memory_order_relaxed) ||
                      worker_.next_.load(std::memory_order_acquire) != view_;
    return some ? Work::some : Work::none;
}

void WorkerLoop::sleep() noexcept {
    if (view_ == nullptr) {  // at the very start: the first view comes at once
        ::usleep(100);
        return;
    }
    std::uint64_t timeout = kIdleSleep;
    if (io_.has_backlog()) {  // it wakes up when a queue may send again
        const std::uint64_t now = monotonic_ns();
        if (next_due_ns_ <= now + kWakeUp) return;
        timeout = std::min(timeout, next_due_ns_ - now - kWakeUp);
    }
    if (n_polled_ != 0) {
        const std::uint64_t step = std::clamp(polled_sleep_ns_, kShortSleep, kLongSleep);
        timeout = std::min(timeout, step);
        polled_sleep_ns_ = step * 2;
    }
    // a packet that comes between the last look and arm() would wait for the next one: look again
    Work late = Work::none;
    for (Queue& queue : queues_) {
        if (queue.state != Queue::State::hot) continue;
        queue.rx.queue->arm();
        if (queue.wait == RxQueue::Wait::interrupt && poll(queue) != 0) late = Work::some;
    }
    reader_.offline();
    shm::WorkerWords& words = arena_.worker_words(id_);
    words.sleeping.store(1, std::memory_order_relaxed);
    // pairs with the agent's and the control thread's fence between their store and their look at
    // `sleeping`: either they see it and write the event, or we see what they stored
    std::atomic_thread_fence(std::memory_order_seq_cst);
    follow_phases();
    const bool new_queue = count_of(Queue::State::hot) != n_always_;
    if (late == Work::none && pending() == Work::none && !new_queue) discover(timeout);
    words.sleeping.store(0, std::memory_order_relaxed);
    reader_.online();
    for (Queue& queue : queues_)
        if (queue.state == Queue::State::hot) queue.rx.queue->disarm();
    follow_phases();
    now_ns_ = monotonic_ns();
    clock_tsc_ = rte_rdtsc();
    words.heartbeat_ns.store(now_ns_, std::memory_order_relaxed);
}

void WorkerLoop::housekeeping() noexcept {
    next_housekeeping_ns_ = now_ns_ + kSecond;
    arena_.worker_words(id_).heartbeat_ns.store(now_ns_, std::memory_order_relaxed);
    for (Queue& queue : queues_) {
        if (queue.state == Queue::State::detached) continue;
        RxTally tally;
        queue.rx.queue->collect(tally);
        count(queue.rx.slot, tally);
    }
}

void WorkerLoop::count(PortSlot slot, const RxTally& tally) noexcept {
    if (tally.dropped + tally.errors == 0) return;
    shm::PortCounters& counters = arena_.port_counters(id_, slot);
    counters.rx_dropped += tally.dropped;
    counters.rx_errors += tally.errors;
    shm::DropCounters& drops = arena_.drop_counters(id_, slot);
    drops[shm::DropReason::rx_full] += tally.dropped;
    drops[shm::DropReason::rx_error] += tally.errors;
}

}  // namespace raicho::io
