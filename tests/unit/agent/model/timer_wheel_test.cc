// SPDX-License-Identifier: Apache-2.0
#include "agent/model/timer_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace raicho::agent {
namespace {

constexpr Time kTick = TimerWheel::kTick;

std::vector<std::uint32_t> pop_all(TimerWheel& wheel, Time now) {
    std::vector<std::uint32_t> due;
    while (const auto flow = wheel.pop_due(now)) due.push_back(flow->value());
    std::ranges::sort(due);
    return due;
}

TEST(TimerWheel, IsNeverEarlyAndAtMostAnEighthLate) {
    const Time start = 12345;
    TimerWheel wheel(start);
    wheel.arm(FlowId{3}, start + kSecond + 1);
    EXPECT_TRUE(pop_all(wheel, start + kSecond).empty());
    EXPECT_EQ(wheel.next(), start + kSecond + kTick);
    EXPECT_EQ(pop_all(wheel, start + kSecond + kTick), std::vector{3u});
    EXPECT_EQ(wheel.next(), kNever);
}

TEST(TimerWheel, DeadlineInThePastIsDueAtOnce) {
    TimerWheel wheel(1000 * kSecond);
    wheel.arm(FlowId{0}, 1);
    EXPECT_EQ(wheel.next(), 1000 * kSecond);
    EXPECT_EQ(pop_all(wheel, 1000 * kSecond), std::vector{0u});
}

TEST(TimerWheel, ArmMovesAndDisarmDropsTheDeadline) {
    TimerWheel wheel(0);
    wheel.arm(FlowId{1}, 10 * kSecond);
    wheel.arm(FlowId{1}, 20 * kSecond);
    wheel.arm(FlowId{2}, 20 * kSecond);
    wheel.disarm(FlowId{2});
    wheel.disarm(FlowId{777777});
    EXPECT_TRUE(pop_all(wheel, 19 * kSecond).empty());
    EXPECT_EQ(pop_all(wheel, 20 * kSecond), std::vector{1u});
}

TEST(TimerWheel, DisarmReachesWhatIsDueAlready) {
    TimerWheel wheel(0);
    wheel.arm(FlowId{1}, kSecond);
    wheel.arm(FlowId{2}, kSecond);
    const auto first = wheel.pop_due(2 * kSecond);
    ASSERT_TRUE(first);
    wheel.disarm(FlowId{3 - first->value()});
    EXPECT_FALSE(wheel.pop_due(2 * kSecond));
}

TEST(TimerWheel, LongJumpBringsEverythingDue) {
    TimerWheel wheel(0);
    for (std::uint32_t n = 0; n < 40; ++n) wheel.arm(FlowId{n}, Time{1} << n);
    EXPECT_EQ(pop_all(wheel, Time{1} << 40).size(), 40u);
}

// Against a sorted map, over all levels (65,535 s is the longest timeout).
TEST(TimerWheel, AgreesWithASortedMapOnRandomDeadlines) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Time now = 5 * kSecond + 17;
    const Time base = now;
    TimerWheel wheel(now);
    std::map<std::uint32_t, Time> expected;  // flow -> deadline
    const auto tick_of = [&](Time t) { return (t - base + kTick - 1) / kTick; };
    for (int step = 0; step < 20000; ++step) {
        const auto flow = static_cast<std::uint32_t>(random() % 5000);
        switch (random() % 4) {
            case 0:
            case 1: {
                const Time span = (Time{1} << (random() % 17)) * kSecond;
                const Time deadline = now + random() % span;
                wheel.arm(FlowId{flow}, deadline);
                expected[flow] = deadline;
                break;
            }
            case 2:
                wheel.disarm(FlowId{flow});
                expected.erase(flow);
                break;
            default: {
                now += random() % ((Time{1} << (random() % 14)) * kSecond / 16);
                std::vector<std::uint32_t> due;
                for (const auto& [f, deadline] : expected)
                    if (tick_of(deadline) <= (now - base) / kTick) due.push_back(f);
                for (const std::uint32_t f : due) expected.erase(f);
                ASSERT_EQ(pop_all(wheel, now), due);
                Time first = kNever;
                for (const auto& [f, deadline] : expected)
                    first = std::min(first, base + tick_of(deadline) * kTick);
                // It may wake earlier to move far deadlines nearer, never later.
                ASSERT_LE(wheel.next(), first);
                ASSERT_EQ(wheel.next() == kNever, first == kNever);
                if (first != kNever) {
                    ASSERT_GT(wheel.next(), now - kTick);
                }
            }
        }
    }
}

}  // namespace
}  // namespace raicho::agent
