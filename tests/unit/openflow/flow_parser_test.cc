// SPDX-License-Identifier: Apache-2.0
// Flow texts as people write them, and what they are told when a text is wrong.
#include <gtest/gtest.h>

#include "openflow/text.h"

namespace raicho::openflow {
namespace {

std::optional<PortNo> ports(std::string_view name) {
    if (name == "wan1") return PortNo(7);
    if (name == "eth0.100") return PortNo(8);
    return std::nullopt;
}

/// What the text means, without the parts that every flow-mod prints.
std::string meaning(std::string_view text) {
    const auto mod = parse_flow(text, ports);
    if (!mod) return "error: " + mod.error().text;
    const std::string match = to_text(mod->match);
    return match + (match.empty() ? "" : " ") + to_text(mod->instructions);
}

struct Case {
    std::string_view text;
    std::string_view meaning;
};

TEST(ParseFlow, ProtocolWordsBringTheirPrerequisites) {
    for (const auto& [text, expected] : std::to_array<Case>({
             {"ip actions=drop", "eth_type=0x0800 drop"},
             {"ipv4 actions=drop", "eth_type=0x0800 drop"},
             {"arp actions=drop", "eth_type=0x0806 drop"},
             {"rarp actions=drop", "eth_type=0x8035 drop"},
             {"icmp actions=drop", "eth_type=0x0800,ip_proto=1 drop"},
             {"tcp actions=drop", "eth_type=0x0800,ip_proto=6 drop"},
             {"udp actions=drop", "eth_type=0x0800,ip_proto=17 drop"},
             {"sctp actions=drop", "eth_type=0x0800,ip_proto=132 drop"},
             {"ipv6 actions=drop", "eth_type=0x86dd drop"},
             {"tcp6 actions=drop", "eth_type=0x86dd,ip_proto=6 drop"},
             {"udp6 actions=drop", "eth_type=0x86dd,ip_proto=17 drop"},
             {"sctp6 actions=drop", "eth_type=0x86dd,ip_proto=132 drop"},
             {"icmp6 actions=drop", "eth_type=0x86dd,ip_proto=58 drop"},
             {"mpls actions=drop", "eth_type=0x8847 drop"},
             {"mplsm actions=drop", "eth_type=0x8848 drop"},
             {"pbb actions=drop", "eth_type=0x88e7 drop"},
             {"ip,tcp actions=drop", "eth_type=0x0800,ip_proto=6 drop"},
             {"dl_type=ip,nw_proto=tcp actions=drop", "eth_type=0x0800,ip_proto=6 drop"},
             {"eth_type=0x800,ip_proto=17 actions=drop", "eth_type=0x0800,ip_proto=17 drop"},
             {"dl_type=mpls_mcast actions=drop", "eth_type=0x8848 drop"},
             {"dl_type=vlan actions=drop", "eth_type=0x8100 drop"},
         }))
        EXPECT_EQ(meaning(text), expected) << text;
}

TEST(ParseFlow, FieldsHaveBothSpellings) {
    for (const auto& [text, expected] : std::to_array<Case>({
             {"in_port=wan1,dl_dst=1:2:3:4:5:6,dl_src=00:00:00:00:00:01 actions=drop",
              "in_port=7,eth_dst=01:02:03:04:05:06,eth_src=00:00:00:00:00:01 drop"},
             {"in_port=\"wan1\" actions=drop", "in_port=7 drop"},
             {"in_port=LOCAL actions=drop", "in_port=LOCAL drop"},
             {"nw_dst=10.1.2.3,ip actions=drop", "eth_type=0x0800,ipv4_dst=10.1.2.3 drop"},
             {"ip,nw_src=10.0.0.0/8 actions=drop", "eth_type=0x0800,ipv4_src=10.0.0.0/8 drop"},
             {"ip,nw_src=10.1.2.3/8 actions=drop", "eth_type=0x0800,ipv4_src=10.0.0.0/8 drop"},
             {"ip,nw_src=10.1.2.3/255.0.255.0 actions=drop",
              "eth_type=0x0800,ipv4_src=10.0.2.0/255.0.255.0 drop"},
             {"ip,nw_src=10.1.2.3/32 actions=drop", "eth_type=0x0800,ipv4_src=10.1.2.3 drop"},
             {"ip,nw_src=10.1.2.3/0 actions=drop", "eth_type=0x0800 drop"},
             {"ip,nw_src=* actions=drop", "eth_type=0x0800 drop"},
             {"ipv6,ipv6_dst=2001:db8::1/32 actions=drop",
              "eth_type=0x86dd,ipv6_dst=2001:db8::/32 drop"},
             {"ipv6,ipv6_dst=::1/::ffff actions=drop", "eth_type=0x86dd,ipv6_dst=::1/::ffff drop"},
             {"ipv6,ipv6_label=0x12345 actions=drop", "eth_type=0x86dd,ipv6_flabel=0x12345 drop"},
             {"tcp,tp_src=1,tp_dst=2 actions=drop",
              "eth_type=0x0800,ip_proto=6,tcp_src=1,tcp_dst=2 drop"},
             {"udp6,tp_dst=53 actions=drop", "eth_type=0x86dd,ip_proto=17,udp_dst=53 drop"},
             {"sctp,tp_src=5 actions=drop", "eth_type=0x0800,ip_proto=132,sctp_src=5 drop"},
             {"icmp,icmp_type=8,icmp_code=0 actions=drop",
              "eth_type=0x0800,ip_proto=1,icmpv4_type=8,icmpv4_code=0 drop"},
             {"icmp6,icmp_type=135,nd_target=fe80::1,nd_sll=00:00:00:00:00:01 actions=drop",
              "eth_type=0x86dd,ip_proto=58,icmpv6_type=135,ipv6_nd_target=fe80::1,"
              "ipv6_nd_sll=00:00:00:00:00:01 drop"},
             {"icmp6,icmp_code=1 actions=drop", "eth_type=0x86dd,ip_proto=58,icmpv6_code=1 drop"},
             {"nw_proto=1,arp,nw_src=10.0.0.1,nw_dst=10.0.0.2 actions=drop",
              "eth_type=0x0806,arp_op=1,arp_spa=10.0.0.1,arp_tpa=10.0.0.2 drop"},
             {"ip,nw_tos=184,nw_ecn=2 actions=drop", "eth_type=0x0800,ip_dscp=46,ip_ecn=2 drop"},
             {"metadata=0x5/0xff,tun_id=3 actions=drop", "metadata=0x5/0xff,tunnel_id=0x3 drop"},
             {"dl_dst=01:00:00:00:00:00/01:00:00:00:00:00 actions=drop",
              "eth_dst=01:00:00:00:00:00/01:00:00:00:00:00 drop"},
             {"mpls,mpls_label=5,mpls_tc=1,mpls_bos=1 actions=drop",
              "eth_type=0x8847,mpls_label=5,mpls_tc=1,mpls_bos=1 drop"},
         }))
        EXPECT_EQ(meaning(text), expected) << text;
}

TEST(ParseFlow, ValuesHaveWellKnownNames) {
    for (const auto& [text, expected] : std::to_array<Case>({
             {"tcp,tcp_dst=https actions=drop", "eth_type=0x0800,ip_proto=6,tcp_dst=443 drop"},
             {"udp,tp_src=dns actions=drop", "eth_type=0x0800,ip_proto=17,udp_src=53 drop"},
             {"dl_dst=lldp actions=drop", "eth_dst=01:80:c2:00:00:0e drop"},
             {"dl_type=lldp actions=drop", "eth_type=0x88cc drop"},
             {"arp,arp_op=request actions=drop", "eth_type=0x0806,arp_op=1 drop"},
             {"icmp,icmp_type=echo-request actions=drop",
              "eth_type=0x0800,ip_proto=1,icmpv4_type=8 drop"},
             {"actions=set_field:broadcast->eth_dst", "set_field:ff:ff:ff:ff:ff:ff->eth_dst"},
             {"vlan_vid=http actions=drop", "error: vlan_vid: \"http\" is not a number"},
         }))
        EXPECT_EQ(meaning(text), expected) << text;
}

TEST(ParseFlow, VlansAreNumbersOfTaggedPackets) {  // §7.2.3.7: OFPVID_PRESENT is ours to add
    for (const auto& [text, expected] : std::to_array<Case>({
             {"vlan_vid=100 actions=drop", "vlan_vid=100 drop"},
             {"vlan_vid=0x1064 actions=drop", "vlan_vid=100 drop"},
             {"dl_vlan=100,dl_vlan_pcp=3 actions=drop", "vlan_vid=100,vlan_pcp=3 drop"},
             {"dl_vlan=0 actions=drop", "vlan_vid=0x1000 drop"},
             {"dl_vlan=0xffff actions=drop", "vlan_vid=0x0 drop"},
             {"vlan_vid=0 actions=drop", "vlan_vid=0x0 drop"},
             {"vlan_vid=0x1000/0x1000 actions=drop", "vlan_vid=0x1000/0x1000 drop"},
             {"vlan_vid=100/0x1fff actions=drop", "vlan_vid=100 drop"},
             {"actions=push_vlan:0x8100,set_field:100->vlan_vid",
              "push_vlan:0x8100,set_field:100->vlan_vid"},
             {"actions=set_field:0x1064->vlan_vid", "set_field:100->vlan_vid"},
             {"actions=mod_vlan_vid:100", "set_field:100->vlan_vid"},
         }))
        EXPECT_EQ(meaning(text), expected) << text;
}

TEST(ParseFlow, ActionsHaveTheWordsOfThreeWorlds) {
    for (const auto& [text, expected] : std::to_array<Case>({
             {"actions=output:2,3,wan1,eth0.100", "output:2,output:3,output:7,output:8"},
             {"actions=in_port,normal,flood,all,local,table",
              "IN_PORT,NORMAL,FLOOD,ALL,LOCAL,TABLE"},
             {"actions=NORMAL", "NORMAL"},
             {"actions=output:LOCAL,output=2", "LOCAL,output:2"},
             {"actions=controller", "CONTROLLER:65535"},
             {"actions=output:controller", "CONTROLLER:65535"},
             {"actions=CONTROLLER:128", "CONTROLLER:128"},
             {"actions=controller(max_len=64)", "CONTROLLER:64"},
             {"action=drop", "drop"},
             {"ip actions=dec_ttl,dec_nw_ttl,mod_nw_ttl:3,set_nw_ttl:4",
              "eth_type=0x0800 dec_nw_ttl,dec_nw_ttl,set_nw_ttl:3,set_nw_ttl:4"},
             {"mpls actions=set_mpls_ttl:5,dec_mpls_ttl,copy_ttl_in,copy_ttl_out,pop_mpls:0x0800",
              "eth_type=0x8847 set_mpls_ttl:5,dec_mpls_ttl,copy_ttl_in,copy_ttl_out,"
              "pop_mpls:0x0800"},
             {"actions=push_mpls:0x8847,set_mpls_label:7,set_mpls_tc:1,set_mpls_bos:1",
              "push_mpls:0x8847,set_field:7->mpls_label,set_field:1->mpls_tc,"
              "set_field:1->mpls_bos"},
             {"actions=push_pbb:0x88e7,set_field:7->pbb_isid,pop_pbb",
              "push_pbb:0x88e7,set_field:0x7->pbb_isid,pop_pbb"},
             {"dl_vlan=5 actions=strip_vlan,pop_vlan,push_vlan:0x88a8",
              "vlan_vid=5 pop_vlan,pop_vlan,push_vlan:0x88a8"},
             {"actions=set_queue:3,group:4", "set_queue:3,group:4"},
             {"actions=mod_dl_dst:00:00:00:00:00:01,mod_dl_src:00:00:00:00:00:02",
              "set_field:00:00:00:00:00:01->eth_dst,set_field:00:00:00:00:00:02->eth_src"},
             {"tcp actions=mod_nw_src:1.2.3.4,mod_nw_dst:5.6.7.8,mod_tp_src:9,mod_tp_dst:10",
              "eth_type=0x0800,ip_proto=6 set_field:1.2.3.4->ipv4_src,"
              "set_field:5.6.7.8->ipv4_dst,set_field:9->tcp_src,set_field:10->tcp_dst"},
             {"ip actions=mod_nw_tos:184,mod_nw_ecn:1",
              "eth_type=0x0800 set_field:46->ip_dscp,set_field:1->ip_ecn"},
             {"dl_vlan=5 actions=mod_vlan_pcp:3,set_vlan_pcp:4,set_vlan_vid:6",
              "vlan_vid=5 set_field:3->vlan_pcp,set_field:4->vlan_pcp,set_field:6->vlan_vid"},
             {"actions=set_tunnel:5,set_tunnel64:6",
              "set_field:0x5->tunnel_id,set_field:0x6->tunnel_id"},
             {"actions=set_dl_src:00:00:00:00:00:01,set_dl_dst:00:00:00:00:00:02",
              "set_field:00:00:00:00:00:01->eth_src,set_field:00:00:00:00:00:02->eth_dst"},
             {"ipv6 actions=set_field:fe80::1->ipv6_dst,set_field:ip->eth_type",
              "eth_type=0x86dd set_field:fe80::1->ipv6_dst,set_field:0x0800->eth_type"},
             {"ip actions=set_field:udp->ip_proto", "eth_type=0x0800 set_field:17->ip_proto"},
             {"actions=dl_dst:00:00:00:00:00:01,tunnel_id=5",
              "set_field:00:00:00:00:00:01->eth_dst,set_field:0x5->tunnel_id"},
         }))
        EXPECT_EQ(meaning(text), expected) << text;
}

TEST(ParseFlow, InstructionsStandAmongActionsOrByThemselves) {
    for (const auto& [text, expected] : std::to_array<Case>({
             {"actions=meter:1,output:2,clear_actions,write_actions(group:1,output:3),"
              "write_metadata:0x5/0xff,goto_table:3",
              "meter:1,output:2,clear_actions,write_actions(group:1,output:3),"
              "write_metadata:0x5/0xff,goto_table:3"},
             {"actions=goto_table:1,meter:2", "meter:2,goto_table:1"},
             {"actions=write_metadata:5", "write_metadata:0x5"},
             {"actions=apply_actions(output:1,output:2),output:3", "output:1,output:2,output:3"},
             {"actions=write_actions(drop)", "write_actions(drop)"},
             {"actions=write_actions()", "write_actions(drop)"},
             {"in_port=1 apply_actions=output:2,dl_dst:00:00:00:00:00:01 goto_table=1",
              "in_port=1 output:2,set_field:00:00:00:00:00:01->eth_dst,goto_table:1"},
             {"in_port=1,write_actions=group:1,output:3,write_metadata=1/3,meter=4",
              "in_port=1 meter:4,write_actions(group:1,output:3),write_metadata:0x1/0x3"},
             {"clear_actions", "clear_actions"},
         }))
        EXPECT_EQ(meaning(text), expected) << text;
}

TEST(ParseFlow, AttributesFillTheFlowMod) {
    const auto mod = parse_flow(
        "table=3,priority=9,cookie=0x10/0xff,idle_timeout=5,hard_timeout=60,out_port=wan1,"
        "out_group=4,send_flow_rem,check_overlap,reset_counts,no_packet_counts,no_byte_counts "
        "actions=drop",
        ports);
    ASSERT_TRUE(mod) << mod.error().text;
    EXPECT_EQ(mod->command, FlowModCommand::add);
    EXPECT_EQ(mod->table, TableId(3));
    EXPECT_EQ(mod->priority, 9);
    EXPECT_EQ(mod->cookie, 0x10u);
    EXPECT_EQ(mod->cookie_mask, 0xffu);
    EXPECT_EQ(mod->idle_timeout, 5);
    EXPECT_EQ(mod->hard_timeout, 60);
    EXPECT_EQ(mod->out_port, PortNo(7));
    EXPECT_EQ(mod->out_group, GroupId(4));
    EXPECT_EQ(mod->flags, 31);
    EXPECT_EQ(parse_flow("out_group=any actions=drop", {})->out_group, GroupId(0xffffffff));
    EXPECT_EQ(parse_flow("flags=0x5 actions=drop", {})->flags, 5);
    EXPECT_EQ(parse_flow("actions=drop", {})->priority, 0x8000);
}

TEST(ParseFlow, WhatDumpsPrintCanBePasted) {
    EXPECT_EQ(meaning(" cookie=0x0, duration=5.123s, table=0, n_packets=0, n_bytes=0, idle_age=5,"
                      " hard_age=5, priority=1,in_port=LOCAL actions=CONTROLLER:65535"),
              "in_port=LOCAL CONTROLLER:65535");
    EXPECT_EQ(meaning("  priority=1,idle_timeout=0,hard_timeout=0,flags=0,cookie=0,packet_count=4,"
                      "byte_count=392,in_port=1,eth_dst=08:00:27:e2:53:5a actions=output:2"),
              "in_port=1,eth_dst=08:00:27:e2:53:5a output:2");
}

struct Wrong {
    std::string_view text;
    std::string_view at;  // the words that are marked
    std::string_view error;
    std::string_view hint;
};

TEST(ParseFlow, ErrorsMarkTheWordAndNameTheRemedy) {
    for (const auto& [text, at, error, hint] : std::to_array<Wrong>({
             {"nw_dst=10.0.0.1 actions=drop", "nw_dst=10.0.0.1", "ipv4_dst needs ip",
              "write ip,nw_dst=10.0.0.1"},
             {"arp,ipv4_dst=10.0.0.1 actions=drop", "ipv4_dst=10.0.0.1",
              "ipv4_dst needs ip, the flow has eth_type=0x0806", "write ip,ipv4_dst=10.0.0.1"},
             {"tp_dst=80 actions=drop", "tp_dst=80", "tp_dst needs tcp, udp or sctp",
              "write tcp,tp_dst=80"},
             {"ip,tcp_dst=80 actions=drop", "tcp_dst=80", "tcp_dst needs tcp",
              "write tcp,tcp_dst=80"},
             {"vlan_pcp=3 actions=drop", "vlan_pcp=3", "vlan_pcp needs vlan_vid=N",
              "write vlan_vid=N,vlan_pcp=3"},
             {"icmp6,nd_target=fe80::1 actions=drop", "nd_target=fe80::1",
              "ipv6_nd_target needs icmp6,icmpv6_type=135",
              "write icmp6,icmpv6_type=135,nd_target=fe80::1"},
             {"prioriti=1 actions=drop", "prioriti", "unknown field \"prioriti\"",
              "did you mean \"priority\"?"},
             {"in_prt=1 actions=drop", "in_prt", "unknown field \"in_prt\"",
              "did you mean \"in_port\"?"},
             {"vlan_tci=1 actions=drop", "vlan_tci", "unknown field \"vlan_tci\"",
              "write vlan_vid and vlan_pcp"},
             {"vlan actions=drop", "vlan", "unknown field \"vlan\"",
              "write vlan_vid=N, or vlan_vid=0x1000/0x1000 for any tag"},
             {"tcp,udp actions=drop", "udp", "\"udp\" contradicts what stands before it", ""},
             {"in_port=1,in_port=2 actions=drop", "in_port=2", "in_port is given twice", ""},
             {"eth_dst actions=drop", "eth_dst", "eth_dst: a value is missing",
              "write eth_dst=VALUE"},
             {"eth_dst=zz actions=drop", "zz", "eth_dst: \"zz\" is not an Ethernet address", ""},
             {"ip,nw_src=10.0.0 actions=drop", "10.0.0",
              "nw_src: \"10.0.0\" is not an IPv4 address", ""},
             {"ip,nw_src=10.0.0.0/33 actions=drop", "33", "nw_src: 33 is not in 0..32", ""},
             {"ipv6,ipv6_src=1.2.3.4 actions=drop", "1.2.3.4",
              "ipv6_src: \"1.2.3.4\" is not an IPv6 address", ""},
             {"ip,ip_dscp=64 actions=drop", "64", "ip_dscp: 64 is not in 0..63", ""},
             {"dl_vlan=5000 actions=drop", "5000", "dl_vlan: 5000 is not in 0..4095", ""},
             {"ip,nw_tos=3 actions=drop", "3", "nw_tos: 3 has ECN bits",
              "write nw_ecn for the lower two bits"},
             {"in_port=1/2 actions=drop", "2", "in_port takes no mask", ""},
             {"eth_dst:00:00:00:00:00:01 actions=drop", "eth_dst:00:00:00:00:00:01",
              "\"eth_dst:00:00:00:00:00:01\" is no match",
              "write eth_dst=00:00:00:00:00:01; actions stand behind actions="},
             {"priority actions=drop", "priority", "priority: a value is missing",
              "write priority=VALUE"},
             {"priority=9x actions=drop", "9x", "priority: \"9x\" is not a number", ""},
             {"priority=65536 actions=drop", "65536", "priority: 65536 is not in 0..65535", ""},
             {"table=255 actions=drop", "255", "table: 255 is not in 0..254", ""},
             {"check_overlap=1 actions=drop", "check_overlap=1", "check_overlap takes no value",
              ""},
             {"in_port=eth9 actions=drop", "eth9", "unknown port \"eth9\"",
              "a port number, a port of the bridge, or LOCAL, CONTROLLER, IN_PORT, NORMAL, FLOOD, "
              "ALL"},
             {"in_port=1", "", "actions are missing", "write actions=drop to drop the packets"},
             {"actions=", "", "no actions", "write actions=drop to drop the packets"},
             {"=5 actions=drop", "=5", "\"=5\" has no name", ""},
             {"actions=write_actions(output:1", "(", "unmatched \"(\"", "close it with \")\""},
             {"actions=write_actions(output:1)x", "x", "\"x\" after \")\"", "write a comma"},
             {"actions=outpt:1", "outpt", "unknown action \"outpt\"", "did you mean \"output\"?"},
             {"actions=eth9", "eth9", "unknown action \"eth9\"",
              "an action, or a port by number or name"},
             {"actions=output", "output", "output: a port is missing", "write output:PORT"},
             {"actions=output:0", "output:0", "output: port 0x0 is not a port", ""},
             {"actions=output:any", "output:any", "output: port 0xffffffff is not a port", ""},
             {"actions=resubmit(,1)", "resubmit(,1)", "action \"resubmit\" is Open vSwitch's own",
              "write goto_table:N"},
             {"actions=drop,output:1", "output:1", "\"output:1\" beside drop", "drop stands alone"},
             {"actions=output:1,drop", "drop", "drop beside other actions", "drop stands alone"},
             {"actions=drop,drop", "drop", "drop beside other actions", "drop stands alone"},
             {"actions=dec_ttl:1", "dec_ttl:1", "dec_ttl takes no value", ""},
             {"actions=push_vlan", "push_vlan", "push_vlan: an ethertype is missing",
              "write push_vlan:0x8100"},
             {"actions=pop_mpls", "pop_mpls", "pop_mpls: an ethertype is missing",
              "write pop_mpls:0x0800"},
             {"actions=push_vlan:0x1234", "push_vlan:0x1234",
              "push_vlan: 0x1234 is not the ethertype of such a tag", ""},
             {"ip actions=set_field:80->tcp_dst", "set_field:80->tcp_dst",
              "set_field tcp_dst: the flow does not match tcp", "add tcp to the match"},
             {"actions=write_actions(set_field:1.2.3.4->ipv4_dst)", "set_field:1.2.3.4->ipv4_dst",
              "set_field ipv4_dst: the flow does not match ip", "add ip to the match"},
             {"actions=set_field:1", "set_field:1", "\"set_field:1\" names no field",
              "write set_field:VALUE->FIELD"},
             {"actions=set_field:1->nothing", "nothing", "unknown field \"nothing\"", ""},
             {"actions=set_field:1->eth_dts", "eth_dts", "unknown field \"eth_dts\"",
              "did you mean \"eth_dst\"?"},
             {"actions=set_field:1->in_port", "in_port", "in_port cannot be set", ""},
             {"actions=set_field:1/3->tunnel_id", "1/3", "set_field takes no mask in OpenFlow 1.3",
              ""},
             {"actions=controller(reason=1)", "reason=1", "controller: \"reason=1\" is not known",
              "write controller:128 or controller(max_len=128)"},
             {"actions=goto_table:0", "goto_table:0",
              "goto_table:0 does not lead forward from table 0",
              "a goto leads to a table of a greater number"},
             {"table=4 actions=goto_table:3", "goto_table:3",
              "goto_table:3 does not lead forward from table 4",
              "a goto leads to a table of a greater number"},
             {"actions=goto_table:1,goto_table:2", "goto_table:2", "goto_table is given twice", ""},
             {"actions=meter:1,meter:2", "meter:2", "meter is given twice", ""},
             {"actions=clear_actions,clear_actions", "clear_actions",
              "clear_actions is given twice", ""},
             {"actions=clear_actions:1", "clear_actions:1", "clear_actions takes no value", ""},
             {"actions=write_metadata:1,write_metadata:2", "write_metadata:2",
              "write_metadata is given twice", ""},
             {"actions=write_actions(),write_actions()", "write_actions()",
              "write_actions is given twice", ""},
             {"actions=write_actions", "write_actions", "write_actions: no actions",
              "write write_actions(ACTION,…)"},
             {"actions=write_actions=", "write_actions=", "write_actions: no actions", ""},
             {"actions=set_queue", "", "set_queue: a number is missing", ""},
         })) {
        const auto mod = parse_flow(text, ports);
        ASSERT_FALSE(mod) << text;
        const FlowTextError& e = mod.error();
        EXPECT_EQ(e.text, error) << text;
        EXPECT_EQ(e.hint, hint) << text;
        ASSERT_LE(e.offset, text.size()) << text;
        EXPECT_EQ(text.substr(e.offset, at.empty() ? 0 : e.length), at) << text;
        if (!at.empty()) {
            EXPECT_EQ(e.offset, text.rfind(at)) << text;
        }
    }
}

TEST(ParseFlow, AFlowThatNoMessageCanHoldIsRefused) {
    std::string text = "actions=output:1";
    for (int i = 0; i < 4096; ++i) text += ",output:1";
    const auto mod = parse_flow(text, {});
    ASSERT_FALSE(mod);
    EXPECT_EQ(mod.error().text, "the flow takes 65560 bytes of at most 65000 in OpenFlow");
}

TEST(ParseFlow, WithoutRulesWhatAMessageCanSayIsTaken) {
    for (const char* text : {"nw_dst=10.0.0.1 actions=output:2", "table=3 actions=goto_table:1",
                             "actions=set_field:10.0.0.1->ipv4_dst"}) {
        EXPECT_FALSE(parse_flow(text, {})) << text;
        EXPECT_TRUE(parse_flow(text, {}, FlowRules::spelling)) << text;
    }
    EXPECT_FALSE(parse_flow("nw_dts=10.0.0.1 actions=drop", {}, FlowRules::spelling));
}

}  // namespace
}  // namespace raicho::openflow
