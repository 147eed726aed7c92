// SPDX-License-Identifier: Apache-2.0
#include "shm/mac_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/unit/shm/scratch_rundir.h"

namespace raicho::shm {
namespace {

class MacTable : public testing::Test {
  protected:
    void SetUp() override {
        auto made = AgentArena::create(rundir_.path(), kSmall);
        ASSERT_TRUE(made);
        agent_.emplace(std::move(*made));
        auto attached = DataplaneArena::attach(rundir_.path());
        ASSERT_TRUE(attached);
        dataplane_.emplace(std::move(*attached));
        bridge().mac_ageing_s.store(300);
    }
    BridgeRecord& bridge() { return agent_->bridge(kBridge); }
    std::uint16_t lookup(const Mac& mac, std::uint32_t now = 1000, std::uint16_t vlan = 0) {
        return mac_lookup(*dataplane_, kBridge, vlan, mac.bytes.data(), now);
    }
    void learn(const Mac& mac, std::uint16_t slot, std::uint32_t now = 1000,
               std::uint16_t vlan = 0) {
        mac_learn(*dataplane_, kBridge, vlan, mac.bytes.data(), PortSlot(slot), now);
    }
    static Mac address(std::uint32_t n) {
        return Mac{{2, 0, static_cast<std::uint8_t>(n >> 24), static_cast<std::uint8_t>(n >> 16),
                    static_cast<std::uint8_t>(n >> 8), static_cast<std::uint8_t>(n)}};
    }

    static constexpr BridgeId kBridge{1};
    ScratchRundir rundir_;
    std::optional<AgentArena> agent_;
    std::optional<DataplaneArena> dataplane_;
};

TEST_F(MacTable, LearnsMovesAndKeepsVlansAndBridgesApart) {
    EXPECT_EQ(lookup(address(1)), kNoSlot);
    learn(address(1), 5);
    EXPECT_EQ(lookup(address(1)), 5);
    EXPECT_EQ(lookup(address(1), 1000, 7), kNoSlot);
    EXPECT_EQ(mac_lookup(*dataplane_, BridgeId(0), 0, address(1).bytes.data(), 1000), kNoSlot);
    learn(address(1), 6);
    EXPECT_EQ(lookup(address(1)), 6);
    EXPECT_EQ(agent_->mac_count(kBridge), 1u);
}

TEST_F(MacTable, DoesNotLearnMulticast) {
    learn(Mac{{1, 0, 0, 0, 0, 1}}, 5);
    EXPECT_EQ(agent_->mac_count(kBridge), 0u);
}

TEST_F(MacTable, EntriesAgeUnlessSeenAgain) {
    learn(address(1), 5, 1000);
    learn(address(2), 5, 1000);
    learn(address(2), 5, 1200);
    EXPECT_EQ(lookup(address(1), 1300), 5);
    EXPECT_EQ(lookup(address(1), 1301), kNoSlot);
    EXPECT_EQ(lookup(address(2), 1301), 5);
    bridge().mac_ageing_s.store(0);
    EXPECT_EQ(lookup(address(1), 90000), 5);
}

TEST_F(MacTable, AnEntryOfASecondAheadIsNew) {
    learn(address(1), 5, 1001);
    EXPECT_EQ(lookup(address(1), 1000), 5);
    learn(address(2), 5, 0x1000000);  // the second wraps between the two
    EXPECT_EQ(lookup(address(2), 0xffffff), 5);
    EXPECT_EQ(lookup(address(2), 0x1000001), 5);
    std::uint32_t rows = 0;
    for_each_mac(*agent_, kBridge, 1000, [&](const MacRow& row) {
        ++rows;
        EXPECT_EQ(row.mac, address(1));
        EXPECT_EQ(row.age_s, 0u);
    });
    EXPECT_EQ(rows, 1u);
    std::size_t cursor = 0;
    mac_sweep(*dataplane_, cursor, kMacEntries, 1000);
    EXPECT_EQ(lookup(address(1), 1000), 5);
}

TEST_F(MacTable, GenerationsClearABridgeOrAPort) {
    learn(address(1), 5);
    learn(address(2), 6);
    agent_->wanted_port(PortSlot(5)).mac_generation.fetch_add(1);
    EXPECT_EQ(lookup(address(1)), kNoSlot);
    EXPECT_EQ(lookup(address(2)), 6);
    learn(address(1), 5);
    EXPECT_EQ(lookup(address(1)), 5);
    bridge().mac_generation.fetch_add(1);
    EXPECT_EQ(lookup(address(1)), kNoSlot);
    EXPECT_EQ(lookup(address(2)), kNoSlot);
}

TEST_F(MacTable, TheLimitHoldsAndSweepingMakesRoom) {
    bridge().mac_limit.store(10);
    for (std::uint32_t i = 0; i < 100; ++i) learn(address(i), 1, 1000);
    EXPECT_EQ(agent_->mac_count(kBridge), 10u);
    std::size_t cursor = 0;
    mac_sweep(*dataplane_, cursor, kMacEntries, 1301);
    EXPECT_EQ(agent_->mac_count(kBridge), 0u);
    learn(address(50), 1, 1301);
    EXPECT_EQ(lookup(address(50), 1301), 1);
}

TEST_F(MacTable, StaticEntriesWinAndAreNotLearnedOver) {
    learn(address(1), 5);
    ASSERT_TRUE(mac_add_static(*agent_, kBridge, 0, address(1), PortSlot(9)));
    EXPECT_EQ(lookup(address(1)), 9);
    learn(address(1), 7);
    EXPECT_EQ(lookup(address(1), 99999), 9);
    int rows = 0;
    for_each_mac(*agent_, kBridge, 1000, [&](const MacRow& row) {
        if (!row.is_static) return;
        ++rows;
        EXPECT_EQ(row.mac, address(1));
        EXPECT_EQ(row.slot, PortSlot(9));
    });
    EXPECT_EQ(rows, 1);
    EXPECT_TRUE(mac_remove_static(*agent_, kBridge, 0, address(1)));
    EXPECT_FALSE(mac_remove_static(*agent_, kBridge, 0, address(1)));
    EXPECT_EQ(lookup(address(1)), 5);
}

TEST_F(MacTable, AWindowFullOfOthersGivesItsOldestAway) {
    for (std::uint32_t i = 0; i < 200'000; ++i) learn(address(i), 1, 1000 + i / 10'000);
    EXPECT_LE(agent_->mac_count(kBridge), kMacEntries);
    EXPECT_EQ(lookup(address(199'999), 1020), 1);
    std::uint32_t rows = 0;
    for_each_mac(*agent_, kBridge, 1020, [&](const MacRow&) { ++rows; });
    EXPECT_EQ(rows, agent_->mac_count(kBridge));
}

TEST_F(MacTable, AHalfClaimedEntryIsFreedAtTheNextStart) {
    learn(address(1), 5);
    for (MacEntry& entry : dataplane_->macs())
        if (entry.identity.load() != 0) entry.identity.store((entry.identity.load() & ~3ull) | 1);
    EXPECT_EQ(lookup(address(1)), kNoSlot);
    learn(address(1), 5);
    EXPECT_EQ(lookup(address(1)), kNoSlot);  // another worker seems to be at it
    mac_recover(*dataplane_);
    EXPECT_EQ(agent_->mac_count(kBridge), 0u);
    learn(address(1), 5);
    EXPECT_EQ(lookup(address(1)), 5);
}

TEST_F(MacTable, WorkersLearnTheSameAddressesTogether) {
    std::vector<std::thread> workers;
    for (std::uint16_t w = 0; w < 3; ++w)
        workers.emplace_back([&, w] {
            for (std::uint32_t i = 0; i < 6'000; ++i) {
                learn(address(i % 500), w, 1000);
                const std::uint16_t slot = lookup(address(i % 500));
                EXPECT_TRUE(slot < 3 || slot == kNoSlot);
            }
        });
    for (std::thread& worker : workers) worker.join();
    std::uint32_t rows = 0;
    for_each_mac(*agent_, kBridge, 1000, [&](const MacRow&) { ++rows; });
    EXPECT_EQ(rows, agent_->mac_count(kBridge));
    for (std::uint32_t i = 0; i < 500; ++i) EXPECT_LT(lookup(address(i)), 3);
}

}  // namespace
}  // namespace raicho::shm
