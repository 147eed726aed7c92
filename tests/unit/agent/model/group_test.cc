// SPDX-License-Identifier: Apache-2.0
// Groups as a controller sees them (OF 1.3.5 §5.6, §6.7, §7.3.4.2, §7.3.5.9 to §7.3.5.11).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

GroupMod group(GroupModCommand command, std::uint32_t id, GroupType type = GroupType::all,
               Buckets buckets = {}) {
    return {command, type, GroupId{id}, std::move(buckets)};
}
GroupMod add_group(std::uint32_t id, GroupType type = GroupType::all, Buckets buckets = {}) {
    return group(GroupModCommand::add, id, type, std::move(buckets));
}
GroupMod delete_group(GroupId id) {
    return {GroupModCommand::remove, GroupType::all, id, {}};
}
Bucket to_port(std::uint32_t port) {
    return {.actions = {OutputAction{PortNo{port}, 0}}};
}
Bucket to_group(std::uint32_t id) {
    return {.actions = {GroupAction{GroupId{id}}}};
}
Instructions send_to(std::uint32_t id) {
    Instructions out;
    out.apply = ActionList{GroupAction{GroupId{id}}};
    return out;
}

class DatapathGroup : public Bench {
  protected:
    std::vector<GroupStats> stats(GroupId id = group::kAll) {
        const auto reply = answer<MultipartReply>(MultipartRequest{0, GroupStatsRequest{id}});
        return std::get<std::vector<GroupStats>>(reply.body);
    }
    std::vector<GroupDesc> descs() {
        const auto reply = answer<MultipartReply>(MultipartRequest{0, GroupDescRequest{}});
        return std::get<std::vector<GroupDesc>>(reply.body);
    }
};

TEST_F(DatapathGroup, DescEchoesWhatWasSent) {
    const Buckets buckets{
        {.weight = 3,
         .watch_port = PortNo{2},
         .actions = {SetField{Field::eth_dst, field_value(Field::eth_dst, 5)},
                     OutputAction{port::kController, 77}, OutputAction{PortNo{1}, 9}}},
        {.weight = 0, .actions = {}}};
    EXPECT_EQ(result(add_group(0, GroupType::select, buckets)), "ok");
    EXPECT_EQ(result(add_group(5)), "ok");
    const auto all = descs();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].group, GroupId{0});
    EXPECT_EQ(all[0].type, GroupType::select);
    EXPECT_EQ(all[0].buckets, buckets);
    EXPECT_EQ(all[1].group, GroupId{5});
    EXPECT_TRUE(all[1].buckets.empty());
}

TEST_F(DatapathGroup, ExistingGroupIsNotAddedAgain) {
    EXPECT_EQ(result(add_group(1, GroupType::all, {to_port(1)})), "ok");
    EXPECT_EQ(result(add_group(1)), "OFPGMFC_GROUP_EXISTS (0)");
    EXPECT_EQ(descs().at(0).buckets.size(), 1u);
}

TEST_F(DatapathGroup, UnknownGroupIsNotModified) {
    EXPECT_EQ(result(group(GroupModCommand::modify, 1)), "OFPGMFC_UNKNOWN_GROUP (8)");
    EXPECT_EQ(groups.size(), 0u);
}

TEST_F(DatapathGroup, BadGroupsAreRefused) {
    EXPECT_EQ(result(add_group(0xffffff01)), "OFPGMFC_INVALID_GROUP (1)");
    EXPECT_EQ(result(add_group(1, GroupType::indirect)), "OFPGMFC_INVALID_GROUP (1)");
    EXPECT_EQ(result(add_group(1, GroupType::all, {{.weight = 1, .actions = {}}})),
              "OFPGMFC_BAD_BUCKET (12)");
    EXPECT_EQ(result(add_group(1, GroupType::all, {{.watch_port = PortNo{1}, .actions = {}}})),
              "OFPGMFC_WATCH_UNSUPPORTED (6)");
    EXPECT_EQ(result(add_group(1, GroupType::fast_failover, {{}})), "OFPGMFC_BAD_WATCH (13)");
    EXPECT_EQ(result(add_group(1, GroupType::fast_failover,
                               {{.watch_group = GroupId{9}, .actions = {}}})),
              "OFPGMFC_BAD_WATCH (13)");
    EXPECT_EQ(groups.size(), 0u);
}

TEST_F(DatapathGroup, BucketsNameOnlyWhatThereIs) {
    EXPECT_EQ(result(add_group(1, GroupType::all, {to_group(2)})), "OFPBAC_BAD_OUT_GROUP (9)");
    EXPECT_EQ(result(add_group(1, GroupType::all, {{.actions = {SetQueue{1}}}})),
              "OFPBAC_BAD_QUEUE (8)");
    EXPECT_EQ(result(add_group(1, GroupType::all, {{.actions = {OutputAction{port::kTable, 0}}}})),
              "OFPBAC_BAD_OUT_PORT (4)");
    plane.port_queues = {{.queue = 1, .port = PortNo{3}}};
    EXPECT_EQ(result(add_group(2, GroupType::all, {{.actions = {SetQueue{1}}}})), "ok");
    EXPECT_EQ(result(add_group(1, GroupType::all, {to_group(2), to_port(99)})), "ok");
}

TEST_F(DatapathGroup, LoopsAreFound) {
    EXPECT_EQ(result(add_group(1, GroupType::all, {to_group(1)})), "OFPGMFC_LOOP (7)");
    EXPECT_EQ(result(add_group(1)), "ok");
    EXPECT_EQ(result(add_group(2, GroupType::all, {to_group(1)})), "ok");
    EXPECT_EQ(result(add_group(3, GroupType::all, {to_port(1), to_group(2)})), "ok");
    EXPECT_EQ(result(group(GroupModCommand::modify, 1, GroupType::all, {to_group(3)})),
              "OFPGMFC_LOOP (7)");
    EXPECT_TRUE(descs().at(0).buckets.empty());
    // Two that look at each other's liveness never come to an answer either.
    EXPECT_EQ(result(group(GroupModCommand::modify, 1, GroupType::fast_failover,
                           {{.watch_group = GroupId{3}, .actions = {}}})),
              "OFPGMFC_LOOP (7)");
    // Two ways to the same group are no loop.
    EXPECT_EQ(result(group(GroupModCommand::modify, 3, GroupType::all, {to_group(2), to_group(1)})),
              "ok");
}

TEST_F(DatapathGroup, StoreSaysWhatItCannotHold) {
    groups.set_limits({2, 1});
    EXPECT_EQ(result(add_group(1, GroupType::all, {{}, {}})), "OFPGMFC_OUT_OF_BUCKETS (4)");
    EXPECT_EQ(result(add_group(1)), "ok");
    EXPECT_EQ(result(group(GroupModCommand::modify, 1, GroupType::all, {{}, {}})),
              "OFPGMFC_OUT_OF_BUCKETS (4)");
    EXPECT_EQ(result(add_group(2)), "ok");
    EXPECT_EQ(result(add_group(3)), "OFPGMFC_OUT_OF_GROUPS (3)");
}

TEST_F(DatapathGroup, RoomThatComesBackIsWaitedFor) {
    groups.set_limits({1, 8});
    tell(add_group(1));
    groups.set_reclaims(true);
    plane.passed = 0;
    EXPECT_TRUE(ask(add_group(2)).empty());
    groups.set_limits({2, 8});
    plane.passed = ~0ull;
    pass(1);
    EXPECT_TRUE(outbox.items.empty());
    EXPECT_TRUE(groups.contains(GroupId{2}));
}

TEST_F(DatapathGroup, WaitsForAStoreThatIsNotReady) {
    groups.set_ready(false);
    EXPECT_TRUE(ask(add_group(1)).empty());
    EXPECT_EQ(groups.size(), 0u);
    groups.set_ready(true);
    pass(1);
    EXPECT_EQ(groups.size(), 1u);
}

TEST_F(DatapathGroup, StatsCountFromTheAdd) {
    tell(add_group(1, GroupType::all, {to_port(1), to_port(2)}));
    groups.hit(GroupId{1}, 100, {0, 1});
    groups.hit(GroupId{1}, 60, {1});
    pass(3 * kSecond + 5);
    const auto all = stats();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].packet_count, 2u);
    EXPECT_EQ(all[0].byte_count, 160u);
    EXPECT_EQ(all[0].duration_sec, 3u);
    EXPECT_EQ(all[0].duration_nsec, 5u);
    EXPECT_EQ(all[0].buckets, (std::vector<BucketCount>{{1, 100}, {2, 160}}));
}

TEST_F(DatapathGroup, ModifyKeepsTheGroupsCountersAndClearsTheBuckets) {  // §6.7
    tell(add_group(1, GroupType::all, {to_port(1)}));
    groups.hit(GroupId{1}, 100, {0});
    pass(2 * kSecond);
    EXPECT_EQ(result(group(GroupModCommand::modify, 1, GroupType::select,
                           {{.weight = 1, .actions = {}}, {.weight = 2, .actions = {}}})),
              "ok");
    const auto now_stats = stats().at(0);
    EXPECT_EQ(now_stats.packet_count, 1u);
    EXPECT_EQ(now_stats.duration_sec, 2u);
    EXPECT_EQ(now_stats.buckets, (std::vector<BucketCount>{{0, 0}, {0, 0}}));
    EXPECT_EQ(descs().at(0).type, GroupType::select);
}

TEST_F(DatapathGroup, StatsOfOneGroupAndOfNone) {
    tell(add_group(1));
    tell(add_group(2));
    EXPECT_EQ(stats(GroupId{2}).size(), 1u);
    EXPECT_TRUE(stats(GroupId{3}).empty());
}

TEST_F(DatapathGroup, ReferenceCountsFlowsAndGroups) {
    tell(add_group(1));
    tell(add_group(2, GroupType::all, {to_group(1), to_group(1)}));
    EXPECT_EQ(stats(GroupId{1}).at(0).ref_count, 1u);
    Instructions both = send_to(1);
    both.write = ActionList{GroupAction{GroupId{1}}};
    tell(add_flow(match({{Field::in_port, 1}}), 1, both));
    tell(add_flow(match({{Field::in_port, 2}}), 1, send_to(1)));
    EXPECT_EQ(stats(GroupId{1}).at(0).ref_count, 3u);
    tell(add_flow(match({{Field::in_port, 2}}), 1, send_to(2)));  // takes the place
    EXPECT_EQ(stats(GroupId{1}).at(0).ref_count, 2u);
    EXPECT_EQ(stats(GroupId{2}).at(0).ref_count, 1u);
    FlowMod modify = flow(FlowModCommand::modify);
    modify.instructions = send_to(2);
    tell(modify);
    EXPECT_EQ(stats(GroupId{1}).at(0).ref_count, 1u);
    EXPECT_EQ(stats(GroupId{2}).at(0).ref_count, 2u);
    restart();
    EXPECT_EQ(stats(GroupId{2}).at(0).ref_count, 2u);
    tell(flow(FlowModCommand::remove));
    EXPECT_EQ(stats(GroupId{2}).at(0).ref_count, 0u);
}

TEST_F(DatapathGroup, DeleteTakesTheFlowsThatUseIt) {
    tell(add_group(1));
    tell(add_group(2));
    FlowMod told = add_flow(match({{Field::in_port, 1}}), 1, send_to(1));
    told.flags = flow_flag::kSendFlowRem;
    tell(told);
    Instructions written;
    written.write = ActionList{GroupAction{GroupId{1}}};
    tell(add_flow(match({{Field::in_port, 2}}), 1, written));
    tell(add_flow(match({{Field::in_port, 3}}), 1, send_to(2)));
    EXPECT_EQ(result(delete_group(GroupId{1})), "ok");
    pass(1);
    EXPECT_EQ(store.size(), 1u);
    const auto removed = sent<FlowRemoved>();
    ASSERT_EQ(removed.size(), 1u);
    EXPECT_EQ(removed[0].reason, FlowRemovedReason::group_delete);
    EXPECT_EQ(groups.size(), 1u);
}

TEST_F(DatapathGroup, DeleteOfAllTakesChainsToo) {
    tell(add_group(3));
    tell(add_group(1, GroupType::all, {to_group(3)}));
    tell(add_group(2, GroupType::all, {to_group(1), to_group(3)}));
    tell(add_flow({}, 1, send_to(2)));
    EXPECT_EQ(result(delete_group(group::kAll)), "ok");
    EXPECT_EQ(groups.size(), 0u);
    EXPECT_EQ(store.size(), 0u);
    EXPECT_EQ(result(delete_group(group::kAll)), "ok");
}

TEST_F(DatapathGroup, GroupThatAnotherSendsToStays) {
    tell(add_group(1));
    tell(add_group(2, GroupType::all, {to_group(1)}));
    tell(add_flow({}, 1, send_to(1)));
    EXPECT_EQ(result(delete_group(GroupId{1})), "OFPGMFC_CHAINED_GROUP (9)");
    EXPECT_EQ(groups.size(), 2u);
    EXPECT_EQ(store.size(), 1u);
}

TEST_F(DatapathGroup, DeleteOfNothingIsNoError) {
    EXPECT_EQ(result(delete_group(GroupId{1})), "ok");
    EXPECT_EQ(result(delete_group(group::kAny)), "OFPGMFC_INVALID_GROUP (1)");
}

TEST_F(DatapathGroup, FlowsNameOnlyGroupsThatAreThere) {
    EXPECT_EQ(result(add_flow({}, 1, send_to(1))), "OFPBAC_BAD_OUT_GROUP (9)");
    tell(add_group(1));
    EXPECT_EQ(result(add_flow({}, 1, send_to(1))), "ok");
    PacketOut out{.actions = {GroupAction{GroupId{1}}}, .data = ByteVector(60)};
    EXPECT_EQ(result(out), "ok");
    EXPECT_EQ(plane.sent.size(), 1u);
}

TEST_F(DatapathGroup, FeaturesSayWhatTheStoreHolds) {
    const auto features = [&] {
        return std::get<GroupFeatures>(
            answer<MultipartReply>(MultipartRequest{0, GroupFeaturesRequest{}}).body);
    };
    EXPECT_EQ(features().types, 0xfu);
    EXPECT_EQ(features().capabilities, 0xfu);
    EXPECT_EQ(features().max_groups[3], 4096u);
    EXPECT_EQ(features().actions[0], 0xffffu);
    groups.set_limits({0, 0});
    EXPECT_EQ(features().types, 0u);
    EXPECT_EQ(features().max_groups[0], 0u);
}

}  // namespace
}  // namespace raicho::agent::test
