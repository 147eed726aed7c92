// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::HasSubstr;

Checked in_bridge(const std::string& flow) {
    return check_text("bridge b {\nport p1 1\nport wan2 2\n" + flow + "\n}\n");
}

TEST(Flow, QuotedTextIsKeptVerbatim) {
    const Checked c = in_bridge("flow \"table=0,priority=90,ip actions=output:p1\"");
    EXPECT_EQ(c.report(), "");
    EXPECT_EQ(c.config.bridges[0].flows[0].text, "table=0,priority=90,ip actions=output:p1");
    EXPECT_EQ(c.config.bridges[0].flows[0].name, "");
}

TEST(Flow, NamedBlockBecomesText) {
    const Checked c = in_bridge(
        "flow to-controller { priority 10; match arp; actions controller }\n"
        "flow all { table 3; cookie 0x1f; idle-timeout 30; hard-timeout 1h; priority 0;\n"
        "  flags [ send_flow_rem no_byte_counts ]; match ip nw_dst=10.0.0.0/8;\n"
        "  actions [ dec_ttl output:p1 ] }");
    EXPECT_EQ(c.report(), "");
    const auto& flows = c.config.bridges[0].flows;
    EXPECT_EQ(flows[0].text, "priority=10,arp actions=controller");
    EXPECT_EQ(flows[1].text,
              "table=3,priority=0,cookie=0x1f,idle_timeout=30,hard_timeout=3600,"
              "send_flow_rem,no_byte_counts,ip,nw_dst=10.0.0.0/8 actions=dec_ttl,output:p1");
}

TEST(Flow, CaretPointsIntoTheQuotedText) {
    EXPECT_EQ(in_bridge("    flow \"in_port=1,prioriti=3 actions=drop\"").report(),
              "t.conf:4:21: error: flow: unknown field \"prioriti\"\n"
              "        flow \"in_port=1,prioriti=3 actions=drop\"\n"
              "                        ^^^^^^^^\n"
              "    help: did you mean \"priority\"?\n");
}

TEST(Flow, CaretPointsAcrossEscapes) {
    const Checked c = in_bridge("flow \"a\\\"b,prioriti=3 actions=drop\"");
    ASSERT_EQ(c.diagnostics.size(), 1u);
    EXPECT_EQ(c.source->text(c.diagnostics[0].span), "prioriti");
}

TEST(Flow, CaretPointsIntoTheBlock) {
    const Checked c = in_bridge("flow x { match in_port=p1; actions [ dec_ttl output:wan9 ] }");
    ASSERT_EQ(c.diagnostics.size(), 1u);
    EXPECT_EQ(c.source->text(c.diagnostics[0].span), "wan9");
    EXPECT_EQ(c.diagnostics[0].help, "did you mean \"wan2\"?");
}

TEST(Flow, ListsThePortsWhenNoneIsNear) {
    EXPECT_THAT(in_bridge("flow \"actions=output:uplink\"").report(),
                HasSubstr("defined here: p1, wan2"));
}

TEST(Flow, RefusesHalfFlows) {
    EXPECT_THAT(in_bridge("flow x { match arp }").report(), HasSubstr("has no actions"));
    EXPECT_THAT(in_bridge("flow x").report(), HasSubstr("neither text nor block"));
    EXPECT_THAT(in_bridge("flow arp actions=drop").report(), HasSubstr("must stand in quotes"));
    EXPECT_THAT(in_bridge("flow \"arp\" { priority 3 }").report(), HasSubstr("not a text"));
    EXPECT_THAT(in_bridge("flow x { actoins drop }").report(), HasSubstr("did you mean"));
    EXPECT_THAT(in_bridge("flow x { table 255; actions drop }").report(), HasSubstr("0 to 254"));
    EXPECT_THAT(in_bridge("flow x { actions drop }\nflow x { actions drop }").report(),
                HasSubstr("first defined at t.conf:4:6"));
    EXPECT_EQ(in_bridge("flow x { actoins drop }").n_errors, 1u);
}

std::string block_flow(const std::string& settings) {
    const Checked c = check_text("bridge b {\n port p1 1\n flow f { " + settings + " } }");
    return c.ok() ? c.config.bridges.at(0).flows.at(0).text : c.report();
}

TEST(FlowBlock, FillsInWhatAFieldNeeds) {
    const auto match = [](const std::string& m) {
        return block_flow("match { " + m + " }; actions drop");
    };
    EXPECT_EQ(match("nw_dst 10.0.0.0/8"), "ip,nw_dst=10.0.0.0/8 actions=drop");
    EXPECT_EQ(match("tcp_dst 80"), "tcp,tcp_dst=80 actions=drop");
    EXPECT_EQ(match("ipv6_dst ::1; udp_dst 53"), "udp6,ipv6_dst=::1,udp_dst=53 actions=drop");
    EXPECT_EQ(match("nw_dst 10.0.0.1; tcp_dst 80"), "tcp,nw_dst=10.0.0.1,tcp_dst=80 actions=drop");
    EXPECT_EQ(match("ip; tcp_dst 80"), "ip_proto=6,ip,tcp_dst=80 actions=drop");
    EXPECT_EQ(match("vlan_pcp 3"), "vlan_vid=0x1000/0x1000,vlan_pcp=3 actions=drop");
    EXPECT_EQ(match("nd_sll 02:00:00:00:00:01"),
              "icmp6,icmpv6_type=135,nd_sll=02:00:00:00:00:01 actions=drop");
    EXPECT_EQ(match("arp; in_port p1"), "arp,in_port=p1 actions=drop");
    EXPECT_EQ(match(""), "actions=drop");
}

TEST(FlowBlock, WritesActionsAsOvsDoes) {
    EXPECT_EQ(block_flow("actions { dec_ttl; set_field eth_dst 02:00:00:00:00:01; output p1 }"),
              "actions=dec_ttl,set_field:02:00:00:00:00:01->eth_dst,output:p1");
    EXPECT_EQ(block_flow("actions { write_actions { output 1; group 2 }\ngoto_table 3 }"),
              "actions=write_actions(output:1,group:2),goto_table:3");
}

TEST(FlowBlock, FaultsPointAtTheirStatement) {
    EXPECT_THAT(block_flow("match {\n  arp\n  in_port p9\n }; actions drop"),
                testing::HasSubstr("t.conf:5:11: error: flow: unknown port \"p9\""));
    EXPECT_THAT(block_flow("match { nw_dst 1 2 }; actions drop"),
                testing::HasSubstr("nw_dst takes one value"));
}

}  // namespace
}  // namespace raicho::dsl
