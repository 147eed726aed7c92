// SPDX-License-Identifier: Apache-2.0
// Timeouts (OF 1.3.5 §5.5, §6.5) in virtual time.
#include <random>

#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

constexpr Time kEighth = agent::kSecond / 8;

class DatapathExpiry : public Bench {
  protected:
    FlowId timed(std::uint16_t idle, std::uint16_t hard, std::uint32_t in_port = 1) {
        FlowMod mod = add_flow(match({{Field::in_port, in_port}}));
        mod.idle_timeout = idle;
        mod.hard_timeout = hard;
        mod.flags = flow_flag::kSendFlowRem;
        tell(mod);
        return *store.find_strict(TableId{0}, 1, mod.match);
    }
    /// Ticks whenever the datapath wants to, up to `until`.
    void run(Time until) {
        while (datapath().next_tick() <= until) {
            now = std::max(now, datapath().next_tick());
            datapath().tick(now, outbox);
        }
        now = until;
        datapath().tick(now, outbox);
    }
};

TEST_F(DatapathExpiry, HardTimeoutEndsAFlowToTheEighthOfASecond) {
    timed(0, 3);
    const Time start = now;
    run(start + 3 * kSecond - 1);
    EXPECT_EQ(store.size(), 1u);
    run(start + 3 * kSecond + kEighth);
    EXPECT_EQ(store.size(), 0u);
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    const FlowRemoved message = sent<FlowRemoved>()[0];
    EXPECT_EQ(message.reason, FlowRemovedReason::hard_timeout);
    EXPECT_EQ(message.hard_timeout, 3);
    EXPECT_EQ(message.duration_sec, 3u);
    EXPECT_LT(message.duration_nsec, kEighth);
}

TEST_F(DatapathExpiry, HardTimeoutEndsABusyFlowToo) {
    const FlowId id = timed(2, 5);
    const Time start = now;
    for (int second = 1; second <= 4; ++second) {
        run(start + static_cast<Time>(second) * kSecond);
        store.hit(id, 60, now);
    }
    run(start + 5 * kSecond + kEighth);
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>()[0].reason, FlowRemovedReason::hard_timeout);
    EXPECT_EQ(sent<FlowRemoved>()[0].packet_count, 4u);
}

TEST_F(DatapathExpiry, IdleTimeoutCountsFromTheLastPacket) {
    const FlowId id = timed(2, 0);
    const Time start = now;
    run(start + kSecond);
    store.hit(id, 60, now);
    run(start + 3 * kSecond - 1);
    EXPECT_EQ(store.size(), 1u);
    run(start + 3 * kSecond + kEighth);
    EXPECT_EQ(store.size(), 0u);
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>()[0].reason, FlowRemovedReason::idle_timeout);
    EXPECT_EQ(sent<FlowRemoved>()[0].idle_timeout, 2);
    EXPECT_EQ(sent<FlowRemoved>()[0].byte_count, 60u);
}

TEST_F(DatapathExpiry, IdleTimeoutOfAFlowNeverUsedCountsFromItsBirth) {
    timed(2, 60);
    run(now + 2 * kSecond + kEighth);
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>()[0].reason, FlowRemovedReason::idle_timeout);
}

TEST_F(DatapathExpiry, ReasonIsTheTimeoutThatCameFirst) {
    timed(2, 60);
    pass(100 * kSecond);  // the agent slept through both
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>()[0].reason, FlowRemovedReason::idle_timeout);
}

TEST_F(DatapathExpiry, WithoutTimeoutsAFlowStaysForEver) {
    timed(0, 0);
    EXPECT_EQ(datapath().next_tick(), kNever);
    pass(1'000'000 * kSecond);
    EXPECT_EQ(store.size(), 1u);
}

TEST_F(DatapathExpiry, DeletedFlowDoesNotExpireAsWell) {
    timed(1, 2);
    tell(flow(FlowModCommand::remove));
    pass(10 * kSecond);
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>()[0].reason, FlowRemovedReason::removed);
}

TEST_F(DatapathExpiry, ExpiredFlowsCountersAreFinal) {
    const FlowId id = timed(0, 1);
    store.set_grace(VectorFlowStore::Grace::held);
    pass(2 * kSecond);
    EXPECT_EQ(store.size(), 0u);
    store.hit(id, 60, now);  // a burst that had looked it up before
    store.set_grace(VectorFlowStore::Grace::passes);
    pass(1);
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>()[0].packet_count, 1u);
}

TEST_F(DatapathExpiry, AdoptedFlowsGoOnWithTheirTimeouts) {
    timed(0, 10, 1);
    const FlowId busy = timed(4, 0, 2);
    const Time start = now;
    now += 3 * kSecond;
    store.hit(busy, 60, now);
    restart();
    run(start + 6 * kSecond);
    EXPECT_EQ(store.size(), 2u);
    run(start + 7 * kSecond + kEighth);
    EXPECT_EQ(store.size(), 1u);
    run(start + 10 * kSecond + kEighth);
    EXPECT_EQ(store.size(), 0u);
}

TEST_F(DatapathExpiry, FlowsThatEndedWhileTheAgentWasDeadEndAtOnce) {
    timed(1, 0);
    now += 100 * kSecond;
    restart();
    EXPECT_LE(datapath().next_tick(), now);
    pass(0);
    EXPECT_EQ(store.size(), 0u);
}

TEST_F(DatapathExpiry, ManyAtOnceEndInSlicesOfSeveralTicks) {
    for (std::uint32_t n = 0; n < 5000; ++n)
        ASSERT_TRUE(store.insert({.hard_timeout = 1, .created = now},
                                 match({{Field::in_port, 1}, {Field::metadata, n}}), {}));
    restart();
    pass(2 * kSecond);
    EXPECT_GT(store.size(), 0u);
    EXPECT_LE(datapath().next_tick(), now);
    pass(0);
    EXPECT_EQ(store.size(), 0u);
}

// Each flow ends within an eighth of the time that its timeouts and packets say.
TEST_F(DatapathExpiry, RandomFlowsEndOnTime) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    struct Expected {
        Time created, used;
        std::uint16_t idle, hard;
        [[nodiscard]] Time end() const {
            const Time by_idle = idle == 0 ? kNever : used + idle * kSecond;
            const Time by_hard = hard == 0 ? kNever : created + hard * kSecond;
            return std::min(by_idle, by_hard);
        }
    };
    std::map<FlowId, Expected> flows;
    for (std::uint32_t n = 0; n < 60; ++n) {
        const auto idle = static_cast<std::uint16_t>(random() % 40);
        const auto hard = static_cast<std::uint16_t>(random() % 90);
        flows[timed(idle, hard, n + 1)] = {now, now, idle, hard};
        now += random() % kSecond;
    }
    for (int step = 0; step < 2000; ++step) {
        run(now + random() % (kSecond / 10));
        std::set<FlowId> live;
        store.for_each(kAllTables, [&](FlowId id) { return live.insert(id).second; });
        for (auto it = flows.begin(); it != flows.end();) {
            if (live.contains(it->first)) {
                ASSERT_LT(now - kEighth, it->second.end());  // which may be kNever
                if (random() % 200 == 0) {
                    store.hit(it->first, 60, now);
                    it->second.used = now;
                }
                ++it;
            } else {
                ASSERT_GE(now, it->second.end());
                it = flows.erase(it);
            }
        }
    }
}

}  // namespace
}  // namespace raicho::agent::test
