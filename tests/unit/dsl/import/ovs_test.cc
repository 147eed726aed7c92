// SPDX-License-Identifier: Apache-2.0
// What Open vSwitch's tools print, as our text. Whole dumps of a live one are in
// tests/functional/import.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/import/ovs_flow.h"
#include "tests/unit/dsl/import/fixture.h"

namespace raicho::dsl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kShow = R"(89bc4eda-b2ce-401d-9315-c73df324c524
    Manager "ptcp:6640"
        is_connected: true
    Bridge br0
        Controller "tcp:10.0.0.9"
            is_connected: true
        fail_mode: secure
        datapath_type: netdev
        Port p2
            Interface p2
        Port "p#1"
            Interface "p#1"
                type: internal
        Port br0
            Interface br0
                type: internal
    ovs_version: "3.1.0"
)";
constexpr std::string_view kNumbers = R"(OFPT_FEATURES_REPLY (xid=0x2): dpid:00000000000000aa
n_tables:254, n_buffers:0
 1(p#1): addr:02:c3:d6:20:58:86
     config:     PORT_DOWN
     state:      LINK_DOWN
     speed: 10000 Mbps now, 0 Mbps max
 2(p2): addr:2e:ba:7e:80:7e:56
     config:     PORT_DOWN
     state:      0
 LOCAL(br0): addr:02:47:11:72:da:4c
     config:     PORT_DOWN
OFPT_GET_CONFIG_REPLY (xid=0x4): frags=normal miss_send_len=0
)";

std::string flow(std::string_view line) {
    return ovs_flow_text(line, [](std::string_view name) { return std::string(name); });
}

TEST(ImportOvs, ShowGivesBridgesPortsAndControllers) {
    const Imported made = ovs(std::string(kShow) + std::string(kNumbers));
    EXPECT_EQ(made.text,
              "bridge br0 {\n"
              "    dpid 0xaa\n"
              "    fail-mode secure\n"
              "    local\n"
              "    port p_1 1 {\n"
              "        device tap p#1\n"
              "    }\n"
              "    port p2 2 {\n"
              "        admin down\n"
              "    }\n"
              "    controller tcp:10.0.0.9:6653\n"
              "}\n");
    EXPECT_EQ(made.n_lost(), 0u) << made.report();
    EXPECT_TRUE(check(made.text, "made").ok());
}

TEST(ImportOvs, DumpsBelongToTheBridgeOfTheCommandTheFileOrTheOnlyOne) {
    const std::string two = "    Bridge a\n    Bridge b\n";
    const std::string dump = "NXST_FLOW reply (xid=0x4):\n cookie=0x0, priority=1 actions=drop\n";
    EXPECT_TRUE(has_line(ovs("    Bridge a\n" + dump), "flow \"table=0,priority=1 actions=drop\""));
    EXPECT_THAT(ovs(two + dump).report(), HasSubstr("whose they are is not said"));
    EXPECT_THAT(ovs(two + "$ sudo ovs-ofctl -O OpenFlow13 dump-flows b\n" + dump).text,
                HasSubstr("bridge b {\n    fail-mode standalone\n    local\n    flow "));
    const std::vector<OvsText> files{{{"show", two}, ""}, {{"flows", dump}, "b"}};
    EXPECT_THAT(import_ovs(files).text,
                HasSubstr("bridge b {\n    fail-mode standalone\n    local\n    flow "));
}

TEST(ImportOvs, ALaterDumpOfABridgeCountsAndALongOneIsOne) {
    const std::string a = "NXST_FLOW reply (xid=0x4): flags=[more]\n priority=1 actions=drop\n";
    const std::string b = "NXST_FLOW reply (xid=0x4):\n priority=2 actions=drop\n";
    const Imported one = ovs("    Bridge br\n" + a + b);
    EXPECT_TRUE(has_line(one, "flow \"table=0,priority=1 actions=drop\""));
    EXPECT_TRUE(has_line(one, "flow \"table=0,priority=2 actions=drop\""));
    const Imported two =
        ovs("    Bridge br\n" + b + "NXST_FLOW reply:\n priority=3 actions=drop\n");
    EXPECT_THAT(two.text, Not(HasSubstr("priority=2")));
    EXPECT_THAT(two.report(), HasSubstr("has a dump of its flows already"));
}

TEST(ImportOvs, CountersAreLeftOut) {
    EXPECT_EQ(flow(" cookie=0x1a, duration=0.3s, table=2, n_packets=1, n_bytes=2, idle_age=0, "
                   "hard_age=5, idle_timeout=60, reset_counts priority=40,ip,nw_dst=10.0.0.1 "
                   "actions=LOCAL"),
              "table=2,cookie=0x1a,idle_timeout=60,priority=40,ip,nw_dst=10.0.0.1 actions=LOCAL");
}

TEST(ImportOvs, ItsOwnWordsBecomeOpenFlows) {
    EXPECT_EQ(flow("table=1 actions=resubmit(,2)"), "table=1 actions=goto_table:2");
    EXPECT_EQ(flow("table=2 actions=resubmit(,1)"), "table=2 actions=resubmit(,1)");
    EXPECT_EQ(flow("table=1 actions=resubmit(,2),output:1"),
              "table=1 actions=resubmit(,2),output:1");
    EXPECT_EQ(flow("actions=load:0x2000000aa02->NXM_OF_ETH_SRC[],load:0xa000001->NXM_OF_IP_DST[]"),
              "table=0 actions=set_field:02:00:00:00:aa:02->eth_src,set_field:10.0.0.1->ipv4_dst");
    EXPECT_EQ(flow("actions=load:0x1->NXM_NX_REG0[]"), "table=0 actions=load:0x1->NXM_NX_REG0[]");
    EXPECT_EQ(flow("actions=load:0x1->NXM_OF_IP_DST[0..3]"),
              "table=0 actions=load:0x1->NXM_OF_IP_DST[0..3]");
    EXPECT_EQ(flow("actions=enqueue:3:1"), "table=0 actions=set_queue:1,output:3");
    EXPECT_EQ(flow("tun_id=0x64 actions=drop"), "table=0,tunnel_id=0x64 actions=drop");
    EXPECT_EQ(flow("in_port=\"p1\" actions=output:\"p2\""), "table=0,in_port=p1 actions=output:p2");
    EXPECT_EQ(flow("actions=learn(table=1,NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[]),output:1"),
              "table=0 actions=learn(table=1,NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[]),output:1");
}

TEST(ImportOvs, TagsOfTheFirstProtocolAreThoseOfTheThird) {
    EXPECT_EQ(flow("vlan_tci=0x0000 actions=mod_vlan_vid:30,output:1"),
              "table=0,vlan_vid=0 actions=push_vlan:0x8100,set_field:30->vlan_vid,output:1");
    EXPECT_EQ(flow("vlan_tci=0x0000/0x1fff actions=drop"), "table=0,vlan_vid=0 actions=drop");
    EXPECT_EQ(flow("vlan_tci=0x1000/0x1000 actions=drop"),
              "table=0,vlan_vid=0x1000/0x1000 actions=drop");
    EXPECT_EQ(flow("vlan_tci=0xb00a actions=drop"), "table=0,vlan_vid=10,vlan_pcp=5 actions=drop");
    EXPECT_EQ(flow("vlan_tci=0x100a/0x1fff actions=drop"), "table=0,vlan_vid=10 actions=drop");
    EXPECT_EQ(flow("dl_vlan=30 actions=mod_vlan_vid:31"),
              "table=0,dl_vlan=30 actions=mod_vlan_vid:31");
}

TEST(ImportOvs, WhatIsNotSupportedStandsInACommentAndInTheReport) {
    const Imported made = ovs(R"(    Bridge br
        Controller "ssl:10.0.0.1:6653"
        Controller "ptcp:6654"
        Controller "tcp:10.0.0.1:6653"
        Controller "tcp:10.0.0.1:6653"
        Port ge0
            tag: 10
            Interface ge0
                type: geneve
                options: {key="1", remote_ip="10.0.0.2"}
        Port bond0
            Interface e1
            Interface e2
        Port dpdk0
            Interface dpdk0
                type: dpdk
                options: {dpdk-devargs="0000:01:00.0"}
                error: "could not open"
    what is this
)");
    EXPECT_TRUE(check(made.text, "made").ok()) << made.text << check(made.text, "made").report();
    EXPECT_TRUE(has_line(made, "# port ge0 {"));
    EXPECT_TRUE(has_line(made, "#     options: {key=\"1\", remote_ip=\"10.0.0.2\"}"));
    EXPECT_TRUE(has_line(made, "# port bond0 {"));
    EXPECT_TRUE(has_line(made, "device dpdk 0000:01:00.0"));
    EXPECT_TRUE(has_line(made, "listen tcp:0.0.0.0:6654 { allow-remote }"));
    for (const std::string_view part :
         {"o.txt:2: not carried: controller ssl:10.0.0.1:6653", "o.txt:3: note: ptcp:6654",
          "o.txt:5: not carried: controller tcp:10.0.0.1:6653 is there twice",
          "o.txt:8: not carried: port \"ge0\"",
          "o.txt:11: not carried: port \"bond0\" is a bond of 2 interfaces",
          "o.txt:18: note: interface \"dpdk0\": Open vSwitch says: could not open",
          "o.txt:19: not carried: not understood: what is this"})
        EXPECT_THAT(made.report(), HasSubstr(part));
}

TEST(ImportOvs, VlansOfPortsAreWrittenWhereTheSwitchHasThem) {
    const Imported made =
        ovs("    Bridge b\n        Port a\n            tag: 10\n"
            "            Interface a\n        Port t\n            trunks: [5, 6]\n"
            "            Interface t\n");
    EXPECT_TRUE(has_line(made, "vlan {")) << made.text;
    EXPECT_THAT(made.text, HasSubstr("    access 10\n"));
    EXPECT_THAT(made.text, HasSubstr("    trunk [ 5  6 ]\n"));
    EXPECT_EQ(made.n_lost(), 0u);
    EXPECT_TRUE(check(made.text, "made").ok()) << check(made.text, "made").report();
}

TEST(ImportOvs, FlowsByNumberNeedTheNumbers) {
    const std::string flows = "$ ovs-ofctl dump-flows br0\n in_port=1 actions=output:2\n";
    EXPECT_THAT(ovs(std::string(kShow) + flows).report(),
                HasSubstr("do not say which number has p#1, p2"));
    EXPECT_THAT(ovs(std::string(kShow) + std::string(kNumbers) + flows).report(),
                Not(HasSubstr("do not say")));
}

TEST(ImportOvs, AFlowMayNameAPortThatStandsInAComment) {
    const Imported made = ovs(R"(    Bridge br0
        Port ge0
            Interface ge0
                type: geneve
$ ovs-ofctl dump-ports-desc br0
OFPST_PORT_DESC reply (OF1.3) (xid=0x2):
 7(ge0): addr:02:c3:d6:20:58:86
$ ovs-ofctl --names dump-flows br0
 in_port="ge0" actions=output:"ge0"
)");
    EXPECT_TRUE(has_line(made, "flow \"table=0,in_port=7 actions=output:7\"")) << made.text;
    EXPECT_EQ(made.n_lost(), 1u) << made.report();
}

}  // namespace
}  // namespace raicho::dsl
