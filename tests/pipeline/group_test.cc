// SPDX-License-Identifier: Apache-2.0
// Groups in the pipeline (OF 1.3.5 §5.6, §5.12): which buckets act, on which packet, with which
// counters.
#include <cmath>
#include <set>

#include "tests/pipeline/switch_fixture.h"

namespace raicho::test {
namespace {

using shm::GroupType, shm::OpCode, shm::DropReason;

class Group : public SwitchFixture {
  protected:
    /// Apply-actions with the group alone.
    void flow_to(std::uint32_t group) { arena_.any(0, Program().op(OpCode::group, 0, group)); }
    /// Ports that `n` frames made by `make(i)` leave by, each with how many.
    template <class Make>
    std::map<unsigned, unsigned> spread(unsigned n, const Make& make) {
        std::map<unsigned, unsigned> count;
        for (unsigned i = 0; i < n; ++i) run(1, make(i));
        for (const unsigned port : take_ports()) ++count[port];
        return count;
    }
    void link(unsigned port, pipeline::Link link) {
        auto state = view();
        state.link = link;
        io_.set_port(PortSlot(static_cast<std::uint16_t>(port - 1)), state);
    }
};

TEST_F(Group, AllGivesEachBucketAPacketOfItsOwn) {
    FrameSpec spec, tagged, lower;
    tagged.tags = {{0x8100, 5}};
    lower.ttl = 63;
    arena_.group(7, GroupType::all,
                 {{Program().op(OpCode::push_vlan, 0x8100).set(Field::vlan_vid, 5).output(2)},
                  {Program().op(OpCode::dec_nw_ttl).output(3)},
                  {Program().output(4)}});
    flow_to(7);
    run(1, spec);
    const auto sent = take_sent();
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[0], std::pair(2u, padded(tagged)));
    EXPECT_EQ(sent[1], std::pair(3u, padded(lower)));
    EXPECT_EQ(sent[2], std::pair(4u, padded(spec)));
}

TEST_F(Group, InAnActionListWhatFollowsSeesThePacketAsItWasBefore) {
    arena_.group(1, GroupType::indirect, {{Program().set(Field::eth_dst, 9).output(2)}});
    arena_.any(0, Program().output(4).op(OpCode::group, 0, 1).output(3));
    FrameSpec spec, changed;
    changed.dst = Mac{{0, 0, 0, 0, 0, 9}};
    run(1, spec);
    const auto sent = take_sent();
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[0], std::pair(4u, padded(spec)));
    EXPECT_EQ(sent[1], std::pair(2u, padded(changed)));
    EXPECT_EQ(sent[2], std::pair(3u, padded(spec)));
}

// §5.10: the group comes after all other actions but output, and an output beside it is ignored.
TEST_F(Group, OfAnActionSetComesLastAndBeatsOutput) {
    arena_.group(1, GroupType::all, {{Program().output(2)}, {Program().output(3)}});
    arena_.any(0, Program().write().output(4).op(OpCode::group, 0, 1).set(Field::eth_dst, 9));
    FrameSpec spec;
    run(1, spec);
    spec.dst = Mac{{0, 0, 0, 0, 0, 9}};
    const auto sent = take_sent();
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[0], std::pair(2u, padded(spec)));
    EXPECT_EQ(sent[1], std::pair(3u, padded(spec)));
}

TEST_F(Group, SelectSharesOutByWeight) {
    arena_.group(
        1, GroupType::select,
        {{Program().output(2), 5}, {Program().output(3), 100}, {Program().output(4), 100}});
    flow_to(1);
    auto count = spread(10'000, [](unsigned i) {
        FrameSpec spec;
        spec.sport = static_cast<std::uint16_t>(i),
        spec.src4.bytes[3] = static_cast<std::uint8_t>(i % 7);
        return spec;
    });
    EXPECT_NEAR(count[2] / 100.0, 100.0 * 5 / 205, 2);
    EXPECT_NEAR(count[3] / 100.0, 100.0 * 100 / 205, 2);
    EXPECT_NEAR(count[4] / 100.0, 100.0 * 100 / 205, 2);
    EXPECT_EQ(arena_.group_count(1).packets, 10'000u);
    EXPECT_EQ(arena_.bucket_count(1, 1).packets, count[3]);
}

/// Traffic that differs in one field only.
struct Difference {
    const char* name;
    void (*make)(FrameSpec&, unsigned);
};
TEST_F(Group, SelectSpreadsWhateverFieldTheTrafficDiffersIn) {
    arena_.group(1, GroupType::select, {{Program().output(2)}, {Program().output(3)}});
    flow_to(1);
    static constexpr std::array kDifferences{
        Difference{"eth_dst of unknown type",
                   [](FrameSpec& s, unsigned i) {
                       s.l3 = L3::other;
                       s.dst.bytes[4] = static_cast<std::uint8_t>(i >> 8);
                       s.dst.bytes[5] = static_cast<std::uint8_t>(i);
                   }},
        Difference{"eth_src of unknown type",
                   [](FrameSpec& s, unsigned i) {
                       s.l3 = L3::llc;
                       s.src.bytes[5] = static_cast<std::uint8_t>(i);
                   }},
        Difference{"VLAN", [](FrameSpec& s,
                              unsigned i) { s.tags = {{0x8100, static_cast<std::uint16_t>(i)}}; }},
        Difference{"ARP addresses",
                   [](FrameSpec& s, unsigned i) {
                       s.l3 = L3::arp;
                       s.tpa.bytes[3] = static_cast<std::uint8_t>(i);
                   }},
        Difference{
            "IPv4 address",
            [](FrameSpec& s, unsigned i) { s.dst4.bytes[3] = static_cast<std::uint8_t>(i); }},
        Difference{"IPv6 address",
                   [](FrameSpec& s, unsigned i) {
                       s.l3 = L3::ipv6;
                       s.src6.bytes[15] = static_cast<std::uint8_t>(i);
                   }},
        Difference{"flow label",
                   [](FrameSpec& s, unsigned i) {
                       s.l3 = L3::ipv6;
                       s.flow_label = i;
                   }},
        Difference{"destination port",
                   [](FrameSpec& s, unsigned i) { s.dport = static_cast<std::uint16_t>(i); }},
        Difference{"label", [](FrameSpec& s, unsigned i) { s.labels = {i << 12 | 0x140}; }},
    };
    for (const Difference& difference : kDifferences) {
        auto count = spread(250, [&](unsigned i) {
            FrameSpec spec;
            difference.make(spec, i);
            return spec;
        });
        EXPECT_GT(count[2], 80u) << difference.name;
        EXPECT_GT(count[3], 80u) << difference.name;
    }
}

TEST_F(Group, SelectKeepsAFlowTogetherAndItsFragmentsToo) {
    arena_.group(1, GroupType::select, {{Program().output(2)}, {Program().output(3)}});
    flow_to(1);
    for (unsigned i = 0; i < 40; ++i) {
        FrameSpec spec;
        spec.dst4.bytes[3] = static_cast<std::uint8_t>(i);
        spec.payload.resize(40);
        const auto one = spread(1, [&](unsigned) { return spec; });
        spec.ecn = 3, spec.ttl = 9, spec.id = 77;
        EXPECT_EQ(spread(1, [&](unsigned) { return spec; }), one);
        spec.fragment = 0x2000;
        const auto first = spread(1, [&](unsigned) { return spec; });
        spec.fragment = 0x0010, spec.later_fragment = true;
        EXPECT_EQ(spread(1, [&](unsigned) { return spec; }), first);
    }
}

TEST_F(Group, SelectGroupsInARowChooseIndependently) {
    arena_.group(1, GroupType::select,
                 {{Program().op(OpCode::group, 0, 2)}, {Program().output(4)}});
    arena_.group(2, GroupType::select, {{Program().output(2)}, {Program().output(3)}});
    flow_to(1);
    auto count = spread(2000, [](unsigned i) {
        FrameSpec spec;
        spec.sport = static_cast<std::uint16_t>(i);
        return spec;
    });
    EXPECT_NEAR(count[4], 1000, 120);
    EXPECT_NEAR(count[2], 500, 120);
    EXPECT_NEAR(count[3], 500, 120);
}

TEST_F(Group, SelectMovesOnlyTheFlowsOfADeadBucketAndByWeight) {
    arena_.group(1, GroupType::select,
                 {TestBucket::watching(Program().output(2), 2),
                  {Program().output(3), 1},
                  {Program().output(4), 3}});
    flow_to(1);
    std::map<unsigned, unsigned> before;
    const auto frame = [](unsigned i) {
        FrameSpec spec;
        spec.sport = static_cast<std::uint16_t>(i);
        return spec;
    };
    for (unsigned i = 0; i < 1000; ++i)
        before[i] = spread(1, [&](unsigned) { return frame(i); }).begin()->first;
    link(2, pipeline::Link::down);
    std::map<unsigned, unsigned> moved;
    for (unsigned i = 0; i < 1000; ++i) {
        const unsigned now = spread(1, [&](unsigned) { return frame(i); }).begin()->first;
        if (before[i] == 2)
            ++moved[now];
        else
            ASSERT_EQ(now, before[i]);
    }
    EXPECT_GT(moved[4], moved[3]);
    EXPECT_GT(moved[3], 10u);
    EXPECT_EQ(moved[2], 0u);
}

TEST_F(Group, FastFailoverTakesTheFirstLiveBucketOfTheVeryNextBurst) {
    arena_.group(1, GroupType::fast_failover,
                 {TestBucket::watching(Program().output(2), 2),
                  TestBucket::watching(Program().output(3), 3)});
    flow_to(1);
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{2}));
    link(2, pipeline::Link::down);
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{3}));
    link(2, pipeline::Link::up);
    arena_.port(1).config = pipeline::port_config::kDown;  // §7.2.1: not live either
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{3}));
    link(3, pipeline::Link::down);
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{}));
    EXPECT_EQ(drops(1, DropReason::dead_group), 1u);
    arena_.port(1).config = 0;
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{2}));
    EXPECT_EQ(arena_.bucket_count(1, 0).packets, 2u);
    EXPECT_EQ(arena_.bucket_count(1, 1).packets, 2u);
    EXPECT_EQ(arena_.group_count(1).packets, 5u);
}

TEST_F(Group, AWatchedGroupIsLiveWhileOneOfItsBucketsIs) {
    arena_.group(2, GroupType::select,
                 {TestBucket::watching(Program().output(2), 2),
                  TestBucket::watching(Program().output(3), 3)});
    arena_.group(1, GroupType::fast_failover,
                 {TestBucket::watching(Program().op(OpCode::group, 0, 2), shm::kWatchNone, 2),
                  TestBucket::watching(Program().output(4), 4)});
    flow_to(1);
    run(1, FrameSpec{});
    EXPECT_NE(take_ports(), (Ports{4}));
    link(2, pipeline::Link::down);
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{3}));
    link(3, pipeline::Link::down);
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{4}));
    // a bucket that watches nothing is always live: the last resort
    arena_.group(1, GroupType::fast_failover,
                 {TestBucket::watching(Program().output(2), 2), {Program().output(4)}});
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{4}));
}

TEST_F(Group, ALoopEndsAndIsCounted) {
    arena_.group(1, GroupType::all, {{Program().output(2).op(OpCode::group, 0, 2)}});
    arena_.group(2, GroupType::indirect, {{Program().op(OpCode::group, 0, 1)}});
    flow_to(1);
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::group_depth), 1u);
    EXPECT_LE(take_ports().size(), shm::kMaxGroupDepth);
    // liveness of groups that watch each other
    arena_.group(3, GroupType::fast_failover,
                 {TestBucket::watching(Program().output(2), shm::kWatchNone, 4)});
    arena_.group(4, GroupType::fast_failover,
                 {TestBucket::watching(Program().output(2), shm::kWatchNone, 3)});
    flow_to(3);
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{}));
}

TEST_F(Group, WhatGoesNowhereIsCounted) {
    flow_to(9);
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_group), 1u);
    arena_.group(9, GroupType::all, {});
    run(1, FrameSpec{});
    arena_.group(9, GroupType::indirect, {{Program()}});
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_action) + drops(1, DropReason::action_drop), 2u);
    arena_.group(9, GroupType::indirect, {{Program().output(1)}});  // its ingress port
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::ingress_output), 1u);
    EXPECT_EQ(take_ports(), (Ports{}));
}

TEST_F(Group, OfAPacketOutActsToo) {
    arena_.group(1, GroupType::all, {{Program().output(2)}, {Program().output(3)}});
    packet_out(port::kController, Program().op(OpCode::group, 0, 1).output(4), FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{2, 3, 4}));
}

TEST_F(Group, ABucketsMetadataStaysItsOwn) {
    arena_.group(1, GroupType::indirect, {{Program().set(Field::tunnel_id, 77).output(2)}});
    arena_.any(0, Program().op(OpCode::group, 0, 1).output(port::kController, 0xffff));
    run(1, FrameSpec{});
    ASSERT_EQ(io_.packet_ins.size(), 1u);
    EXPECT_EQ(io_.packet_ins[0].head.tunnel_id, 0u);
    (void)take_ports();
}

TEST_F(Group, SetQueueChoosesForTheOutputsBehindIt) {
    arena_.any(0, Program()
                      .output(2)
                      .op(OpCode::set_queue, 0, 5)
                      .output(3)
                      .op(OpCode::set_queue, 0, 6)
                      .output(4));
    run(1, FrameSpec{});
    ASSERT_EQ(io_.sent.size(), 3u);
    EXPECT_EQ(io_.sent[0].packet.queue, shm::kNoQueue);
    EXPECT_EQ(io_.sent[1].packet.queue, 5u);
    EXPECT_EQ(io_.sent[2].packet.queue, 6u);
}

TEST_F(Group, AShortFrameIsWholeInAPacketIn) {
    arena_.any(0, Program().output(port::kController, 0xffff).output(2));
    FrameSpec spec;
    spec.l3 = L3::other;
    spec.payload = {1, 2, 3};
    run(1, spec);
    ASSERT_EQ(io_.packet_ins.size(), 1u);
    EXPECT_EQ(io_.packet_ins[0].head.total_size, 60u);
    EXPECT_EQ(hex_text(io_.packet_ins[0].bytes), padded(spec));
    (void)take_ports();
}

}  // namespace
}  // namespace raicho::test
