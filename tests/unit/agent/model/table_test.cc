// SPDX-License-Identifier: Apache-2.0
// Table-mod, table features and the pipeline that they make (OF 1.3.5 §7.3.3, §7.3.5.5).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

using TablePropertyType::apply_actions;
using TablePropertyType::apply_setfield_miss;
using TablePropertyType::instructions;
using TablePropertyType::next_tables;
using TablePropertyType::next_tables_miss;
using TablePropertyType::wildcards;

TableFeatures table(std::uint8_t id, std::uint32_t max_entries = 0,
                    std::vector<TableProperty> properties = {}) {
    return {.table = TableId{id},
            .name = "t" + std::to_string(id),
            .metadata_match = 0xff,
            .metadata_write = 0xff,
            .config = 0,
            .max_entries = max_entries,
            .properties = std::move(properties)};
}

class DatapathTable : public Bench {
  protected:
    std::vector<TableFeatures> features() { return reply_to({}); }
    std::vector<TableFeatures> reply_to(std::vector<TableFeatures> wanted) {
        const auto reply =
            answer<MultipartReply>(MultipartRequest{0, TableFeaturesRequest{std::move(wanted)}});
        return std::get<std::vector<TableFeatures>>(reply.body);
    }
    std::string set(std::vector<TableFeatures> wanted) {
        return result(MultipartRequest{0, TableFeaturesRequest{std::move(wanted)}});
    }
    static const TableProperty& property(const TableFeatures& table, TablePropertyType type) {
        return *std::ranges::find(table.properties, type, &TableProperty::type);
    }
    FlowMod in_table(std::uint8_t id, FlowMod mod = add_flow()) {
        mod.table = TableId{id};
        return mod;
    }
};

TEST_F(DatapathTable, ABridgeHasItsShareOfTablesAndFlows) {
    datapath().set_share({.max_flows = 2, .n_tables = 3});
    EXPECT_EQ(answer<FeaturesReply>(FeaturesRequest{}).n_tables, 3);
    const auto tables = features();
    ASSERT_EQ(tables.size(), 3u);
    EXPECT_EQ(tables[0].max_entries, 2u);
    EXPECT_EQ(std::get<InstructionSet>(property(tables[2], instructions).list).bits, 0b1111100u);
    EXPECT_EQ(result(in_table(3)), "OFPFMFC_BAD_TABLE_ID (2)");
    EXPECT_EQ(set({table(3)}), "OFPTFFC_BAD_TABLE (0)");
    EXPECT_EQ(result(in_table(2)), "ok");
    EXPECT_EQ(result(in_table(1)), "ok");
    EXPECT_EQ(result(in_table(0)), "OFPFMFC_TABLE_FULL (1)");
    EXPECT_EQ(result(in_table(1)), "ok");  // replaces the one that is there
    datapath().set_share({});
    EXPECT_EQ(result(in_table(0)), "ok");
    EXPECT_EQ(features().size(), 255u);
}

TEST_F(DatapathTable, FeaturesTellOfEveryTable) {
    const auto tables = features();
    ASSERT_EQ(tables.size(), 255u);
    EXPECT_EQ(tables[254].table, TableId{254});
    EXPECT_EQ(tables[0].max_entries, kMaxFlows);
    const auto& first = std::get<InstructionSet>(property(tables[0], instructions).list);
    EXPECT_EQ(first.bits, 0b1111110u);
    const auto& last = std::get<InstructionSet>(property(tables[254], instructions).list);
    EXPECT_EQ(last.bits, 0b1111100u);  // no goto from the last table
    EXPECT_EQ(std::get<TableSet>(property(tables[253], next_tables).list).tables.count(), 1u);
    const auto& fields = std::get<FieldSet>(property(tables[0], TablePropertyType::match).list);
    EXPECT_EQ(fields.fields, (1ull << kFields) - 1);
}

TEST_F(DatapathTable, FeaturesOfferGroupsAndMetersWhereThereAreSome) {
    groups.set_limits({0, 0});
    meters.set_limits({0, 0});
    const auto tables = features();
    EXPECT_EQ(std::get<InstructionSet>(property(tables[0], instructions).list).bits, 0b111110u);
    EXPECT_EQ(std::get<ActionKinds>(property(tables[0], apply_actions).list).bits,
              0xffffu & ~(1u << Action(GroupAction{}).index()));
}

TEST_F(DatapathTable, SetMakesThePipelineWhatItLists) {
    const auto now_tables = reply_to({table(0, 10), table(4), table(9)});
    ASSERT_EQ(now_tables.size(), 3u);
    EXPECT_EQ(now_tables[0].name, "t0");
    EXPECT_EQ(now_tables[0].max_entries, 10u);
    EXPECT_EQ(now_tables[1].max_entries, kMaxFlows);
    EXPECT_EQ(std::get<TableSet>(property(now_tables[0], next_tables).list).tables.count(), 2u);
    EXPECT_EQ(std::get<InstructionSet>(property(now_tables[2], instructions).list).bits & 2, 0u);
    EXPECT_EQ(result(in_table(1)), "OFPFMFC_BAD_TABLE_ID (2)");
    FlowMod to_removed = add_flow();
    to_removed.instructions.go_to = TableId{5};
    EXPECT_EQ(result(to_removed), "OFPBIC_BAD_TABLE_ID (2)");
    EXPECT_EQ(result(in_table(4)), "ok");
    EXPECT_EQ(result(MultipartRequest{0, TableStatsRequest{}}), "answered");
    EXPECT_EQ(std::get<std::vector<TableStats>>(sent<MultipartReply>().at(0).body).size(), 3u);
}

TEST_F(DatapathTable, SetTakesFlowsOfTablesThatGoAndThoseThatLeadThere) {
    FlowMod leads = in_table(0, add_flow(match({{Field::in_port, 1}})));
    leads.instructions.go_to = TableId{5};
    leads.flags = flow_flag::kSendFlowRem;
    tell(leads);
    tell(in_table(0, add_flow(match({{Field::in_port, 2}}))));
    tell(in_table(5));
    EXPECT_EQ(set({table(0), table(1)}), "answered");
    EXPECT_EQ(store.size(), 1u);
    pass(1);
    EXPECT_EQ(sent<FlowRemoved>().size(), 1u);
}

TEST_F(DatapathTable, RequestForATableThatIsGoneIsRefused) {
    EXPECT_EQ(set({table(0)}), "answered");
    FlowStatsRequest request;
    request.table = TableId{1};
    EXPECT_EQ(result(MultipartRequest{0, request}), "OFPBRC_BAD_TABLE_ID (9)");
    EXPECT_EQ(result(MultipartRequest{0, AggregateRequest{request}}), "OFPBRC_BAD_TABLE_ID (9)");
}

TEST_F(DatapathTable, SetBringsTablesBack) {
    EXPECT_EQ(reply_to({table(0)}).size(), 1u);
    EXPECT_EQ(reply_to({table(0), table(1)}).size(), 2u);
    EXPECT_EQ(result(in_table(1)), "ok");
}

TEST_F(DatapathTable, SizeOfATableIsKept) {
    EXPECT_EQ(set({table(0, 2), table(1)}), "answered");
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 1}}))), "ok");
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 2}}))), "ok");
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 3}}))), "OFPFMFC_TABLE_FULL (1)");
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 2}}))), "ok");  // takes a place
    EXPECT_EQ(result(in_table(1, add_flow(match({{Field::in_port, 3}})))), "ok");
    tell(flow(FlowModCommand::remove, match({{Field::in_port, 1}})));
    EXPECT_EQ(result(add_flow(match({{Field::in_port, 3}}))), "ok");
}

TEST_F(DatapathTable, SetOfMoreThanTablesCanDoIsRefusedWhole) {
    const std::string argument = "OFPTFFC_BAD_ARGUMENT (4)";
    EXPECT_EQ(set({table(0), table(0)}), "OFPTFFC_BAD_TABLE (0)");
    EXPECT_EQ(set({table(255)}), "OFPTFFC_BAD_TABLE (0)");
    EXPECT_EQ(set({table(0, kMaxFlows + 1)}), argument);
    TableFeatures config = table(0);
    config.config = 4;
    EXPECT_EQ(set({config}), argument);
    TableSet next;
    next.tables.set(3);
    EXPECT_EQ(set({table(0, 0, {{next_tables, next}})}), argument);  // 3 is not listed
    EXPECT_EQ(set({table(3, 0, {{next_tables_miss, next}})}), argument);
    EXPECT_EQ(set({table(0, 0, {{instructions, InstructionSet{1u << 1}}})}), argument);
    FieldSet masked{.fields = 1, .masked = 1};  // in_port takes no mask
    EXPECT_EQ(set({table(0, 0, {{TablePropertyType::match, masked}})}), argument);
    EXPECT_EQ(set({table(0, 0, {{apply_setfield_miss, FieldSet{.fields = 1}}})}), argument);
    EXPECT_EQ(set({table(0, 0, {{apply_actions, ActionKinds{1}}, {apply_actions, ActionKinds{}}})}),
              "OFPTFFC_BAD_TYPE (2)");
    EXPECT_EQ(features().size(), 255u);
}

TEST_F(DatapathTable, SetOfWhatTablesCanDoIsTaken) {
    const auto all = features();
    EXPECT_EQ(set(all), "answered");
    EXPECT_EQ(features().size(), 255u);
    FieldSet idle{.fields = 1, .masked = 1};  // a mask bit in a list of wildcards means nothing
    EXPECT_EQ(set({table(0, 0, {{wildcards, idle}})}), "answered");
}

TEST_F(DatapathTable, RequestMayComeInParts) {
    EXPECT_TRUE(ask(MultipartRequest{1, TableFeaturesRequest{{table(0)}}}).empty());
    EXPECT_TRUE(ask(MultipartRequest{1, TableFeaturesRequest{{table(1)}}}).empty());
    EXPECT_EQ(reply_to({table(2)}).size(), 3u);
}

TEST_F(DatapathTable, PartsThatDoNotFitAreForgotten) {
    const std::string overflow = "OFPBRC_MULTIPART_BUFFER_OVERFLOW (13)";
    EXPECT_TRUE(ask(MultipartRequest{1, TableFeaturesRequest{{table(0)}}}).empty());
    tell(MultipartRequest{0, TableFeaturesRequest{{table(1)}}}, kAlice, 8);
    EXPECT_EQ(sent<ErrorMsg>().size(), 1u);
    const std::vector<TableFeatures> many(200, table(0));
    EXPECT_TRUE(ask(MultipartRequest{1, TableFeaturesRequest{many}}).empty());
    EXPECT_EQ(result(MultipartRequest{1, TableFeaturesRequest{many}}), overflow);
    EXPECT_EQ(features().size(), 255u);
}

TEST_F(DatapathTable, SetupSurvivesTheAgent) {
    EXPECT_EQ(set({table(0, 5), table(1)}), "answered");
    restart();
    EXPECT_EQ(features().size(), 2u);
    EXPECT_EQ(features()[0].max_entries, 5u);
}

TEST_F(DatapathTable, TableModChangesNothing) {
    EXPECT_EQ(result(TableMod{TableId{0}, 0}), "ok");
    EXPECT_EQ(result(TableMod{kAllTables, 3}), "ok");  // bits that mean nothing any more
    EXPECT_EQ(result(TableMod{TableId{0}, 4}), "OFPTMFC_BAD_CONFIG (1)");
    EXPECT_EQ(set({table(0)}), "answered");
    EXPECT_EQ(result(TableMod{TableId{1}, 0}), "OFPTMFC_BAD_TABLE (0)");
}

}  // namespace
}  // namespace raicho::agent::test
