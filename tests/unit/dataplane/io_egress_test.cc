// SPDX-License-Identifier: Apache-2.0
// The egress queues of a port in virtual time: limits, guarantees, priorities, weights.
#include "dataplane/io/egress_queues.h"

#include <gtest/gtest.h>

#include <deque>
#include <initializer_list>
#include <map>
#include <vector>

namespace raicho::io {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMbit = 1'000'000;

/// A port whose queues are kept full while there is traffic for them, and asked for packets all the
/// time or, like a worker that sleeps, every so often.
class Egress : public testing::Test {
  protected:
    struct Wanted {
        std::uint32_t id;
        std::uint16_t priority = 0;
        std::uint16_t weight = 1;
        std::uint64_t min_bps = 0;
        std::uint64_t max_bps = 0;
    };
    void configure(std::initializer_list<Wanted> wanted, std::uint64_t port_bps) {
        shm::QueuePlan plan;
        plan.max_bps = port_bps;
        for (const Wanted& w : wanted)
            plan.queues[plan.n_queues++] = {.id = w.id,
                                            .priority = w.priority,
                                            .weight = w.weight,
                                            .min_bps = w.min_bps,
                                            .max_bps = w.max_bps};
        queues_.configure(plan, 0, now_);
    }
    Packet* packet(std::uint32_t queue, std::uint32_t size) {
        Packet& made = packets_.emplace_back();
        made.queue = queue;
        made.size = size;
        return &made;
    }
    /// Bit/s that leave of each queue id while all of `busy` have as much as they can send.
    std::map<std::uint32_t, double> run(std::initializer_list<std::uint32_t> busy,
                                        std::uint64_t seconds, std::uint64_t step_ns,
                                        std::uint32_t size = 1250) {
        std::map<std::uint32_t, std::uint64_t> bits;
        const std::uint64_t end = now_ + seconds * kSecond;
        for (; now_ < end; now_ += step_ns) {
            for (bool some = true; some;) {  // as many as can be due in a step
                for (const std::uint32_t queue : busy) fill(queue, size);
                const auto sent = queues_.take(now_);
                some = sent.has_value();
                if (!some) break;
                bits[sent->packet->queue] += sent->packet->size * 8;
                --waiting_[sent->packet->queue];
                free_.push_back(sent->packet);
            }
        }
        std::map<std::uint32_t, double> rates;
        for (const auto& [queue, n] : bits)
            rates[queue] = static_cast<double>(n) / static_cast<double>(seconds);
        return rates;
    }
    /// A few wait at all times; the queue's end is not what is tested.
    void fill(std::uint32_t queue, std::uint32_t size) {
        for (std::size_t& n = waiting_[queue]; n < 8; ++n) {
            if (free_.empty()) free_.push_back(packet(queue, size));
            Packet* p = free_.back();
            free_.pop_back();
            p->queue = queue, p->size = size;
            ASSERT_TRUE(queues_.offer(p, now_));
        }
    }

    EgressQueues queues_;
    std::uint64_t now_ = 77 * kSecond;
    std::deque<Packet> packets_;
    std::vector<Packet*> free_;
    std::map<std::uint32_t, std::size_t> waiting_;
};

#define EXPECT_RATE(rate, wanted) EXPECT_NEAR((rate) / double(wanted), 1, 0.01)

TEST_F(Egress, AQueueHoldsItsLimitWhateverTheStep) {
    configure({{1, 0, 1, 0, 10 * kMbit}}, 0);
    EXPECT_RATE(run({1}, 5, 10'000)[1], 10 * kMbit);
    EXPECT_RATE(run({1}, 5, 3'000'000)[1], 10 * kMbit);
    configure({{1, 0, 1, 0, 1'000'000'000}}, 0);
    EXPECT_RATE(run({1}, 1, 50'000)[1], 1'000'000'000);
    configure({{1, 0, 1, 0, 10'000}}, 0);
    EXPECT_RATE(run({1}, 500, 20'000'000)[1], 10'000);
}

TEST_F(Egress, APortHoldsItsSpeedAndTheHigherPriorityGetsItFirst) {
    configure({{1, 1}, {2, 7, 1, 0, 30 * kMbit}}, 100 * kMbit);
    const auto rates = run({1, 2}, 2, 100'000);
    EXPECT_RATE(rates.at(2), 30 * kMbit);
    EXPECT_RATE(rates.at(1), 70 * kMbit);
    configure({{1, 1}, {2, 7}}, 100 * kMbit);
    const auto strict = run({1, 2}, 1, 100'000);
    EXPECT_RATE(strict.at(2), 100 * kMbit);
    EXPECT_EQ(strict.count(1), 0u);
}

TEST_F(Egress, EqualPrioritiesShareByWeight) {
    configure({{1, 3, 1}, {2, 3, 3}, {3, 3, 6}}, 100 * kMbit);
    auto rates = run({1, 2, 3}, 2, 100'000);
    EXPECT_RATE(rates[1], 10 * kMbit);
    EXPECT_RATE(rates[2], 30 * kMbit);
    EXPECT_RATE(rates[3], 60 * kMbit);
    rates = run({1, 3}, 2, 100'000);
    EXPECT_RATE(rates[1], 100 * kMbit / 7.0);
    // who was silent takes its share from now on, and no more
    rates = run({1, 2, 3}, 2, 100'000);
    EXPECT_RATE(rates[2], 30 * kMbit);
}

TEST_F(Egress, WhatALimitKeptBackIsNotMadeUpForLater) {
    configure({{1, 3, 1, 0, 20 * kMbit}, {2, 3, 3, 0, 5 * kMbit}}, 40 * kMbit);
    EXPECT_RATE(run({1, 2}, 3, 100'000)[2], 5 * kMbit);
    configure({{1, 3, 1}, {2, 3, 3}}, 40 * kMbit);
    auto rates = run({1, 2}, 2, 100'000);
    EXPECT_RATE(rates[1], 10 * kMbit);
    EXPECT_RATE(rates[2], 30 * kMbit);
}

TEST_F(Egress, WithoutWeightsTheSpareRateIsSharedAsTheGuaranteesAre) {
    configure({{1, 3, 0, 10 * kMbit}, {2, 3, 0, 30 * kMbit}}, 80 * kMbit);
    auto rates = run({1, 2}, 2, 100'000);
    EXPECT_RATE(rates[1], 20 * kMbit);
    EXPECT_RATE(rates[2], 60 * kMbit);
}

TEST_F(Egress, AGuaranteeComesBeforePriority) {
    configure({{1, 0, 1, 20 * kMbit}, {2, 9}}, 100 * kMbit);
    auto rates = run({1, 2}, 2, 100'000);
    EXPECT_RATE(rates[1], 20 * kMbit);
    EXPECT_RATE(rates[2], 80 * kMbit);
    // what was sent beyond the guarantee while the port was free is not held against it
    rates = run({1}, 2, 100'000);
    EXPECT_RATE(rates[1], 100 * kMbit);
    rates = run({1, 2}, 1, 100'000);
    EXPECT_RATE(rates[1], 20 * kMbit);
}

TEST_F(Egress, WhatNamesNoQueueOfThePortGoesAsPriorityZero) {
    configure({{1, 1}}, 100 * kMbit);
    EXPECT_EQ(queues_.place_of(1), 0u);
    EXPECT_EQ(queues_.place_of(77), EgressQueues::kOtherPlace);
    EXPECT_EQ(queues_.place_of(shm::kNoQueue), EgressQueues::kOtherPlace);
    auto rates = run({1, 77}, 1, 100'000);
    EXPECT_RATE(rates[1], 100 * kMbit);
    EXPECT_EQ(rates.count(77), 0u);
    rates = run({77}, 1, 100'000);
    EXPECT_RATE(rates[77], 100 * kMbit);
}

TEST_F(Egress, SaysWhenTheNextPacketIsDueAndKeepsTheirOrder) {
    configure({{1, 0, 1, 0, 8 * kMbit}}, 0);
    EXPECT_EQ(queues_.due_ns(now_), EgressQueues::kNever);
    Packet* first = packet(1, 1000);
    Packet* second = packet(1, 1000);
    Packet* third = packet(1, 1000);
    for (Packet* p : {first, second, third}) ASSERT_TRUE(queues_.offer(p, now_));
    EXPECT_EQ(queues_.due_ns(now_), now_);
    EXPECT_EQ(queues_.take(now_)->packet, first);
    // no tokens were left over at the start: a packet of 1000 bytes takes 1 ms
    EXPECT_FALSE(queues_.take(now_));
    const std::uint64_t due = queues_.due_ns(now_);
    EXPECT_NEAR(static_cast<double>(due - now_), 1e6, 1);
    EXPECT_FALSE(queues_.take(due - 2));
    EXPECT_EQ(queues_.take(due)->packet, second);
    EXPECT_EQ(queues_.size(), 1u);
    EXPECT_EQ(queues_.take_any(), third);
    EXPECT_EQ(queues_.take_any(), nullptr);
}

TEST_F(Egress, MakesUpForALateWorkerButNotForAnIdleQueue) {
    configure({{1, 0, 1, 0, 100 * kMbit}}, 0);
    const auto due = [&] {
        std::size_t n = 0;
        while (queues_.take(now_)) ++n;
        return n;
    };
    for (int i = 0; i < 400; ++i) ASSERT_TRUE(queues_.offer(packet(1, 1250), now_));
    EXPECT_EQ(due(), 1u);
    now_ += 30'000'000;  // 3 Mbit of 10,000 bits each
    EXPECT_NEAR(static_cast<double>(due()), 300, 1);
    now_ += kSecond;
    EXPECT_NEAR(static_cast<double>(due()), 99, 1);
    now_ += kSecond;
    for (int i = 0; i < 400; ++i) ASSERT_TRUE(queues_.offer(packet(1, 1250), now_));
    EXPECT_NEAR(static_cast<double>(due()), 100, 1) << "10 ms of an idle time";
}

TEST_F(Egress, AFullQueueRefusesAndTheOthersDoNotMind) {
    configure({{1, 0, 1, 0, 1000}, {2}}, 0);
    for (std::size_t i = 0; i < EgressQueues::kLength; ++i)
        ASSERT_TRUE(queues_.offer(packet(1, 100), now_));
    EXPECT_FALSE(queues_.offer(packet(1, 100), now_));
    EXPECT_TRUE(queues_.offer(packet(2, 100), now_));
    EXPECT_EQ(queues_.take(now_)->place, 0u);  // the first of the limited one is free
    EXPECT_EQ(queues_.take(now_)->place, 1u);
}

TEST_F(Egress, AQueueThatIsTakenAwayStillSendsWhatItHas) {
    configure({{1, 0, 1, 0, 1000}}, 0);
    ASSERT_TRUE(queues_.offer(packet(1, 100), now_));
    ASSERT_TRUE(queues_.offer(packet(1, 100), now_));
    (void)queues_.take(now_);
    configure({}, 0);
    EXPECT_TRUE(queues_.take(now_));
    EXPECT_EQ(queues_.size(), 0u);
}

}  // namespace
}  // namespace raicho::io
