// SPDX-License-Identifier: Apache-2.0
// NORMAL, the learning switch, and the modes of a bridge that lead to it.
#include "tests/pipeline/switch_fixture.h"

namespace raicho::test {
namespace {

using shm::DropReason, shm::BridgeMode;

Mac host(std::uint8_t n) {
    return {{2, 0, 0, 0, 1, n}};
}

class Normal : public SwitchFixture {
  protected:
    Normal() { arena_.bridge().mode = BridgeMode::normal; }
    void talk(unsigned port, std::uint8_t from, std::uint8_t to, std::uint16_t vlan = 0) {
        FrameSpec spec;
        spec.src = host(from), spec.dst = host(to);
        if (vlan != 0) spec.tags = {{0x8100, vlan}};
        run(port, spec);
    }
};

TEST_F(Normal, FloodsTheUnknownAndLearnsTheSource) {
    talk(1, 1, 2);
    EXPECT_EQ(take_ports(), (Ports{2, 3, 4}));
    talk(2, 2, 1);
    EXPECT_EQ(take_ports(), Ports{1});
    talk(1, 1, 2);
    EXPECT_EQ(take_ports(), Ports{2});
}

TEST_F(Normal, KeepsVlansApart) {
    talk(1, 1, 9, 10);
    (void)take_ports();
    talk(2, 2, 1, 20);
    EXPECT_EQ(take_ports(), (Ports{1, 3, 4}));
    talk(2, 2, 1, 10);
    EXPECT_EQ(take_ports(), Ports{1});
}

TEST_F(Normal, FollowsAHostThatMoves) {
    talk(1, 1, 9);
    talk(3, 1, 9);
    (void)take_ports();
    talk(2, 2, 1);
    EXPECT_EQ(take_ports(), Ports{3});
}

TEST_F(Normal, ForgetsWithTime) {
    talk(1, 1, 9);
    (void)take_ports();
    now_ns_ += 299 * kSecond;
    talk(2, 2, 1);
    EXPECT_EQ(take_ports(), Ports{1});
    now_ns_ += 302 * kSecond;
    talk(2, 2, 1);
    EXPECT_EQ(take_ports(), (Ports{1, 3, 4}));
}

TEST_F(Normal, ForgetsWhenTold) {
    talk(1, 1, 9);
    (void)take_ports();
    ++arena_.bridge().mac_generation;
    talk(2, 2, 1);
    EXPECT_EQ(take_ports(), (Ports{1, 3, 4}));
}

TEST_F(Normal, NeverSendsBackToTheIngress) {
    talk(1, 1, 9);
    (void)take_ports();
    talk(1, 2, 1);
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(1, DropReason::mac_reflect), 1u);
}

TEST_F(Normal, GroupAddressesAreFloodedAndNotLearned) {
    FrameSpec spec;
    spec.dst = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    spec.src = {{3, 0, 0, 0, 0, 1}};
    run(1, spec);
    EXPECT_EQ(take_ports(), (Ports{2, 3, 4}));
    EXPECT_EQ(arena_.dataplane().mac_count(TestArena::kBridge), 0u);
}

TEST_F(Normal, BridgeGroupAddressesStay) {
    FrameSpec spec;
    for (const unsigned last : {0u, 2u, 0x0eu, 0x0fu}) {
        spec.dst = {{0x01, 0x80, 0xc2, 0, 0, static_cast<std::uint8_t>(last)}};
        run(1, spec);
    }
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(1, DropReason::stp_reserved), 4u);
    spec.dst.bytes[5] = 0x10;
    run(1, spec);
    EXPECT_EQ(take_ports(), (Ports{2, 3, 4}));
}

TEST_F(Normal, ModesDecideWhatAMissIs) {
    arena_.any(0, Program());  // a flow that drops
    talk(1, 1, 2);
    EXPECT_EQ(take_ports().size(), 3u);  // mode normal: the flows wait
    arena_.bridge().mode = BridgeMode::flows_normal;
    talk(1, 1, 2);
    EXPECT_TRUE(take_ports().empty());
    arena_.bridge().misses[0] = 0;
    talk(1, 1, 2);
    EXPECT_EQ(take_ports().size(), 3u);  // flows_normal: a miss without entry
    EXPECT_EQ(arena_.table(0).no_match, 0u);
    arena_.bridge().mode = BridgeMode::flows_drop;
    talk(1, 1, 2);
    EXPECT_TRUE(take_ports().empty());
}

TEST_F(Normal, AFlowMayAskForIt) {
    arena_.bridge().mode = BridgeMode::flows_drop;
    arena_.any(0, Program().output(port::kNormal));
    talk(1, 1, 2);
    EXPECT_EQ(take_ports(), (Ports{2, 3, 4}));
    talk(2, 2, 1);
    EXPECT_EQ(take_ports(), Ports{1});
}

}  // namespace
}  // namespace raicho::test
