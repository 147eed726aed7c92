// SPDX-License-Identifier: Apache-2.0
// The oracles of action sets, groups and meters themselves (OF 1.3.5 §5.10, §5.6, §5.7).
#include <gtest/gtest.h>

#include "agent/model/reference_groups.h"
#include "agent/model/reference_meter.h"
#include "agent/model/reference_set.h"
#include "openflow/match.h"
#include "openflow/text.h"

namespace raicho::agent {
namespace {

using namespace openflow;  // NOLINT: the actions

std::string text_of(const ActionList& actions) {
    std::string text;
    for (const Action& action : actions) text += (text.empty() ? "" : ",") + to_text(action);
    return text;
}
SetField set(Field field, std::uint64_t value) {
    return {field, field_value(field, value)};
}

TEST(ReferenceActionSet, RunsInTheOrderOfTheSpecification) {
    ReferenceActionSet actions;
    actions.write({OutputAction{PortNo{1}, 0}, SetQueue{3}, set(Field::ipv4_dst, 1), SetNwTtl{9},
                   DecNwTtl{}, CopyTtlOut{}, PushVlan{}, PushPbb{}, PushMpls{}, PopPbb{},
                   PopMpls{0x0800}, PopVlan{}, CopyTtlIn{}, set(Field::eth_dst, 2)});
    EXPECT_EQ(text_of(actions.ordered()),
              "copy_ttl_in,pop_vlan,pop_mpls:0x0800,pop_pbb,push_mpls:0x8847,push_pbb:0x88e7,"
              "push_vlan:0x8100,copy_ttl_out,dec_nw_ttl,set_nw_ttl:9,"
              "set_field:00:00:00:00:00:02->eth_dst,set_field:0.0.0.1->ipv4_dst,set_queue:3,"
              "output:1");
}

TEST(ReferenceActionSet, KeepsOneOfEachKindAndDropsWithoutAnExit) {
    ReferenceActionSet actions;
    actions.write({PushVlan{0x8100}, set(Field::eth_dst, 1), set(Field::eth_src, 1)});
    actions.write({PushVlan{0x88a8}, set(Field::eth_dst, 2)});
    EXPECT_TRUE(actions.ordered().empty());
    actions.write({OutputAction{PortNo{1}, 0}, OutputAction{PortNo{2}, 0}});
    EXPECT_EQ(text_of(actions.ordered()),
              "push_vlan:0x88a8,set_field:00:00:00:00:00:02->eth_dst,"
              "set_field:00:00:00:00:00:01->eth_src,output:2");
    actions.write({GroupAction{GroupId{7}}});
    EXPECT_EQ(actions.ordered().size(), 4u);
    EXPECT_EQ(actions.ordered().back(), Action{GroupAction{GroupId{7}}});
    actions.clear();
    EXPECT_TRUE(actions.ordered().empty());
}

using Choices = std::vector<std::vector<std::size_t>>;

TEST(ReferenceGroups, TypesChooseTheirBuckets) {
    ReferenceGroups groups;
    const Bucket watch1{.weight = 0, .watch_port = PortNo{1}, .actions = {}};
    const Bucket watch2{.weight = 0, .watch_port = PortNo{2}, .actions = {}};
    groups.set(GroupId{1}, GroupType::all, {{}, {}, {}});
    groups.set(GroupId{2}, GroupType::indirect, {{}});
    groups.set(GroupId{3}, GroupType::fast_failover, {watch1, watch2});
    groups.set(GroupId{4}, GroupType::select,
               {{.weight = 1, .watch_port = PortNo{1}, .actions = {}},
                {.weight = 0, .actions = {}},
                {.weight = 2, .actions = {}}});
    groups.set(GroupId{5}, GroupType::all, {});
    EXPECT_EQ(groups.choices(GroupId{1}, {}), (Choices{{0, 1, 2}}));
    EXPECT_EQ(groups.choices(GroupId{2}, {}), (Choices{{0}}));
    EXPECT_EQ(groups.choices(GroupId{3}, {PortNo{1}, PortNo{2}}), (Choices{{0}}));
    EXPECT_EQ(groups.choices(GroupId{3}, {PortNo{2}}), (Choices{{1}}));
    EXPECT_TRUE(groups.choices(GroupId{3}, {}).empty());
    EXPECT_EQ(groups.choices(GroupId{4}, {PortNo{1}}), (Choices{{0}, {2}}));
    EXPECT_EQ(groups.choices(GroupId{4}, {}), (Choices{{2}}));
    EXPECT_TRUE(groups.choices(GroupId{5}, {}).empty());
    EXPECT_TRUE(groups.choices(GroupId{6}, {}).empty());
}

TEST(ReferenceGroups, BucketLivesWithPortOrGroup) {
    ReferenceGroups groups;
    groups.set(
        GroupId{1}, GroupType::fast_failover,
        {{.watch_port = PortNo{1}, .actions = {}}, {.watch_port = PortNo{2}, .actions = {}}});
    const Bucket both{.watch_port = PortNo{3}, .watch_group = GroupId{1}, .actions = {}};
    const auto live = [&](const Bucket& bucket, const ReferenceGroups::LivePorts& ports) {
        return groups.live(GroupType::fast_failover, bucket, ports);
    };
    EXPECT_TRUE(live(both, {PortNo{3}}));
    EXPECT_TRUE(live(both, {PortNo{2}}));
    EXPECT_FALSE(live(both, {PortNo{4}}));
    EXPECT_TRUE(live(Bucket{}, {}));
    EXPECT_FALSE(groups.live(GroupId{9}, {PortNo{1}}));
    groups.remove(GroupId{1});
    EXPECT_FALSE(live(both, {PortNo{1}}));
}

TEST(ReferenceGroups, BucketThatWatchesNothingIsAsLiveAsWhereItSends) {
    ReferenceGroups groups;
    const Bucket to_port{.actions = {OutputAction{PortNo{1}, 0}, OutputAction{PortNo{2}, 0}}};
    groups.set(GroupId{1}, GroupType::all, {to_port});
    const Bucket to_group{.actions = {GroupAction{GroupId{1}}}};
    const Bucket to_controller{.actions = {OutputAction{port::kController, 0}}};
    EXPECT_TRUE(groups.live(GroupType::select, to_port, {PortNo{2}}));
    EXPECT_FALSE(groups.live(GroupType::select, to_port, {PortNo{1}}));
    EXPECT_TRUE(groups.live(GroupType::select, to_group, {PortNo{2}}));
    EXPECT_FALSE(groups.live(GroupType::select, to_group, {}));
    EXPECT_TRUE(groups.live(GroupType::select, to_controller, {}));
    EXPECT_TRUE(groups.live(GroupType::fast_failover, to_port, {}));
}

TEST(ReferenceMeter, PassesItsRate) {
    ReferenceMeter meter(meter_flag::kKbps, {{.type = BandType::drop, .rate = 1000}}, 0);
    std::uint64_t passed = 0;
    // 1500 bytes every millisecond, 12 Mbit/s, for ten seconds.
    for (Time now = 0; now < 10 * kSecond; now += kSecond / 1000)
        if (!meter.packet(1500, now)) passed += 1500 * 8;
    EXPECT_NEAR(static_cast<double>(passed), 10'000'000.0 + 100'000.0, 12'000.0);
}

TEST(ReferenceMeter, BandOfTheHighestExceededRateActs) {
    ReferenceMeter meter(meter_flag::kPktps | meter_flag::kBurst,
                         {{.type = BandType::drop, .rate = 20, .burst_size = 20},
                          {.type = BandType::dscp_remark, .rate = 10, .burst_size = 10}},
                         0);
    std::vector<int> acted(3);
    for (int i = 0; i < 30; ++i) ++acted[meter.packet(64, 0).value_or(2)];
    EXPECT_EQ(acted, (std::vector{10, 10, 10}));              // dropped, remarked, passed
    EXPECT_EQ(meter.packet(64, kSecond / 10), std::nullopt);  // each band has its token again
}

// §5.7.1: the lower band acts on what is above its rate of what the higher one lets through.
TEST(ReferenceMeter, WhatABandActsOnTakesNothingFromLowerOnes) {
    ReferenceMeter meter(
        meter_flag::kPktps,
        {{.type = BandType::dscp_remark, .rate = 1000}, {.type = BandType::drop, .rate = 2000}}, 0);
    std::vector<int> acted(3);
    for (int i = 0; i < 30'000; ++i)  // 3000 a second for ten seconds
        ++acted[meter.packet(64, static_cast<Time>(i) * kSecond / 3000).value_or(2)];
    EXPECT_NEAR(acted[0], 10'000, 200);  // remarked
    EXPECT_NEAR(acted[1], 10'000, 300);  // dropped
    EXPECT_NEAR(acted[2], 10'000, 200);
}

TEST(ReferenceMeter, PacketLargerThanABucketTakesAFullOneAndLeavesADebt) {
    // A kbit/s and a burst of one kbit: 125 bytes.
    ReferenceMeter meter(meter_flag::kKbps | meter_flag::kBurst,
                         {{.type = BandType::drop, .rate = 1, .burst_size = 1}}, 0);
    EXPECT_EQ(meter.packet(1500, 0), std::nullopt);
    EXPECT_TRUE(meter.packet(1500, 11 * kSecond).has_value());  // the debt is paid
    EXPECT_EQ(meter.packet(1500, 12 * kSecond), std::nullopt);  // the bucket is full
}

TEST(ReferenceMeter, BurstOfZeroIsTheUsualOne) {
    ReferenceMeter meter(meter_flag::kPktps | meter_flag::kBurst,
                         {{.type = BandType::drop, .rate = 100, .burst_size = 0}}, 0);
    int passed = 0;
    for (int i = 0; i < 100; ++i) passed += meter.packet(64, 0) ? 0 : 1;
    EXPECT_EQ(passed, 10);
}

}  // namespace
}  // namespace raicho::agent
