// SPDX-License-Identifier: Apache-2.0
// The ancestor's commands: what they leave behind, as our text, and what is said about the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/import/lagopus_command.h"
#include "dsl/import/lagopus_options.h"
#include "tests/unit/dsl/import/fixture.h"

namespace raicho::dsl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kTwoPorts = R"(channel ch create -dst-addr 10.0.0.9 -dst-port 6653
controller c1 create -channel ch
interface i1 create -type ethernet-rawsock -device h1-br
interface i2 create -type ethernet-rawsock -device p2 -mtu 9k
port p1 create -interface i1
port p2 create -interface i2
bridge b create -controller c1 -port p1 1 -port p2 2 -dpid 0x1f
bridge b enable
)";

Imported two_ports(std::string_view more) {
    return lagopus(std::string(kTwoPorts) + std::string(more));
}

TEST(ImportLagopus, ChainsOfObjectsBecomePortsAndControllers) {
    const Imported made = lagopus(std::string(kTwoPorts));
    EXPECT_EQ(made.text,
              "bridge b {\n"
              "    dpid 0x1f\n"
              "    fail-mode secure\n"
              "    port p1 1 {\n"
              "        device af-packet h1-br\n"
              "    }\n"
              "    port p2 2 {\n"
              "        mtu 9000\n"
              "    }\n"
              "    controller tcp:10.0.0.9:6653\n"
              "}\n");
    EXPECT_EQ(made.report(), "");
    EXPECT_TRUE(check(made.text, "made").ok());
}

TEST(ImportLagopus, WhatTheAncestorSavesHasColonsAndComments) {
    const Imported made = lagopus(
        "# all the interface objects' attribute\n"
        "interface :i create -type ethernet-rawsock -device eth1\n"
        "port :p create -interface :i\n"
        "bridge :b create -dpid 7 -port :p 4\n"
        "bridge :b enable\n");
    EXPECT_EQ(made.report(), "");
    EXPECT_TRUE(has_line(made, "port p 4 {"));
}

TEST(ImportLagopus, CommandsMayContinueAndQuote) {
    const Imported made = lagopus(
        "interface \"i 1\" create -type ethernet-rawsock \\\n  -device eth1\r\n"
        "port 'p 1' create -interface \"i 1\"\n"
        "bridge b create -dpid 7 -port 'p 1' 4\n"
        "bridge b enable\n"
        "bridge \"open\n");
    EXPECT_TRUE(has_line(made, "port p_1 4 {"));
    EXPECT_EQ(made.report(),
              "a.dsl:3: note: port \"p 1\" is called p_1 here\n"
              "a.dsl:6: not carried: a quote is not closed\n");
}

TEST(ImportLagopus, NumbersHaveMultipliers) {
    EXPECT_EQ(lagopus_number("0x10"), 16u);
    EXPECT_EQ(lagopus_number("2k"), 2000u);
    EXPECT_EQ(lagopus_number("2Ki"), 2048u);
    EXPECT_EQ(lagopus_number("1mi"), 1048576u);
    EXPECT_EQ(lagopus_number("k"), std::nullopt);
    EXPECT_EQ(lagopus_number("99999999999999999999k"), std::nullopt);
    EXPECT_EQ(lagopus_number("18446744073709551615p"), std::nullopt);
}

TEST(ImportLagopus, ABridgeThatIsNotEnabledStandsInAComment) {
    const Imported made = lagopus(
        "interface i create -type ethernet-rawsock -device eth1\n"
        "port p create -interface i\n"
        "bridge b create -dpid 7 -port p 1\n");
    EXPECT_THAT(made.text, HasSubstr("# bridge b {\n#     dpid 0x7\n"));
    EXPECT_THAT(made.report(), HasSubstr("a.dsl:3: not carried: bridge \"b\" is not enabled"));
    EXPECT_TRUE(check(made.text, "made").config.bridges.empty());
}

TEST(ImportLagopus, DisabledPortsAreDownAndDisabledControllersAreNotConnected) {
    const Imported made = two_ports("port p1 disable\ncontroller c1 disable\n");
    EXPECT_THAT(made.text, HasSubstr("device af-packet h1-br\n        admin down\n"));
    EXPECT_TRUE(has_line(made, "# controller tcp:10.0.0.9:6653"));
    EXPECT_THAT(made.report(), HasSubstr("a.dsl:10: not carried: controller \"c1\""));
}

TEST(ImportLagopus, ConfigChangesListsAndCreatesWhatHasNoType) {
    const Imported made = two_ports(
        "bridge b config -port ~p2 -fail-mode standalone\n"
        "bridge b config -mactable-ageing-time 60 -mactable-max-entries 100\n"
        "channel ch config -dst-port 6633\n"
        "controller c2 config -channel ch\n"
        "interface i9 config -mtu 1400\n");
    EXPECT_TRUE(has_line(made, "fail-mode standalone"));
    EXPECT_TRUE(has_line(made, "ageing 60"));
    EXPECT_TRUE(has_line(made, "limit 100"));
    EXPECT_TRUE(has_line(made, "controller tcp:10.0.0.9:6633"));
    EXPECT_THAT(made.text, Not(HasSubstr("port p2")));
    EXPECT_THAT(made.report(),
                HasSubstr("a.dsl:13: not carried: interface \"i9\" was not created"));
    EXPECT_THAT(made.report(), HasSubstr("port \"p2\" is in no bridge"));
}

TEST(ImportLagopus, WhatIsUsedIsNotDestroyedAndWhatIsNotIs) {
    const Imported made = two_ports("port p1 destroy\nbridge b destroy\nport p1 destroy\n");
    EXPECT_EQ(made.text, "");
    EXPECT_THAT(made.report(), HasSubstr("a.dsl:9: not carried: port \"p1\" is used"));
    EXPECT_EQ(lagopus(std::string(kTwoPorts) + "destroy-all-obj\n").text, "");
}

TEST(ImportLagopus, TransactionsAreCarriedOut) {
    EXPECT_EQ(two_ports("atomic begin\nbridge b config -fail-mode standalone\natomic abort\n").text,
              two_ports("").text);
    EXPECT_TRUE(
        has_line(two_ports("atomic begin\nbridge b config -fail-mode standalone\natomic commit\n"),
                 "fail-mode standalone"));
    EXPECT_EQ(two_ports("dryrun begin\ndestroy-all-obj\ndryrun end\n").text, two_ports("").text);
    EXPECT_THAT(two_ports("atomic commit\n").report(),
                HasSubstr("a.dsl:9: not carried: atomic commit: nothing was begun"));
    EXPECT_THAT(two_ports("atomic begin\n").report(), HasSubstr("is never ended"));
}

TEST(ImportLagopus, NamespacesKeepNamesApart) {
    const Imported made = lagopus(
        "namespace add n\nnamespace set n\n"
        "interface i create -type ethernet-rawsock -device eth1\n"
        "port p create -interface i\n"
        "bridge b create -dpid 7 -port p 1\n"
        "bridge b enable\n"
        "namespace unset\n"
        "bridge b create -dpid 8\nbridge b enable\n");
    EXPECT_TRUE(has_line(made, "bridge n_b {"));
    EXPECT_TRUE(has_line(made, "bridge b {"));
    EXPECT_TRUE(check(made.text, "made").ok()) << check(made.text, "made").report();
}

TEST(ImportLagopus, FilesAreLoadedAndNotRoundAndRound) {
    const ForeignText file{"a.dsl", "load b.dsl\n"};
    ImportOptions options;
    options.read_file = [](const std::string& path) -> std::expected<std::string, std::string> {
        if (path == "b.dsl") return "bridge b create -dpid 7\nbridge b enable\nload b.dsl\n";
        return std::unexpected("no such file");
    };
    const Imported made = import_lagopus({&file, 1}, options);
    EXPECT_TRUE(has_line(made, "bridge b {"));
    EXPECT_EQ(made.report(), "b.dsl:3: not carried: load \"b.dsl\" loads itself\n");
    EXPECT_THAT(lagopus("load b.dsl\n").report(), HasSubstr("import that file too"));
}

TEST(ImportLagopus, FlowsAreWrittenInOurWords) {
    const Imported made = two_ports(
        "flow b add table=1 priority=7 in_port=1 dl_type=ip nw_dst=10.0.0.0/255.0.0.0 "
        "idle_timeout=5 cookie=0x9 send_flow_rem write_actions=dec_nw_ttl,output:2 "
        "write_metadata=1/1 goto_table=2 apply_actions=strip_vlan meter=3\n"
        "flow b add in_port=2\n");
    EXPECT_EQ(made.report(), "");
    EXPECT_TRUE(has_line(
        made,
        "flow \"table=1,priority=7,cookie=0x9,idle_timeout=5,send_flow_rem,in_port=1,dl_type=ip,"
        "nw_dst=10.0.0.0/255.0.0.0 actions=meter:3,strip_vlan,write_actions(dec_nw_ttl,output:2),"
        "write_metadata:1/1,goto_table:2\""))
        << made.text;
    EXPECT_TRUE(has_line(made, "flow \"table=0,priority=0,in_port=2 actions=drop\""));
}

TEST(ImportLagopus, FlowsAreAddedModifiedAndDeletedAsASwitchDoes) {
    const Imported made = two_ports(
        "flow b add priority=1 dl_type=0x0800 nw_dst=10.1.0.0/255.255.0.0 apply_actions=output:1\n"
        "flow b add priority=2 dl_type=ip nw_dst=10.2.0.1 apply_actions=output:1\n"
        "flow b add priority=2 dl_type=2048 nw_dst=10.2.0.1 apply_actions=output:2\n"  // the same
        "flow b mod dl_type=ip nw_dst=10.1.0.0/255.255.0.0 apply_actions=output:9\n"
        "flow b add table=3 apply_actions=output:1\n"
        "flow b del -strict table=0 priority=9 dl_type=ip nw_dst=10.2.0.1\n"  // other priority
        "flow b del table=all out_port=1\n");
    EXPECT_TRUE(has_line(made,
                         "flow \"table=0,priority=1,dl_type=0x0800,nw_dst=10.1.0.0/255.255.0.0 "
                         "actions=output:9\""));
    EXPECT_TRUE(has_line(
        made, "flow \"table=0,priority=2,dl_type=2048,nw_dst=10.2.0.1 actions=output:2\""));
    EXPECT_THAT(made.text, Not(HasSubstr("table=3")));
    EXPECT_EQ(made.report(), "a.dsl:14: note: flow: no entry is chosen, nothing changes\n");
    EXPECT_THAT(
        two_ports("flow b add priority=1 apply_actions=output:1\nflow b del cookie=1/1\n").text,
        HasSubstr("flow"));
}

TEST(ImportLagopus, AFlowThatTheSwitchRefusesStandsInAComment) {
    const Imported made = two_ports(
        "flow b add gre_key=7 apply_actions=output:1\n"
        "flow b add priority=70000 apply_actions=output:1\n"
        "flow b add nonsense\n"
        "flow nobody add apply_actions=output:1\n"
        "flow b ad apply_actions=output:1\n");
    EXPECT_TRUE(has_line(made, "# flow \"table=0,priority=0,gre_key=7 actions=output:1\""));
    EXPECT_EQ(
        made.report(),
        "a.dsl:9: not carried: flow: unknown word: table=0,priority=0,gre_key=7 "
        "actions=output:1\n    help: leave it out\n"
        "a.dsl:10: not carried: flow: priority: \"70000\" is not a number up to 65535\n"
        "a.dsl:11: not carried: flow: unknown word \"nonsense\"\n"
        "a.dsl:12: not carried: flow: there is no bridge \"nobody\"\n"
        "a.dsl:13: not carried: flow: unknown word \"ad\"\n    help: did you mean \"add\"?\n");
}

TEST(ImportLagopus, EachDeviceHasItsKind) {
    const auto device = [](std::string_view options) {
        return lagopus("interface i create " + std::string(options) +
                       "\nport p create -interface i\nbridge b create -dpid 7 -port p 1\n"
                       "bridge b enable\n");
    };
    EXPECT_TRUE(has_line(device("-type ethernet-dpdk-phy -device 0000:03:00.0"),
                         "device dpdk 0000:03:00.0"));
    EXPECT_TRUE(has_line(device("-type ethernet-dpdk-phy -device eth_pcap0,iface=eth1"),
                         "device pcap iface eth1"));
    EXPECT_TRUE(
        has_line(device("-type ethernet-dpdk-vdev -device net_ring3"), "device ethdev net_ring3"));
    EXPECT_TRUE(
        has_line(device("-type ethernet-dpdk-vdev -device net_tap0,iface=t0"), "device tap t0"));
    EXPECT_TRUE(has_line(device("-type ethernet-dpdk-vdev -device net_null0"), "device null"));
    for (const std::string_view lost :
         {"-type gre -dst-addr 10.0.0.1", "-type ethernet-dpdk-phy -port-number 3",
          "-type ethernet-rawsock", "-type ethernet-rawsock -device much-too-long-a-name"}) {
        const Imported made = device(lost);
        EXPECT_THAT(made.text, HasSubstr("# port p 1")) << lost;
        EXPECT_GE(made.n_lost(), 1u) << lost;
    }
}

TEST(ImportLagopus, GlobalCommandsAreCarriedOrNamed) {
    const Imported made = lagopus(
        "log -file /var/log/l.log -debuglevel 2\n"
        "datastore -addr 0.0.0.0 -port 12345\n"
        "snmp -ping-interval-second 10\nsnmp enable\n"
        "tls -cert-file /etc/c.pem\n"
        "version\nshow\nshutdown -level right-now\n");
    EXPECT_EQ(made.text, "log {\n    level debug\n    file /var/log/l.log\n}\n");
    EXPECT_EQ(made.report(),
              "a.dsl:2: note: datastore means nothing here\n"
              "    help: the agent is reached by the socket agent.sock in its run directory\n"
              "a.dsl:4: not carried: snmp enable\n    help: there is no SNMP agent\n"
              "a.dsl:5: not carried: tls -cert-file /etc/c.pem\n"
              "    help: connections to controllers are TCP\n"
              "a.dsl:7: not carried: unknown command \"show\"\n");
}

TEST(ImportLagopus, SettingsOfLaterVersionsAreWrittenWhereTheSwitchHasThem) {
    const Imported made = two_ports(
        "bridge b config -max-flows 100 -max-tables 8 -mactable-entry 02:00:00:00:00:01 2\n"
        "bridge b config -mactable-entry 02:00:00:00:00:02 7\n"
        "controller c1 config -role master\nchannel ch config -local-addr 192.0.2.7\n");
    for (const std::string_view line :
         {"max-flows 100", "max-tables 8", "static 02:00:00:00:00:01 {", "source 192.0.2.7"})
        EXPECT_TRUE(has_line(made, std::string(line))) << made.text;
    EXPECT_THAT(made.text, HasSubstr("    port p2\n"));
    EXPECT_THAT(made.report(), HasSubstr("a.dsl:10: not carried: bridge -mactable-entry "
                                         "02:00:00:00:00:02 7\n"));
    EXPECT_THAT(made.report(), HasSubstr("not carried: controller -role master\n"
                                         "    help: a controller is equal until it asks"));
    EXPECT_TRUE(check(made.text, "made").ok()) << check(made.text, "made").report();
}

TEST(ImportLagopus, WrongOptionsAndValuesAreNamed) {
    const Imported made = two_ports(
        "bridge b config -dpid many\n"
        "bridge b config -fail-mod secure\n"
        "interface i1 config -mtu 70000\n"
        "port p1 enabled\n"
        "bridge b config -port p1\n");
    EXPECT_EQ(made.report(),
              "a.dsl:9: not carried: bridge: -dpid: \"many\" is not a number\n"
              "a.dsl:10: not carried: bridge: unknown option \"-fail-mod\"\n"
              "    help: did you mean -fail-mode?\n"
              "a.dsl:11: not carried: interface: -mtu: 70000 is not in 0 to 65535\n"
              "a.dsl:12: not carried: port: unknown word \"enabled\"\n"
              "    help: did you mean \"enable\"?\n"
              "a.dsl:13: not carried: bridge: -port needs 2 values\n");
}

TEST(ImportLagopus, WhatOnlyOneMayHaveIsGivenToTheFirst) {
    const Imported made = two_ports(
        "controller c3 create -channel ch\nbridge b config -controller c3\n"
        "bridge b2 create -dpid 0x1f -port p1 1\nbridge b2 enable\n"
        "interface i3 create -type ethernet-rawsock -device h1-br\n"
        "port p3 create -interface i3\nbridge b2 config -port p3 5 -port p3x 6\n"
        "port p4 create\nbridge b2 config -port p4 5\n");
    EXPECT_TRUE(check(made.text, "made").ok()) << made.text << check(made.text, "made").report();
    for (const std::string_view part :
         {"controller \"c3\": the bridge has tcp:10.0.0.9:6653 already", "another bridge has -dpid",
          "port \"p1\" is in a bridge already", "port \"p3\": another port has this device",
          "there is no port \"p3x\"", "port \"p4\": number 5 is taken"})
        EXPECT_THAT(made.report(), HasSubstr(part));
}

TEST(ImportLagopus, EveryOptionOfTheAncestorIsTakenOrNamed) {
    for (const LagopusOption& o : lagopus_options()) {
        std::string value = "x";
        switch (o.value) {
            case LagopusValue::text: break;
            case LagopusValue::number: value = std::to_string(o.most > 1500 ? 1501 : o.most); break;
            case LagopusValue::word:
                value = std::string(o.words.substr(0, o.words.find('|')));
                break;
            case LagopusValue::ipaddress: value = "192.0.2.1"; break;
            case LagopusValue::mac: value = "02:00:00:00:00:01"; break;
            case LagopusValue::boolean: value = "false"; break;
        }
        EXPECT_TRUE(judge_lagopus_value(o, value)) << o.object << " " << o.name;
        EXPECT_EQ(o.treatment == Treatment::carried, o.why.empty()) << o.object << " " << o.name;
    }
}

}  // namespace
}  // namespace raicho::dsl
