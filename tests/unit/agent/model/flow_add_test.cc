// SPDX-License-Identifier: Apache-2.0
// OFPFC_ADD (OF 1.3.5 §6.4).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

using DatapathFlowAdd = Bench;

TEST_F(DatapathFlowAdd, EntryHoldsWhatWasSent) {
    FlowMod mod =
        add_flow(match({{Field::in_port, 1}, {Field::eth_type, 0x800}}), 77, output_to(2));
    mod.cookie = 0xabc;
    mod.table = TableId{4};
    mod.idle_timeout = 5;
    mod.hard_timeout = 9;
    mod.flags = flow_flag::kSendFlowRem | flow_flag::kNoPktCounts | flow_flag::kNoBytCounts;
    EXPECT_EQ(result(mod), "ok");
    ASSERT_EQ(store.size(), 1u);
    EXPECT_EQ(store.head(FlowId{0}), (FlowHead{TableId{4}, 77, 5, 9, mod.flags, 0xabc, now}));
    EXPECT_EQ(store.match(FlowId{0}), mod.match);
    EXPECT_EQ(store.instructions(FlowId{0}), mod.instructions);
}

TEST_F(DatapathFlowAdd, SameMatchInOtherTableOrPriorityIsAnotherEntry) {
    FlowMod mod = add_flow(match({{Field::in_port, 1}}), 1);
    EXPECT_EQ(result(mod), "ok");
    mod.priority = 2;
    EXPECT_EQ(result(mod), "ok");
    mod.table = TableId{254};
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(store.size(), 3u);
}

TEST_F(DatapathFlowAdd, IdenticalEntryIsReplacedWithItsDurationAndKeepsItsCounters) {
    tell(add_flow(match({{Field::in_port, 1}}), 1, output_to(1)));
    store.hit(FlowId{0}, 60, now);
    pass(3 * kSecond);
    FlowMod again = add_flow(match({{Field::in_port, 1}}), 1, output_to(2));
    again.cookie = 9;
    again.flags = flow_flag::kSendFlowRem;
    EXPECT_EQ(result(again), "ok");
    ASSERT_EQ(store.size(), 1u);
    EXPECT_EQ(store.head(FlowId{0}).created, now);
    EXPECT_EQ(store.head(FlowId{0}).cookie, 9u);
    EXPECT_EQ(store.instructions(FlowId{0}), output_to(2));
    EXPECT_EQ(store.counts(FlowId{0}).packets, 1u);
    EXPECT_EQ(store.counts(FlowId{0}).bytes, 60u);
}

TEST_F(DatapathFlowAdd, IdenticalEntryMeansSameFieldsInAnyOrder) {
    tell(add_flow(match({{Field::in_port, 1}, {Field::eth_type, 0x800}})));
    tell(add_flow(match({{Field::eth_type, 0x800}, {Field::in_port, 1}})));
    EXPECT_EQ(store.size(), 1u);
}

TEST_F(DatapathFlowAdd, ResetCountsClearsTheReplacedCounters) {
    tell(add_flow());
    store.hit(FlowId{0}, 60, now);
    FlowMod again = add_flow();
    again.flags = flow_flag::kResetCounts;
    EXPECT_EQ(result(again), "ok");
    EXPECT_EQ(store.counts(FlowId{0}).packets, 0u);
    EXPECT_EQ(store.counts(FlowId{0}).bytes, 0u);
}

TEST_F(DatapathFlowAdd, ReplacedEntryLeavesNoFlowRemoved) {
    FlowMod mod = add_flow();
    mod.flags = flow_flag::kSendFlowRem;
    tell(mod);
    outbox.items.clear();
    tell(mod);
    pass(kSecond);
    EXPECT_TRUE(sent<FlowRemoved>().empty());
}

TEST_F(DatapathFlowAdd, ReplacedEntryTakesItsTimeoutsAlong) {
    FlowMod mod = add_flow();
    mod.hard_timeout = 2;
    tell(mod);
    mod.hard_timeout = 0;
    tell(mod);
    pass(10 * kSecond);
    EXPECT_EQ(store.size(), 1u);
    EXPECT_EQ(datapath().next_tick(), kNever);
}

TEST_F(DatapathFlowAdd, CookieMaskIsIgnored) {
    FlowMod mod = add_flow();
    mod.cookie = 5;
    mod.cookie_mask = 0xff;
    EXPECT_EQ(result(mod), "ok");
    mod.cookie = 6;
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(store.head(FlowId{0}).cookie, 6u);
}

TEST_F(DatapathFlowAdd, CheckOverlapRefusesWhatOnePacketMayMatchToo) {
    tell(add_flow(ipv4_net(0x0a000000, 8), 5));
    FlowMod mod = add_flow(ipv4_net(0x0a010000, 16), 5);
    mod.flags = flow_flag::kCheckOverlap;
    EXPECT_EQ(result(mod), "OFPFMFC_OVERLAP (3)");
    EXPECT_EQ(store.size(), 1u);
    mod.match = match({{Field::in_port, 1}});
    EXPECT_EQ(result(mod), "OFPFMFC_OVERLAP (3)");
}

TEST_F(DatapathFlowAdd, CheckOverlapRefusesTheIdenticalEntryToo) {
    FlowMod mod = add_flow(match({{Field::in_port, 1}}));
    tell(mod);
    mod.flags = flow_flag::kCheckOverlap;
    EXPECT_EQ(result(mod), "OFPFMFC_OVERLAP (3)");
}

TEST_F(DatapathFlowAdd, CheckOverlapTakesDisjointOtherPriorityAndOtherTable) {
    tell(add_flow(ipv4_net(0x0a000000, 8), 5));
    FlowMod mod = add_flow(ipv4_net(0x0b000000, 8), 5);
    mod.flags = flow_flag::kCheckOverlap;
    EXPECT_EQ(result(mod), "ok");
    mod.match = ipv4_net(0x0a010000, 16);
    mod.priority = 6;
    EXPECT_EQ(result(mod), "ok");
    mod.priority = 5;
    mod.table = TableId{1};
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(store.size(), 4u);
}

TEST_F(DatapathFlowAdd, WithoutCheckOverlapEntriesMayOverlap) {
    tell(add_flow(ipv4_net(0x0a000000, 8), 5));
    EXPECT_EQ(result(add_flow(ipv4_net(0x0a010000, 16), 5)), "ok");
}

}  // namespace
}  // namespace raicho::agent::test
