// SPDX-License-Identifier: Apache-2.0
// What flow-mods are refused for (OF 1.3.5 §6.4, §7.4.4); a refused one changes nothing.
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

using enum FlowModCommand;
using DatapathFlowMod = Bench;

FlowMod with_action(Action action) {
    FlowMod mod = add_flow();
    mod.instructions.apply = ActionList{std::move(action)};
    return mod;
}

TEST_F(DatapathFlowMod, Table255IsForDeletesOnly) {
    for (const FlowModCommand command : {FlowModCommand::add, modify, modify_strict}) {
        FlowMod mod = flow(command);
        mod.table = kAllTables;
        EXPECT_EQ(result(mod), "OFPFMFC_BAD_TABLE_ID (2)");
    }
    EXPECT_EQ(store.size(), 0u);
}

TEST_F(DatapathFlowMod, GotoLeadsForwardOnly) {
    FlowMod mod = add_flow();
    mod.table = TableId{5};
    for (const std::uint8_t table : {std::uint8_t{0}, std::uint8_t{5}, std::uint8_t{255}}) {
        mod.instructions.go_to = TableId{table};
        EXPECT_EQ(result(mod), "OFPBIC_BAD_TABLE_ID (2)");
    }
    EXPECT_EQ(store.size(), 0u);
    mod.instructions.go_to = TableId{6};
    EXPECT_EQ(result(mod), "ok");
    mod.instructions.go_to = TableId{254};
    EXPECT_EQ(result(mod), "ok");
}

TEST_F(DatapathFlowMod, LastTableHasNowhereToGo) {
    FlowMod mod = add_flow();
    mod.table = TableId{254};
    mod.instructions.go_to = TableId{255};
    EXPECT_EQ(result(mod), "OFPBIC_BAD_TABLE_ID (2)");
}

// §4.5 and §6.4: "a port that will never be valid on a switch".
TEST_F(DatapathFlowMod, OutputToWhatIsNeverAPortIsRefused) {
    for (const std::uint32_t port : {0u, 0xffffff01u, 0xfffffff7u, 0xffffffffu, 0xfffffff9u})
        EXPECT_EQ(result(with_action(OutputAction{PortNo{port}, 0})), "OFPBAC_BAD_OUT_PORT (4)")
            << port;
    FlowMod write = add_flow();
    write.instructions = {};
    write.instructions.write = ActionList{OutputAction{port::kTable, 0}};
    EXPECT_EQ(result(write), "OFPBAC_BAD_OUT_PORT (4)");
    EXPECT_EQ(store.size(), 0u);
}

TEST_F(DatapathFlowMod, OutputToAPortToComeIsTaken) {
    EXPECT_EQ(result(with_action(OutputAction{PortNo{4711}, 0})), "ok");
    EXPECT_EQ(result(with_action(OutputAction{port::kMax, 0})), "ok");
}

TEST_F(DatapathFlowMod, OutputToEachReservedPortIsTaken) {
    for (const PortNo port :
         {port::kInPort, port::kNormal, port::kFlood, port::kAll, port::kController, port::kLocal})
        EXPECT_EQ(result(with_action(OutputAction{port, 128})), "ok") << port.value();
}

TEST_F(DatapathFlowMod, UnknownGroupQueueAndMetersAreRefused) {
    EXPECT_EQ(result(with_action(GroupAction{GroupId{1}})), "OFPBAC_BAD_OUT_GROUP (9)");
    EXPECT_EQ(result(with_action(SetQueue{1})), "OFPBAC_BAD_QUEUE (8)");
    FlowMod mod = add_flow();
    mod.instructions.meter = MeterId{1};
    EXPECT_EQ(result(mod), "OFPMMFC_UNKNOWN_METER (3)");
    EXPECT_EQ(store.size(), 0u);
}

TEST_F(DatapathFlowMod, SetFieldThatTheMatchDoesNotWarrantIsRefused) {
    const SetField set{Field::tcp_dst, field_value(Field::tcp_dst, 80)};
    EXPECT_EQ(result(with_action(set)), "OFPBAC_MATCH_INCONSISTENT (10)");
    FlowMod mod = with_action(set);
    mod.match = match({{Field::eth_type, 0x800}, {Field::ip_proto, 6}});
    EXPECT_EQ(result(mod), "ok");
}

TEST_F(DatapathFlowMod, UnknownFlagsAreRefused) {
    FlowMod mod = add_flow();
    mod.flags = 0x20;
    EXPECT_EQ(result(mod), "OFPFMFC_BAD_FLAGS (7)");
}

TEST_F(DatapathFlowMod, UnknownBufferIsRefusedAndNothingChanges) {
    for (const FlowModCommand command : {FlowModCommand::add, modify, modify_strict}) {
        FlowMod mod = flow(command);
        mod.buffer_id = 1;
        EXPECT_EQ(result(mod), "OFPBRC_BUFFER_UNKNOWN (8)");
    }
    EXPECT_EQ(store.size(), 0u);
}

TEST_F(DatapathFlowMod, FullTableIsRefusedButReplacingStillWorks) {
    store = VectorFlowStore(2);
    tell(add_flow(match({{Field::in_port, 1}})));
    tell(add_flow(match({{Field::in_port, 2}})));
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 3}}))), "OFPFMFC_TABLE_FULL (1)");
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 2}}), 1, output_to(3))), "ok");
    EXPECT_EQ(store.size(), 2u);
}

TEST_F(DatapathFlowMod, WaitsWithAllBehindItUntilTheStoreIsReady) {
    store.set_ready(false);
    EXPECT_EQ(result(add_flow()), "ok");
    EXPECT_EQ(result(BarrierRequest{}), "ok");
    EXPECT_EQ(store.size(), 0u);
    EXPECT_TRUE(datapath().wants_poll());
    pass(1);
    EXPECT_TRUE(outbox.items.empty());
    store.set_ready(true);
    pass(1);
    EXPECT_EQ(store.size(), 1u);
    EXPECT_EQ(sent<BarrierReply>().size(), 1u);
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathFlowMod, ReadingStopsWhileManyWaitForTheStore) {
    store.set_ready(false);
    for (int i = 0; datapath().accepts(kAlice); ++i) {
        ASSERT_LT(i, 5000);
        tell(add_flow());
    }
    store.set_ready(true);
    pass(1);
    EXPECT_TRUE(datapath().accepts(kAlice));
}

TEST_F(DatapathFlowMod, AFullTableWaitsForRowsThatComeBackAndNoLonger) {
    store = VectorFlowStore(1);
    FlowMod first = add_flow();
    first.flags = flow_flag::kSendFlowRem;
    EXPECT_EQ(result(first), "ok");
    store.set_grace(VectorFlowStore::Grace::held);
    EXPECT_EQ(result(flow(FlowModCommand::remove)), "ok");
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 2}}))), "ok");
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 3}}))), "ok");
    EXPECT_EQ(store.size(), 0u);
    store.set_grace(VectorFlowStore::Grace::passes);
    pass(1);
    EXPECT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_TRUE(store.find_strict(TableId(0), 1, match({{Field::in_port, 2}})));
    const auto errors = sent<ErrorMsg>();  // nothing more comes back for the second
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(error_code_name(errors[0].type, errors[0].code), "OFPFMFC_TABLE_FULL (1)");
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathFlowMod, ARestoredFlowGoesOnWithItsAgeAndCounts) {
    EXPECT_EQ(result(add_flow()), "ok");
    const FlowId flow = *store.find_strict(TableId(0), 1, Match{});
    const FlowHead head = store.head(flow);
    const Instructions instructions = store.instructions(flow);
    store.hit(flow, 60, now);
    pass(kSecond);
    EXPECT_TRUE(datapath().flow_mod(add_flow({}, 1, output_to(9)), now));
    EXPECT_TRUE(datapath().restore_flow(head, Match{}, instructions));
    const FlowId again = *store.find_strict(TableId(0), 1, Match{});
    EXPECT_EQ(store.head(again).created, head.created);
    EXPECT_EQ(store.instructions(again), instructions);
    EXPECT_EQ(store.counts(again).packets, 1u);
}

TEST_F(DatapathFlowMod, FromTheOperatorItIsCheckedAndActsTheSame) {
    FlowMod mod = add_flow();
    EXPECT_TRUE(datapath().flow_mod(mod, now));
    EXPECT_EQ(store.size(), 1u);
    mod.table = kAllTables;
    const auto refused = datapath().flow_mod(mod, now);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().type, ErrorType::flow_mod_failed);
    EXPECT_EQ(refused.error().why, "table 255 (all) is for deletes only");
}

TEST_F(DatapathFlowMod, ATestAnswersAsTheFlowModWouldAndChangesNothing) {
    FlowMod mod = add_flow();
    EXPECT_TRUE(datapath().test_flow(mod));
    EXPECT_EQ(store.size(), 0u);
    EXPECT_TRUE(datapath().flow_mod(mod, now));
    mod.flags = flow_flag::kCheckOverlap;
    const auto overlap = datapath().test_flow(mod);
    const auto applied = datapath().flow_mod(mod, now);
    ASSERT_FALSE(overlap);
    ASSERT_FALSE(applied);
    EXPECT_EQ(overlap.error().code, applied.error().code);
    mod.flags = 0;
    mod.instructions.go_to = TableId(0);
    ASSERT_FALSE(datapath().test_flow(mod));
    EXPECT_EQ(datapath().test_flow(mod).error().type, ErrorType::bad_instruction);
    mod.command = FlowModCommand::remove;
    EXPECT_EQ(datapath().selected(mod).size(), 1u);
    EXPECT_EQ(store.size(), 1u);
}

}  // namespace
}  // namespace raicho::agent::test
