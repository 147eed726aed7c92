// SPDX-License-Identifier: Apache-2.0
// Which flows a person means by fields, and their order.
#include "agent/api/flow_query.h"

#include <gtest/gtest.h>

#include "agent/api/top_flows.h"
#include "base/text.h"
#include "tests/unit/agent/api/fake_view.h"

namespace raicho::agent::api {
namespace {

const openflow::PortByName kNoPorts = [](std::string_view) { return std::nullopt; };

struct Flows : testing::Test {
    FakeView view;
    VectorFlowStore& store;

    Flows() : store((view.add_bridge("br0"), view.stores.find("br0")->second)) {}
    FlowId add(std::string_view text) {
        const auto mod = openflow::parse_flow(text, kNoPorts);
        EXPECT_TRUE(mod) << mod.error().text;
        const auto flow = store.insert({mod->table, mod->priority, 0, 0, 0, mod->cookie, 0},
                                       mod->match, mod->instructions);
        EXPECT_TRUE(flow);
        return *flow;
    }
    bool finds(std::string_view fields, FlowId flow) {
        const auto selection = read_selection(fields, kNoPorts);
        EXPECT_TRUE(selection) << selection.error().text;
        return selection && agrees(*selection, store, flow);
    }
};

TEST_F(Flows, AFieldFindsFlowsWhoseValueMayBeTheSame) {
    const FlowId flow = add("table=1,cookie=7,ip,nw_dst=10.0.0.0/8 actions=output:2");
    EXPECT_TRUE(finds("nw_dst=10.0.0.5", flow)) << "prerequisites may be left out";
    EXPECT_TRUE(finds("nw_dst=10.0.0.0/16", flow));
    EXPECT_TRUE(finds("ip", flow));
    EXPECT_FALSE(finds("nw_dst=11.0.0.5", flow));
    EXPECT_FALSE(finds("ip,nw_src=1.2.3.4", flow)) << "a field that the flow does not have";
    EXPECT_TRUE(finds("cookie=7", flow));
    EXPECT_FALSE(finds("cookie=6", flow));
    EXPECT_TRUE(finds("cookie=5/1", flow));
    EXPECT_TRUE(finds("out_port=2,nw_dst=10.9.9.9", flow));
    EXPECT_FALSE(finds("out_port=3", flow));
    EXPECT_TRUE(finds("table=1", flow));
    EXPECT_FALSE(finds("table=0", flow));
}

TEST_F(Flows, AWrongFieldIsRefusedAtItsPlace) {
    const auto wrong = read_selection("ip,nw_dts=10.0.0.1", kNoPorts);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().offset, 3u);
    EXPECT_EQ(wrong.error().hint, "did you mean \"nw_dst\"?");
}

struct Orders : Flows {
    std::vector<std::string> priorities(FlowOrder order, std::uint64_t limit) {
        TopFlows top(view, {{"br0"}, kAllTables, limit, {}}, order, [] { return 100 * kSecond; });
        std::string out;
        while (top.next(out) == More::yes) continue;
        std::vector<std::string> found;
        for (const std::string_view line : split(out, '\n')) {
            const auto at = line.find("\"priority\":");
            if (at != std::string_view::npos)
                found.emplace_back(line.substr(at + 11, line.find(',', at) - at - 11));
        }
        return found;
    }
};

TEST_F(Orders, TheFirstOfEachOrderAreGiven) {
    using List = std::vector<std::string>;
    for (int priority = 1; priority <= 5; ++priority) {
        const FlowId flow = add(format("priority={},in_port=1 actions=drop", priority));
        for (int packet = 0; packet < priority; ++packet)
            store.hit(flow, static_cast<std::uint32_t>(1000 / priority),
                      10 * kSecond * static_cast<Time>(priority));
    }
    EXPECT_EQ(priorities(FlowOrder::hits, 3), (List{"5", "4", "3"}));
    EXPECT_EQ(priorities(FlowOrder::idle, 2), (List{"1", "2"}));
    EXPECT_EQ(priorities(FlowOrder::hits, 100).size(), 5u);
    EXPECT_TRUE(priorities(FlowOrder::hits, 0).empty());
}

}  // namespace
}  // namespace raicho::agent::api
