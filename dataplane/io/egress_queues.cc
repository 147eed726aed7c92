// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/egress_queues.h"

#include <algorithm>

namespace raicho::io {
namespace {

/// What a rate keeps of a time that was not used: its burst.
constexpr shm::MeterTime kDepth = shm::meter_time(10'000'000);
/// What it keeps at most of one in which the worker was late: a busy machine may keep it from its
/// core for long, which must not cost the queue its rate.
constexpr shm::MeterTime kLate = shm::meter_time(250'000'000);
/// A byte of weight 1.
constexpr std::uint64_t kShareOfByte = 1 << 16;

}  // namespace

void EgressQueues::Pace::set(std::uint64_t bps, shm::MeterTime now) {
    constexpr std::uint64_t kOne = std::uint64_t{1} << (shm::kMeterTimeShift + shm::kCostShift);
    const std::uint64_t fresh = bps == 0 ? 0 : (8'000'000'000 * kOne + bps / 2) / bps;
    if (fresh == cost) return;
    cost = fresh;
    spent = now;
}

void EgressQueues::Pace::forget(shm::MeterTime then) {
    if (static_cast<std::int64_t>(then - kDepth - spent) > 0) spent = then - kDepth;
}

void EgressQueues::Pace::charge(shm::MeterTime now, std::uint64_t bytes) {
    if (cost == 0) return;
    __extension__ using Wide = unsigned __int128;
    if (static_cast<std::int64_t>(now - kLate - spent) > 0) spent = now - kLate;
    spent += static_cast<shm::MeterTime>(Wide{cost} * bytes >> shm::kCostShift);
}

void EgressQueues::Pace::charge_capped(shm::MeterTime now, std::uint64_t bytes) {
    const shm::MeterTime before = spent;
    charge(now, bytes);
    if (static_cast<std::int64_t>(before - now) > 0) spent = before;
}

EgressQueues::EgressQueues() {
    queues_[kOtherPlace].ring = std::make_unique<std::array<Packet*, kLength>>();
}

void EgressQueues::configure(const shm::QueuePlan& plan, std::uint64_t link_bps,
                             std::uint64_t now_ns) {
    const shm::MeterTime now = shm::meter_time(now_ns);
    port_.set(plan.max_bps != 0 ? plan.max_bps : link_bps, now);
    for (std::size_t i = 0; i < shm::kPortQueues; ++i) {
        Queue& queue = queues_[i];
        const shm::QueueRow row = plan.n_queues != 0 ? plan.queues[i] : shm::QueueRow{};
        queue.id = row.id;
        queue.priority = row.priority;
        const std::uint64_t by_floor =
            std::clamp<std::uint64_t>(row.min_bps / 1'000'000, 1, 1 << 20);
        queue.weight = row.weight != 0 ? row.weight : static_cast<std::uint32_t>(by_floor);
        // What still waits in a queue that is gone leaves as if it had none.
        queue.floor.set(row.min_bps, now);
        queue.ceiling.set(row.max_bps, now);
        if (row.id != shm::kNoQueue && queue.ring == nullptr)
            queue.ring = std::make_unique<std::array<Packet*, kLength>>();
    }
}

std::size_t EgressQueues::place_of(std::uint32_t id) const {
    if (id == shm::kNoQueue) return kOtherPlace;
    const auto found = std::ranges::find(queues_, id, &Queue::id);
    return found == queues_.end() ? kOtherPlace : static_cast<std::size_t>(found - queues_.begin());
}

bool EgressQueues::offer(Packet* packet, std::uint64_t now_ns) {
    const std::size_t place = place_of(packet->queue);
    Queue& queue = queues_[place];
    if (queue.n == kLength) return false;
    if (queue.n == 0) {
        waiting_ |= 1u << place;
        due_ns_ = std::min(due_ns_, now_ns);
        queue.floor.forget(shm::meter_time(now_ns));
        queue.ceiling.forget(shm::meter_time(now_ns));
    }
    (*queue.ring)[(queue.first + queue.n) % kLength] = packet;
    ++queue.n;
    ++size_;
    return true;
}

void EgressQueues::forget_until(std::uint64_t now_ns) {
    if (now_ns == asked_ns_) return;
    const std::uint64_t since = std::max(asked_ns_, std::min(due_ns_, now_ns));
    asked_ns_ = due_ns_ = now_ns;
    const shm::MeterTime then = shm::meter_time(since);
    port_.forget(then);
    for (Queue& queue : queues_) {
        queue.floor.forget(then);
        queue.ceiling.forget(then);
    }
}

template <class Fits, class Better>
std::optional<std::size_t> EgressQueues::best(const Fits& fits, const Better& better) const {
    std::optional<std::size_t> found;
    for (std::uint32_t bits = waiting_; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        if (fits(queues_[i]) && (!found || better(queues_[i], queues_[*found]))) found = i;
    }
    return found;
}

Packet* EgressQueues::pop(std::size_t place) {
    Queue& queue = queues_[place];
    Packet* packet = (*queue.ring)[queue.first];
    queue.first = (queue.first + 1) % kLength;
    if (--queue.n == 0) waiting_ &= ~(1u << place);
    --size_;
    return packet;
}

std::optional<EgressQueues::Sent> EgressQueues::take(std::uint64_t now_ns) {
    const shm::MeterTime now = shm::meter_time(now_ns);
    forget_until(now_ns);
    const auto nothing = [&]() -> std::optional<Sent> {
        due_ns_ = due_ns(now_ns);
        return std::nullopt;
    };
    if (waiting_ == 0 || !port_.ready(now)) return nothing();
    auto chosen = best(
        [&](const Queue& q) {
            return q.floor.cost != 0 && q.floor.ready(now) && q.ceiling.ready(now);
        },
        [](const Queue& a, const Queue& b) {
            if (a.priority != b.priority) return a.priority > b.priority;
            return static_cast<std::int64_t>(b.floor.spent - a.floor.spent) > 0;
        });
    const bool guaranteed = chosen.has_value();
    if (!guaranteed)
        chosen = best([&](const Queue& q) { return q.ceiling.ready(now); },
                      [](const Queue& a, const Queue& b) {
                          if (a.priority != b.priority) return a.priority > b.priority;
                          return a.start() < b.start();
                      });
    if (!chosen) return nothing();
    Queue& queue = queues_[*chosen];
    Packet* packet = pop(*chosen);
    port_.charge(now, packet->size);
    queue.floor.charge_capped(now, packet->size);
    queue.ceiling.charge(now, packet->size);
    queue.share = queue.start();
    if (!guaranteed)
        for (Queue& q : queues_)
            if (q.priority == queue.priority) q.clock = queue.share;
    queue.share += packet->size * kShareOfByte / queue.weight;
    return Sent{packet, *chosen};
}

std::uint64_t EgressQueues::ns_of(shm::MeterTime time, shm::MeterTime now, std::uint64_t now_ns) {
    const auto ahead = static_cast<std::int64_t>(time - now);
    if (ahead <= 0) return now_ns;
    constexpr std::uint64_t kRoundUp = (1u << shm::kMeterTimeShift) - 1;
    return now_ns + ((static_cast<std::uint64_t>(ahead) + kRoundUp) >> shm::kMeterTimeShift);
}

std::uint64_t EgressQueues::due_ns(std::uint64_t now_ns) const {
    if (waiting_ == 0) return kNever;
    const shm::MeterTime now = shm::meter_time(now_ns);
    const auto at = [&](const Pace& pace) {
        return pace.cost == 0 ? now_ns : ns_of(pace.spent, now, now_ns);
    };
    std::uint64_t soonest = kNever;
    for (std::uint32_t bits = waiting_; bits != 0; bits &= bits - 1)
        soonest = std::min(soonest,
                           at(queues_[static_cast<std::size_t>(std::countr_zero(bits))].ceiling));
    return std::max(soonest, at(port_));
}

Packet* EgressQueues::take_any() {
    if (waiting_ == 0) return nullptr;
    return pop(static_cast<std::size_t>(std::countr_zero(waiting_)));
}

}  // namespace raicho::io
