// SPDX-License-Identifier: Apache-2.0
#include "agent/api/flow_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "agent/api/flow_json.h"
#include "base/text.h"
#include "tests/unit/agent/api/fake_view.h"

namespace raicho::agent::api {
namespace {

std::vector<std::string> lines_of(FlowStream& stream) {
    std::string out;
    while (stream.next(out) == More::yes) {
    }
    if (out.ends_with('\n')) out.pop_back();
    std::vector<std::string> lines;
    if (out.empty()) return lines;
    for (const std::string_view line : split(out, '\n')) lines.emplace_back(line);
    return lines;
}

FlowStream stream_of(const FakeView& view, FlowQuery query) {
    return {view, std::move(query), [] { return 10 * kSecond; }};
}

TEST(FlowStream, AFlowIsOneObjectWithTextsAndStructure) {
    FakeView view;
    view.add_bridge("br0");
    const FlowId flow = view.add_flow("br0", TableId{0}, 1, 1, 2);
    view.stores.find("br0")->second.hit(flow, 98, 8 * kSecond);
    FlowStream stream = stream_of(view, {{"br0"}, kAllTables, {}});
    const std::vector<std::string> expected{
        "{\"bridge\":\"br0\",\"table\":0,\"priority\":1,\"idle_timeout\":0,\"hard_timeout\":0,"
        "\"flags\":0,\"cookie\":0,\"packet_count\":1,\"byte_count\":98,\"age_ns\":9000000000,"
        "\"idle_ns\":2000000000,\"match_text\":\"in_port=1,eth_dst=08:00:27:e2:53:5a\","
        "\"actions_text\":\"output:2\",\"match\":{\"in_port\":1,\"eth_dst\":\"08:00:27:e2:53:5a\"},"
        "\"instructions\":{\"apply_actions\":[{\"output\":2}]}}"};
    EXPECT_EQ(lines_of(stream), expected);
}

TEST(FlowStream, EveryKindOfActionAndInstructionHasAForm) {
    using namespace openflow;
    const auto vlan_7 = field_value(Field::vlan_vid, 0x1007);
    const ActionList all{OutputAction{port::kController, 128},
                         CopyTtlOut{},
                         CopyTtlIn{},
                         SetMplsTtl{3},
                         DecMplsTtl{},
                         PushVlan{},
                         PopVlan{},
                         PushMpls{},
                         PopMpls{0x800},
                         SetQueue{5},
                         GroupAction{GroupId{9}},
                         SetNwTtl{64},
                         DecNwTtl{},
                         SetField{Field::vlan_vid, vlan_7},
                         PushPbb{},
                         PopPbb{}};
    FlowEntry entry;
    entry.instructions.meter = MeterId{4};
    entry.instructions.apply = all;
    entry.instructions.clear = true;
    entry.instructions.write = ActionList{};
    entry.instructions.metadata = MetadataWrite{1, 255};
    entry.instructions.go_to = TableId{3};
    JsonWriter json;
    write_flow(json, "br0", entry, 0);
    const std::string text = json.take();
    const std::string expected =
        "\"instructions\":{\"meter\":4,\"apply_actions\":[{\"output\":4294967293,\"max_len\":128},"
        "{\"copy_ttl_out\":null},{\"copy_ttl_in\":null},{\"set_mpls_ttl\":3},{\"dec_mpls_ttl\":"
        "null},{\"push_vlan\":33024},{\"pop_vlan\":null},{\"push_mpls\":34887},{\"pop_mpls\":2048}"
        ",{\"set_queue\":5},{\"group\":9},{\"set_nw_ttl\":64},{\"dec_nw_ttl\":null},"
        "{\"set_field\":{\"vlan_vid\":4103}},{\"push_pbb\":35047},{\"pop_pbb\":null}],"
        "\"clear_actions\":true,\"write_actions\":[],\"write_metadata\":{\"value\":1,\"mask\":255}"
        ",\"goto_table\":3}}";
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    EXPECT_NE(text.find("\"idle_ns\":null"), std::string::npos);
    EXPECT_TRUE(parse_json(text).has_value());
}

TEST(FlowStream, MaskedValuesAreText) {
    using namespace openflow;
    FlowEntry entry;
    MatchField net = exact(Field::ipv4_dst, 0x0a000000);
    net.has_mask = HasMask::yes;
    net.mask = field_value(Field::ipv4_dst, 0xff000000);
    ASSERT_TRUE(entry.match.add(exact(Field::eth_type, 0x0800)));
    ASSERT_TRUE(entry.match.add(net));
    JsonWriter json;
    write_flow(json, "br0", entry, 0);
    EXPECT_NE(json.take().find("\"match\":{\"eth_type\":2048,\"ipv4_dst\":\"10.0.0.0/8\"}"),
              std::string::npos);
}

TEST(FlowStream, FlowsComeByTableAndFallingPriority) {
    FakeView view;
    view.add_bridge("br0");
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::multimap<std::pair<int, int>, FlowId> model;  // (table, -priority)
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        const auto table = static_cast<std::uint8_t>(random() % 255);
        const auto priority = static_cast<std::uint16_t>(random());
        model.emplace(std::pair(table, -priority),
                      view.add_flow("br0", TableId{table}, priority, i + 1, 1));
    }
    FlowStream stream = stream_of(view, {{"br0"}, kAllTables, {}});
    const auto lines = lines_of(stream);
    ASSERT_EQ(lines.size(), model.size());
    auto expected = model.begin();
    for (const std::string& line : lines) {
        const std::string head = format("{{\"bridge\":\"br0\",\"table\":{},\"priority\":{},",
                                        expected->first.first, -expected->first.second);
        ASSERT_TRUE(line.starts_with(head)) << line << " expected " << head;
        ++expected;
    }
}

TEST(FlowStream, OneSliceIsBounded) {
    FakeView view;
    view.add_bridge("br0");
    const std::size_t n = 2 * FlowStream::kScanSlice;
    for (std::uint32_t i = 0; i < n; ++i) view.add_flow("br0", TableId{0}, 1, i + 1, 1);
    FlowStream stream = stream_of(view, {{"br0"}, kAllTables, {}});
    std::size_t lines = 0;
    while (true) {
        std::string out;
        if (stream.next(out) == More::no) break;
        const auto in_slice = static_cast<std::size_t>(std::ranges::count(out, '\n'));
        EXPECT_LE(in_slice, FlowStream::kWriteSlice);
        lines += in_slice;
    }
    EXPECT_EQ(lines, n);
}

TEST(FlowStream, FlowsThatGoMeanwhileAreLeftOut) {
    FakeView view;
    view.add_bridge("br0");
    std::vector<FlowId> flows;
    const std::size_t n = FlowStream::kScanSlice;
    for (std::uint32_t i = 0; i < n; ++i)
        flows.push_back(view.add_flow("br0", TableId{0}, 1, i + 1, 1));
    FlowStream stream = stream_of(view, {{"br0"}, kAllTables, {}});
    std::string out;
    while (out.empty()) ASSERT_EQ(stream.next(out), More::yes);
    VectorFlowStore& store = view.stores.find("br0")->second;
    for (std::size_t i = 1; i < n; i += 2) {
        store.remove(flows[i]);
        store.release(flows[i]);
    }
    while (stream.next(out) == More::yes) {
    }
    const auto lines = static_cast<std::size_t>(std::ranges::count(out, '\n'));
    EXPECT_EQ(lines, FlowStream::kWriteSlice + (n - FlowStream::kWriteSlice) / 2);
}

TEST(FlowStream, ABridgeThatGoesMeanwhileEndsItsPart) {
    FakeView view;
    view.add_bridge("br0");
    view.add_bridge("br1");
    view.add_flow("br0", TableId{0}, 1, 1, 1);
    view.add_flow("br1", TableId{0}, 1, 1, 1);
    FlowStream stream = stream_of(view, {{"br0", "br1"}, kAllTables, {}});
    view.stores.erase("br0");
    const auto lines = lines_of(stream);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(lines.front().starts_with("{\"bridge\":\"br1\""));
}

TEST(FlowStream, TableAndLimitChoose) {
    FakeView view;
    view.add_bridge("br0");
    for (std::uint32_t i = 0; i < 600; ++i)
        view.add_flow("br0", TableId{static_cast<std::uint8_t>(i % 2)}, 1, i + 1, 1);
    FlowStream table = stream_of(view, {{"br0"}, TableId{1}, {}});
    EXPECT_EQ(lines_of(table).size(), 300u);
    FlowStream limited = stream_of(view, {{"br0"}, kAllTables, 500});
    EXPECT_EQ(lines_of(limited).size(), 500u);
    FlowStream none = stream_of(view, {{"br0"}, kAllTables, 0});
    EXPECT_TRUE(lines_of(none).empty());
}

}  // namespace
}  // namespace raicho::agent::api
