// SPDX-License-Identifier: Apache-2.0
// NORMAL, the learning switch, and the modes of a bridge that lead to it.
#include <gmock/gmock.h>

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

/// Port 1 is in VLAN 10, port 2 in 20; port 3 carries 10 and 20 with tags and 7 without; port 4
/// takes everything as it comes.
class NormalVlans : public Normal {
  protected:
    NormalVlans() {
        using shm::VlanWord;
        set(1, {10 | VlanWord::kRestricted | VlanWord::kAccess});
        set(2, {20 | VlanWord::kRestricted | VlanWord::kAccess});
        set(3, {7 | VlanWord::kRestricted}, {10, 20});
    }
    void set(unsigned port, shm::VlanWord word, const std::vector<std::uint16_t>& carried = {}) {
        arena_.agent().set_vlan(PortSlot(static_cast<std::uint16_t>(port - 1)), word, carried);
    }
    /// The frame that talk(_, from, to, vlan) sends.
    static std::string frame(std::uint8_t from, std::uint8_t to, std::uint16_t vlan = 0) {
        FrameSpec spec;
        spec.src = host(from), spec.dst = host(to);
        if (vlan != 0) spec.tags = {{0x8100, vlan}};
        return padded(spec);
    }
    using Frames = std::vector<std::pair<unsigned, std::string>>;
};

TEST_F(NormalVlans, TagsComeAndGoAsPortsWantThem) {
    talk(1, 1, 2);
    EXPECT_THAT(take_sent(), testing::UnorderedElementsAre(testing::Pair(3, frame(1, 2, 10)),
                                                           testing::Pair(4, frame(1, 2, 10))));
    talk(4, 2, 1, 10);
    EXPECT_EQ(take_sent(), (Frames{{1, frame(2, 1)}}));
    talk(1, 1, 2);
    EXPECT_EQ(take_sent(), (Frames{{4, frame(1, 2, 10)}}));
}

TEST_F(NormalVlans, NativeVlanIsWithoutTagOnItsTrunk) {
    talk(4, 4, 9, 7);
    EXPECT_EQ(take_sent(), (Frames{{3, frame(4, 9)}}));
    talk(3, 5, 4);
    EXPECT_EQ(take_sent(), (Frames{{4, frame(5, 4, 7)}}));
}

TEST_F(NormalVlans, WhatAPortDoesNotCarryIsDropped) {
    talk(1, 1, 9, 10);  // a tag on an access port
    EXPECT_EQ(drops(1, DropReason::vlan), 1u);
    talk(3, 1, 9, 30);
    EXPECT_EQ(drops(3, DropReason::vlan), 1u);
    EXPECT_TRUE(take_ports().empty());
    talk(4, 1, 9);  // no VLAN: no other port has that
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(4, DropReason::no_other_port), 1u);
}

TEST_F(NormalVlans, TrunkWithoutListCarriesEveryVlan) {
    set(3, {7});
    talk(4, 1, 9, 4000);
    EXPECT_EQ(take_sent(), (Frames{{3, frame(1, 9, 4000)}}));
}

TEST_F(NormalVlans, ActionsBehindNormalSeeTheFrameAsItCame) {
    arena_.bridge().mode = BridgeMode::flows_drop;
    arena_.any(0, Program().output(port::kNormal).output(PortNo(2)));
    talk(1, 1, 9);
    EXPECT_THAT(take_sent(), testing::UnorderedElementsAre(testing::Pair(3, frame(1, 9, 10)),
                                                           testing::Pair(4, frame(1, 9, 10)),
                                                           testing::Pair(2, frame(1, 9))));
}

TEST_F(Normal, PolicerDropsWhatComesFasterAndNoMore) {
    using shm::band_cost, shm::meter_time;
    FrameSpec spec;
    spec.payload.resize(1000 - build(spec).bytes.size());  // frames of 1000 bytes
    const std::vector<FrameBytes> burst(20, build(spec).bytes);
    ASSERT_EQ(burst[0].size(), 1000u);
    // 8 Mbit/s: a byte a microsecond; a bucket of 10 frames
    const auto depth = meter_time(10 * 1000 * 1000);
    io_.clock = now_ns_;
    arena_.agent().set_policer(PortSlot(0), band_cost(shm::meter_flag::kKbps, 8000), depth,
                               now_ns_);
    run(1, burst);
    EXPECT_EQ(take_ports().size(), 10u * 3);
    EXPECT_EQ(drops(1, DropReason::policer), 10u);
    run(2, burst);  // another port has none
    EXPECT_EQ(take_ports().size(), 20u * 3);
    now_ns_ += 5'000'000;
    io_.clock = now_ns_;
    run(1, burst);
    EXPECT_EQ(take_ports().size(), 5u * 3);
    // A new rate starts with a full bucket whatever the old one left.
    arena_.agent().set_policer(PortSlot(0), band_cost(shm::meter_flag::kKbps, 16000), depth,
                               now_ns_);
    run(1, burst);
    EXPECT_EQ(take_ports().size(), 20u * 3);
    arena_.agent().set_policer(PortSlot(0), 0, 0, now_ns_);
    run(1, burst);
    EXPECT_EQ(take_ports().size(), 20u * 3);
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
