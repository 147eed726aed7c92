// SPDX-License-Identifier: Apache-2.0
#include "agent/model/timer_wheel.h"

#include <bit>

#include "base/error.h"

namespace raicho::agent {

TimerWheel::TimerWheel(Time now) : base_(now) {
    for (std::uint32_t head = 0; head < heads_.size(); ++head)
        heads_[head].previous = heads_[head].next = kHeadBit | head;
}

void TimerWheel::arm(FlowId flow, Time deadline) {
    const std::uint32_t id = flow.value();
    ASSERT(id < kHeadBit);
    if (pages_.size() <= id / kPage) pages_.resize(id / kPage + 1);
    if (pages_[id / kPage] == nullptr) pages_[id / kPage] = std::make_unique<Page>();
    unlink(id);
    // Rounded up: never early. 2^32 ticks are 17 years.
    at(id).deadline =
        deadline <= base_ ? 0 : static_cast<std::uint32_t>((deadline - base_ + kTick - 1) / kTick);
    link(id);
}

void TimerWheel::disarm(FlowId flow) {
    const std::uint32_t id = flow.value();
    if (id / kPage < pages_.size() && pages_[id / kPage] != nullptr) unlink(id);
}

std::optional<FlowId> TimerWheel::pop_due(Time now) {
    if (now > base_) advance(static_cast<std::uint32_t>((now - base_) / kTick));
    if (empty(kDue)) return std::nullopt;
    const std::uint32_t flow = heads_[kDue].next;
    unlink(flow);
    return FlowId{flow};
}

Time TimerWheel::next() const {
    if (!empty(kDue)) return base_ + now_ * kTick;
    const std::optional<std::uint32_t> tick = next_tick();
    return tick ? base_ + *tick * kTick : kNever;
}

TimerWheel::Links& TimerWheel::at(std::uint32_t link) {
    if ((link & kHeadBit) != 0) return heads_[link & ~kHeadBit];
    return (*pages_[link / kPage])[link % kPage];
}

bool TimerWheel::empty(std::uint32_t head) const {
    return heads_[head].next == (kHeadBit | head);
}

/// Into the slot of the highest digit in which the deadline differs from now.
void TimerWheel::link(std::uint32_t flow) {
    const std::uint32_t deadline = at(flow).deadline;
    if (deadline <= now_) return append(kDue, flow);
    const auto level = static_cast<unsigned>(std::bit_width(deadline ^ now_) - 1) / 8;
    const std::uint32_t slot = (deadline >> (8 * level)) % kSlots;
    used_[level].set(slot);
    append(level * kSlots + slot, flow);
}

void TimerWheel::append(std::uint32_t head, std::uint32_t flow) {
    Links& links = at(flow);
    links.previous = heads_[head].previous;
    links.next = kHeadBit | head;
    at(links.previous).next = flow;
    heads_[head].previous = flow;
}

void TimerWheel::unlink(std::uint32_t flow) {
    Links& links = at(flow);
    if (links.next == kUnlinked) return;
    at(links.previous).next = links.next;
    at(links.next).previous = links.previous;
    links.previous = links.next = kUnlinked;
}

/// Links every flow of a slot anew, nearer to its deadline.
void TimerWheel::spill(std::uint32_t head) {
    used_[head / kSlots].reset(head % kSlots);
    while (!empty(head)) {
        const std::uint32_t flow = heads_[head].next;
        unlink(flow);
        link(flow);
    }
}

void TimerWheel::advance(std::uint32_t tick) {
    if (tick <= now_) return;
    for (std::optional<std::uint32_t> event = next_tick(); event && *event <= tick;
         event = next_tick()) {
        now_ = *event;
        for (unsigned level = kLevels; level-- > 0;) {
            const bool turned = (now_ & ((std::uint64_t{1} << (8 * level)) - 1)) == 0;
            if (turned) spill(level * kSlots + (now_ >> (8 * level)) % kSlots);
        }
    }
    now_ = tick;
}

/// The next tick at which a slot that holds flows is reached. Those of lower levels come first.
std::optional<std::uint32_t> TimerWheel::next_tick() const {
    for (unsigned level = 0; level < kLevels; ++level) {
        for (std::uint32_t slot = (now_ >> (8 * level)) % kSlots + 1; slot < kSlots; ++slot) {
            if (!used_[level].test(slot) || empty(level * kSlots + slot)) continue;
            const std::uint64_t above = ~((std::uint64_t{1} << (8 * (level + 1))) - 1);
            return static_cast<std::uint32_t>(now_ & above) | slot << (8 * level);
        }
    }
    return std::nullopt;
}

}  // namespace raicho::agent
