// SPDX-License-Identifier: Apache-2.0
// What a text means and what is wrong with it (users.md section 3.2).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/model/device.h"
#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// The single bridge of a text that must be sound.
BridgeConfig bridge_of(const std::string& inside) {
    const Checked c = check_text("bridge br0 {\n" + inside + "\n}\n");
    EXPECT_EQ(c.report(), "");
    return c.config.bridges.empty() ? BridgeConfig{} : c.config.bridges.front();
}

std::string errors_of(const std::string& inside) {
    const Checked c = check_text("bridge br0 {\n" + inside + "\n}\n");
    EXPECT_FALSE(c.ok()) << inside;
    return c.report();
}

TEST(Check, ReadsTheWholeFileOfTwoHostsAndRyu) {
    const BridgeConfig b = bridge_of("port h1-br 1\nport h2-br 2\ncontroller tcp:127.0.0.1:6653");
    ASSERT_EQ(b.ports.size(), 2u);
    EXPECT_EQ(b.ports[0].name, "h1-br");
    EXPECT_EQ(b.ports[0].number, PortNo(1));
    EXPECT_EQ(b.ports[0].device.kind, DeviceKind::af_packet);
    EXPECT_EQ(b.ports[0].device.name, "h1-br");
    ASSERT_EQ(b.controllers.size(), 1u);
    EXPECT_EQ(b.controllers[0].host, "127.0.0.1");
    EXPECT_EQ(b.effective_fail_mode(), FailMode::secure);
    EXPECT_FALSE(b.fail_mode);
}

TEST(Check, FailModeIsStandaloneWithoutController) {
    EXPECT_EQ(bridge_of("port a").effective_fail_mode(), FailMode::standalone);
    EXPECT_EQ(bridge_of("fail-mode secure").effective_fail_mode(), FailMode::secure);
}

TEST(Check, OrderNeverMatters) {
    const BridgeConfig a = bridge_of("flow \"actions=output:p\"\nport p { mtu 9000; admin down }");
    const BridgeConfig b = bridge_of("port p { admin down; mtu 9000 }\nflow \"actions=output:p\"");
    EXPECT_EQ(a, b);
}

TEST(Check, ReadsEveryPortSetting) {
    const BridgeConfig b = bridge_of(
        "port up 3 { device dpdk 03:00.0; mtu 9000; queues 2; description \"to the \\\"core\\\"\";"
        " admin down; force }");
    const PortConfig& p = b.ports.at(0);
    EXPECT_EQ(p.device, (DeviceConfig{DeviceKind::dpdk, "0000:03:00.0"}));
    EXPECT_EQ(p.mtu, 9000);
    EXPECT_EQ(p.queues, 2);
    EXPECT_EQ(p.description, "to the \"core\"");
    EXPECT_EQ(p.admin, AdminState::down);
    EXPECT_EQ(p.force, Force::yes);
}

TEST(Check, ReadsEveryDeviceKind) {
    const BridgeConfig b = bridge_of(
        "port a { device af-packet eth7 }\nport b { device tap }\nport c { device tap vnet }\n"
        "port d { device null }\nport e { device pcap iface eth8 }\n"
        "port f { device pcap rx /tmp/in.pcap tx /tmp/out.pcap }\n"
        "port g { device ethdev \"net_pcap0,iface=eth9\" }");
    EXPECT_EQ(device_string(b.ports[0]), "eth7");
    EXPECT_EQ(device_string(b.ports[1]), "b");
    EXPECT_EQ(device_string(b.ports[2]), "vnet");
    EXPECT_EQ(device_string(b.ports[3]), "");
    EXPECT_EQ(device_string(b.ports[4]), "net_pcap_e,iface=eth8");
    EXPECT_EQ(device_string(b.ports[5]), "net_pcap_f,rx_pcap=/tmp/in.pcap,tx_pcap=/tmp/out.pcap");
    EXPECT_EQ(device_string(b.ports[6]), "net_pcap0,iface=eth9");
    for (const DeviceRow& r : device_rows()) {
        if (r.kind) continue;
        EXPECT_THAT(errors_of("port x { device " + std::string(r.word) + " y }"),
                    HasSubstr("is not supported by this version"));
    }
}

TEST(Check, ReadsWhatAPortDoesWithItsTraffic) {
    const BridgeConfig b = bridge_of(
        "port a { vlan { access 10 }; policer { rate 10M; burst 64k } }\n"
        "port t { vlan { trunk [ 30 20 ]; native 7 }; max-rate 1G\n"
        "queue 9 { min-rate 1M; max-rate 2M; priority 3; weight 4 }; queue 0 }");
    EXPECT_EQ(b.ports.at(0).vlan->access, 10);
    EXPECT_EQ(b.ports[0].policer->rate_bps, 10'000'000u);
    EXPECT_EQ(b.ports[0].policer->burst_bytes, 65536u);
    EXPECT_EQ(b.ports.at(1).vlan->trunk, (std::vector<std::uint16_t>{20, 30}));
    EXPECT_EQ(b.ports[1].vlan->native, 7);
    EXPECT_EQ(b.ports[1].max_rate_bps, 1'000'000'000u);
    EXPECT_EQ(b.ports[1].egress,
              (std::vector<QueueConfig>{{.id = 0, .min_rate_bps = {}, .max_rate_bps = {}},
                                        {.id = 9,
                                         .min_rate_bps = 1'000'000,
                                         .max_rate_bps = 2'000'000,
                                         .priority = 3,
                                         .weight = 4}}));
}

TEST(Check, RefusesTrafficSettingsThatContradict) {
    EXPECT_THAT(errors_of("port p { vlan { access 10; native 7 } }"),
                HasSubstr("access beside trunk or native"));
    EXPECT_THAT(errors_of("port p { policer { burst 64k } }"), HasSubstr("policer has no rate"));
    EXPECT_THAT(errors_of("port p { max-rate 1M }"), HasSubstr("add queue 0"));
    EXPECT_THAT(errors_of("port p { queue 1 { min-rate 2M; max-rate 1M } }"),
                HasSubstr("queue 1: min-rate is larger than max-rate"));
    EXPECT_THAT(errors_of("port p { max-rate 1M; queue 1 { min-rate 2M } }"),
                HasSubstr("its queues get 2000000 bit/s at least, and max-rate is 1000000 bit/s"));
    std::string queues;
    for (int i = 0; i < 17; ++i) queues += "queue " + std::to_string(i) + ";";
    EXPECT_THAT(errors_of("port p { " + queues + " }"),
                HasSubstr("17 queues, and there is room for 16"));
    EXPECT_THAT(errors_of("port p1; mac-table { static 02:00:00:00:00:01 { port p2 } }"),
                HasSubstr("bridge \"br0\" has no port \"p2\""));
    EXPECT_THAT(errors_of("controller tcp:10.0.0.1 { role master }"), HasSubstr("role"));
}

TEST(Check, RefusesDevicesThatCannotBe) {
    EXPECT_THAT(errors_of("port x { device tapp }"), HasSubstr("did you mean \"tap\"?"));
    EXPECT_THAT(errors_of("port x { device dpdk }"), HasSubstr("needs <pci-address>"));
    EXPECT_THAT(errors_of("port x { device dpdk eth0 }"), HasSubstr("not a PCI address"));
    EXPECT_THAT(errors_of("port x { device null 3 }"), HasSubstr("unexpected \"3\""));
    EXPECT_THAT(errors_of("port x { device pcap }"), HasSubstr("either an interface or files"));
    EXPECT_THAT(errors_of("port x { device pcap rx }"), HasSubstr("rx needs a value"));
    EXPECT_THAT(errors_of("port x { device af-packet a/b }"), HasSubstr("interface name"));
    EXPECT_THAT(errors_of("port a-name-of-twenty-ch"), HasSubstr("device af-packet <interface>"));
    EXPECT_THAT(errors_of("port x { device [ tap ] }"), HasSubstr("takes no list"));
    EXPECT_THAT(errors_of("port x { queues 4 }"), HasSubstr("af-packet ports have one queue"));
}

TEST(Check, ReadsControllersAsStatementListAndBlock) {
    const BridgeConfig b = bridge_of(
        "controller [ tcp:10.9.0.1 tcp:[2001:db8::1]:6633 ] { probe 500ms; backoff-max 4s; "
        "auxiliary 2 }\n"
        "controller tcp:ctl.example.net");
    ASSERT_EQ(b.controllers.size(), 3u);
    EXPECT_EQ(to_string(b.controllers[0]), "tcp:10.9.0.1:6653");
    EXPECT_EQ(to_string(b.controllers[1]), "tcp:[2001:db8::1]:6633");
    EXPECT_EQ(b.controllers[1].probe_ms, 500u);
    EXPECT_EQ(b.controllers[1].backoff_max_ms, 4000u);
    EXPECT_EQ(b.controllers[1].auxiliary, 2);
    EXPECT_EQ(b.controllers[2].auxiliary, 0);
    EXPECT_EQ(b.controllers[2].host, "ctl.example.net");
    EXPECT_EQ(b.controllers[2].probe_ms, 5000u);
}

TEST(Check, RefusesControllersThatCannotBe) {
    EXPECT_THAT(errors_of("controller 10.0.0.1"), HasSubstr("the transport is missing"));
    EXPECT_THAT(errors_of("controller ssl:10.0.0.1"), HasSubstr("not supported by this version"));
    EXPECT_THAT(errors_of("controller ptcp:6654"), HasSubstr("listen tcp:127.0.0.1:6654"));
    EXPECT_THAT(errors_of("controller tcp:10.0.0.1:0"), HasSubstr("allowed: 1 to 65535"));
    EXPECT_THAT(errors_of("controller tcp:10.0.0.256"), HasSubstr("neither an address"));
    EXPECT_THAT(errors_of("controller tcp:::1:6653"), HasSubstr("brackets"));
    EXPECT_THAT(errors_of("controller tcp:[::1"), HasSubstr("brackets must hold"));
    EXPECT_THAT(errors_of("controller [ ]"), HasSubstr("the list is empty"));
    EXPECT_THAT(errors_of("controller tcp:a\ncontroller tcp:a:6653"),
                HasSubstr("first defined at t.conf:2:12"));
    EXPECT_THAT(errors_of("controller tcp:a { backoff-min 9s }"),
                HasSubstr("backoff-min is larger than backoff-max"));
}

TEST(Check, ListensOnLoopbackUnlessTold) {
    const BridgeConfig b = bridge_of(
        "listen tcp:127.0.0.1:6654\nlisten tcp:[::1]\nlisten tcp:0.0.0.0:6655 { allow-remote }");
    EXPECT_EQ(b.listens[2].allow_remote, AllowRemote::yes);
    EXPECT_EQ(to_string(b.listens[1]), "tcp:[::1]:6653");
    EXPECT_THAT(errors_of("listen tcp:192.0.2.1:6654"),
                HasSubstr("listen tcp:192.0.2.1:6654 { allow-remote }"));
    EXPECT_THAT(errors_of("listen tcp:localhost:6654"), HasSubstr("is not an address"));
    EXPECT_THAT(check_text("bridge a { listen tcp:127.0.0.1:1 }\n"
                           "bridge b { listen tcp:127.0.0.1:1 }")
                    .report(),
                HasSubstr("first defined at t.conf:1:19"));
}

TEST(Check, ReadsTheLocalInterface) {
    const BridgeConfig b = bridge_of(
        "local { address 192.168.2.99/24; address 2001:db8::1/64; mac 02:00:00:00:00:05; mtu 1400 "
        "}");
    ASSERT_TRUE(b.local);
    ASSERT_EQ(b.local->addresses.size(), 2u);
    EXPECT_EQ(to_string(b.local->addresses[0]), "192.168.2.99/24");
    EXPECT_EQ(to_string(b.local->addresses[1]), "2001:db8::1/64");
    EXPECT_EQ(b.local->mtu, 1400);
    EXPECT_TRUE(bridge_of("local").local);
    EXPECT_EQ(bridge_of("local { address [ 10.0.0.1/8 10.0.0.2/8 ] }").local->addresses.size(), 2u);
    EXPECT_THAT(errors_of("local { address 10.0.0.1/33 }"), HasSubstr("192.168.2.99/24"));
    EXPECT_THAT(errors_of("local { mac 01:00:00:00:00:05 }"), HasSubstr("multicast"));
    EXPECT_THAT(errors_of("local x"), HasSubstr("local takes no name"));
}

TEST(Check, ReadsSettingsOfDaemons) {
    const Checked c = check_text(
        "system { name sw-1 }\nlog { level debug; file /var/log/raicho.log }\n"
        "agent { max-flows 2M; max-workers 4; max-bridges 8; max-ports 2048 }\n"
        "dataplane { workers 2; cores 2-3; memory 1G; profile busy; huge-pages off; "
        "rx-buffer 64k; driver /opt/x.so }\n");
    EXPECT_EQ(c.report(), "");
    EXPECT_EQ(c.config.system.name, "sw-1");
    EXPECT_EQ(c.config.log.level, LogVerbosity::debug);
    EXPECT_EQ(c.config.log.file, "/var/log/raicho.log");
    EXPECT_EQ(c.config.agent, (AgentConfig{2000000, 4, 8, 2048}));
    EXPECT_EQ(c.config.dataplane.workers, 2);
    EXPECT_EQ(c.config.dataplane.cores, (std::vector<std::uint16_t>{2, 3}));
    EXPECT_EQ(c.config.dataplane.memory, 1ull << 30);
    EXPECT_EQ(c.config.dataplane.profile, Profile::busy);
    EXPECT_EQ(c.config.dataplane.huge_pages, HugePages::off);
    EXPECT_EQ(c.config.dataplane.rx_buffer, 64u * 1024);
    EXPECT_EQ(c.config.dataplane.driver, "/opt/x.so");
}

TEST(Check, RefusesSettingsOutOfRange) {
    const auto report = [](const std::string& text) { return check_text(text).report(); };
    EXPECT_THAT(report("agent { max-flows 10 }"), HasSubstr("allowed: 1024 to 67108864"));
    EXPECT_THAT(report("agent { max-flows -1 }"), HasSubstr("is not a number"));
    EXPECT_THAT(report("agent { max-flows 18446744073709551616 }"), HasSubstr("not a number"));
    EXPECT_THAT(report("agent { max-flows 99999999999999999G }"), HasSubstr("not a number"));
    EXPECT_THAT(report("dataplane { memory 1 }"), HasSubstr("allowed: 16M to 1T"));
    EXPECT_THAT(report("dataplane { cores [ 1 1 ] }"), HasSubstr("named twice"));
    EXPECT_THAT(report("dataplane { cores [ 1, 2 ] }"), HasSubstr("separated by blanks"));
    EXPECT_THAT(report("dataplane { workers 2; cores 1 }"), HasSubstr("2 workers on 1 cores"));
    EXPECT_THAT(report("dataplane { workers 20 }"), HasSubstr("raise agent max-workers"));
    EXPECT_THAT(report("log { file x }"), HasSubstr("begin it with /"));
    EXPECT_THAT(report("bridge b { mac-table { ageing 1500ms } }"), HasSubstr("whole seconds"));
    EXPECT_THAT(report("bridge b { dpid 0 }"), HasSubstr("not a datapath id"));
    EXPECT_THAT(report("system { name \"a b\" }"), HasSubstr("use letters, digits"));
}

TEST(Check, TakesDatapathIdsInAllTheirForms) {
    EXPECT_EQ(bridge_of("dpid 7").dpid, Dpid(7));
    EXPECT_EQ(bridge_of("dpid 0x1f").dpid, Dpid(0x1f));
    EXPECT_EQ(bridge_of("dpid 0000000000000010").dpid, Dpid(0x10));
    EXPECT_EQ(bridge_of("dpid 00:00:00:00:00:00:00:0a").dpid, Dpid(10));
}

TEST(Check, FindsWhatOnlyOneMayHave) {
    EXPECT_THAT(errors_of("port a 1\nport b 1"),
                HasSubstr("port number 1 is already used by port"));
    EXPECT_THAT(errors_of("port a\nport a"), HasSubstr("first defined at t.conf:2:1"));
    EXPECT_THAT(errors_of("port a\nport b { device tap a }"), HasSubstr("interface \"a\""));
    EXPECT_THAT(errors_of("local\nport x { device tap br0 }"), HasSubstr("local interface"));
    EXPECT_THAT(errors_of("port a { device dpdk 0000:03:00.0 }\nport b { device dpdk 03:00.0 }"),
                HasSubstr("device \"0000:03:00.0\" is already used"));
    EXPECT_THAT(check_text("bridge a { port p }\nbridge b { port p { device tap q } }").report(),
                HasSubstr("port name \"p\" is already used"));
    EXPECT_THAT(check_text("bridge a { dpid 1 }\nbridge b { dpid 0x1 }").report(),
                HasSubstr("datapath id 0x1 is already used by bridge \"a\""));
    EXPECT_THAT(check_text("bridge a\nbridge a").report(), HasSubstr("defined twice"));
    EXPECT_THAT(check_text("log { }\nlog { }").report(), HasSubstr("first defined at t.conf:1:1"));
    EXPECT_THAT(errors_of("fail-mode secure\nfail-mode secure"), HasSubstr("given twice"));
}

TEST(Check, SuggestsForUnknownWords) {
    EXPECT_THAT(errors_of("failmode secure"), HasSubstr("did you mean \"fail-mode\"?"));
    EXPECT_THAT(errors_of("fail-mode safe"), HasSubstr("allowed: secure, standalone"));
    EXPECT_THAT(errors_of("port p { mtu=9000 }"), HasSubstr("mtu 9000"));
    EXPECT_THAT(errors_of("port p { mtu = 9000 }"), HasSubstr("unexpected \"9000\""));
    EXPECT_THAT(errors_of("port p { mtu: 9000 }"), HasSubstr("between name and value: mtu 9000"));
    EXPECT_THAT(errors_of("cores 2"), HasSubstr("cores belongs inside dataplane"));
    EXPECT_THAT(errors_of("port p mtu 9000"), HasSubstr("expected"));
    EXPECT_THAT(check_text("controller tcp:x").report(), HasSubstr("belongs inside bridge"));
    EXPECT_THAT(errors_of("xyzzy"), HasSubstr("known here: dpid, fail-mode"));
    EXPECT_THAT(errors_of("port"), HasSubstr("write port <name> [<number>]"));
    EXPECT_THAT(errors_of("mac-table { limit }"), HasSubstr("write limit <10..1048576>"));
    EXPECT_THAT(errors_of("port p { force yes }"), HasSubstr("force takes no value"));
    EXPECT_THAT(errors_of("port p { mtu { } }"), HasSubstr("takes a value, not a block"));
    EXPECT_THAT(errors_of("port p { mtu 1500 admin up }"), HasSubstr("between mtu and admin"));
}

TEST(Check, ReportsAllTenMistakesOfOneFile) {
    Checked c = check(read_text(data("ten_mistakes.conf")), "ten_mistakes.conf", toy_checker());
    EXPECT_EQ(c.diagnostics.size(), 10u);
    EXPECT_EQ(c.report(), read_text(data("ten_mistakes.txt")));
    for (const Diagnostic& d : c.diagnostics) {
        EXPECT_NE(d.line, 0u) << d.text;
        EXPECT_NE(d.column, 0u) << d.text;
        EXPECT_THAT(d.help, testing::Not(IsEmpty())) << d.text;
    }
}

TEST(Check, ReadsFilesAndSaysWhyItCannot) {
    EXPECT_THAT(check_file("/nonexistent/x.conf").report(),
                HasSubstr("/nonexistent/x.conf: error: cannot be read: No such file"));
    EXPECT_THAT(check_file("/").report(), HasSubstr("cannot be read: Is a directory"));
}

TEST(Check, MergesIntoWhatIsThere) {
    const Checked base = check_text("bridge br0 { port a 1 { mtu 1500 }\ncontroller tcp:x }");
    const Checked c = check_merge(base.config,
                                  "bridge br0 { port b; port a { admin down } }\n"
                                  "bridge br1",
                                  "m.conf");
    EXPECT_EQ(c.report(), "");
    ASSERT_EQ(c.config.bridges.size(), 2u);
    ASSERT_EQ(c.config.bridges[0].ports.size(), 2u);
    EXPECT_EQ(c.config.bridges[0].ports[0].mtu, 1500);
    EXPECT_EQ(c.config.bridges[0].ports[0].admin, AdminState::down);
    EXPECT_EQ(c.config.bridges[0].controllers.size(), 1u);
    EXPECT_THAT(check_merge(base.config, "bridge b2 { port c 1 { device tap a } }", "m").report(),
                HasSubstr("it is part of the running configuration"));
}

TEST(Check, AddsAPortFromItsOptions) {
    const Config base = check_text("bridge br0 { port a 1 }").config;
    for (const char* options : {"", "5", " 5 { device tap }", "{ device tap; mtu 1400 }",
                                "device tap; mtu 1400", "mtu 1400 # so"}) {
        const Checked c = check_add_port(base, "br0", "t1", options);
        EXPECT_EQ(c.report(), "") << options;
        EXPECT_EQ(c.config.bridges[0].ports.size(), 2u) << options;
    }
    EXPECT_EQ(check_add_port(base, "br0", "t1", "5").config.bridges[0].ports[1].number, PortNo(5));
    EXPECT_EQ(check_add_port(base, "br0", "t1", "device tapp").report(),
              "port:1:8: error: unknown device kind \"tapp\"\n"
              "    device tapp\n"
              "           ^^^^\n"
              "    help: did you mean \"tap\"?\n");
    EXPECT_THAT(check_add_port(base, "br1", "t1", "").report(), HasSubstr("did you mean \"br0\"?"));
    EXPECT_THAT(check_add_port(base, "br0", "a", "").report(), HasSubstr("already"));
    EXPECT_FALSE(check_add_port(base, "br0", "t1", "} bridge x {").ok());
    EXPECT_FALSE(check_add_port(base, "br0", "x }", "").ok());
}

}  // namespace
}  // namespace raicho::dsl
