// SPDX-License-Identifier: Apache-2.0
// Printing, port numbers, and the configurations that ship.
#include "dsl/model/print.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

constexpr std::string_view kEverything = R"(system {
    name sw-1
}
log {
    level debug
    file /var/log/raicho.log
}
agent {
    max-flows 2000000
}
dataplane {
    workers 2
    cores [ 2 3 ]
    memory 1G
    profile busy
    huge-pages off
}

bridge br2 {
    dpid 0x1f
    fail-mode secure
    mac-table {
        ageing 60s
        limit 100
    }
    local {
        address 192.168.2.99/24
        address 2001:db8::1/64
        mac 02:00:00:00:00:05
        mtu 1400
    }
    port p2 1 {
        device tap
        mtu 9000
        description "a \"b\""
        admin down
    }
    port p10 {
        device af-packet eth7
        force
    }
    controller tcp:10.9.0.1:6653
    controller tcp:[::1]:6633 {
        probe 500ms
        backoff-min 2s
        backoff-max 4s
    }
    listen tcp:0.0.0.0:6654 {
        allow-remote
        probe 0s
    }
    flow "priority=1 actions=output:p2"
    flow arp {
        table 1
        priority 10
        cookie 31
        idle-timeout 5s
        flags [ send_flow_rem no_packet_counts ]
        match arp,in_port=p2
        actions CONTROLLER
    }
}

bridge br10 {
}
)";

TEST(Print, CanonicalTextIsAFixedPoint) {
    const Checked c = check_text(std::string(kEverything));
    EXPECT_EQ(c.report(), "");
    EXPECT_EQ(print(c.config), kEverything);
}

TEST(Print, LeavesOutWhatIsTheDefault) {
    const Checked c = check_text(
        "bridge b { port p { device af-packet p; admin up }\n"
        "mac-table { ageing 5m }; controller tcp:x { probe 5s } }\nagent { }");
    EXPECT_EQ(print(c.config), "bridge b {\n    port p\n    controller tcp:x:6653\n}\n");
}

TEST(Print, ReadsBackWhatItPrints) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(RAICHO_SOURCE_DIR) + "/conf")) {
        if (entry.path().extension() != ".conf") continue;
        const Checked c = check_file(entry.path(), toy_checker());
        EXPECT_EQ(c.report(), "") << entry.path();
        EXPECT_EQ(print(check_text(print(c.config)).config), print(c.config)) << entry.path();
    }
}

TEST(Conf, QuickstartSaysWhatTheTourSays) {
    const Checked c = check_file(std::string(RAICHO_SOURCE_DIR) + "/conf/quickstart.conf");
    ASSERT_EQ(c.config.bridges.size(), 1u);
    const BridgeConfig& b = c.config.bridges[0];
    EXPECT_EQ(b.name, "br0");
    EXPECT_EQ(b.fail_mode, FailMode::secure);
    EXPECT_EQ(to_string(b.controllers.at(0)), "tcp:127.0.0.1:6653");
    EXPECT_EQ(b.find_port("h1-br")->number, PortNo(1));
    EXPECT_EQ(b.find_port("h2-br")->number, PortNo(2));
}

TEST(Conf, StandaloneHasNoController) {
    const Checked c = check_file(std::string(RAICHO_SOURCE_DIR) + "/conf/standalone.conf");
    ASSERT_EQ(c.config.bridges.size(), 1u);
    EXPECT_TRUE(c.config.bridges[0].controllers.empty());
    EXPECT_EQ(c.config.bridges[0].effective_fail_mode(), FailMode::standalone);
}

TEST(Conf, MultiBridgeHasThree) {
    const Checked c = check_file(std::string(RAICHO_SOURCE_DIR) + "/conf/multi-bridge.conf");
    EXPECT_EQ(c.config.bridges.size(), 3u);
}

Config numbered(const std::string& ports, const Config& live = {}) {
    Config config = check_text("bridge b { " + ports + " }").config;
    assign_port_numbers(config, live);
    return config;
}
PortNo number(const Config& config, std::string_view port) {
    return *config.bridges.at(0).find_port(port)->number;
}

TEST(PortNumbers, AreTheLowestFreeInNaturalOrderOfName) {
    const Config c = numbered("port p10; port p9; port x 2; port p1");
    EXPECT_EQ(number(c, "p1"), PortNo(1));
    EXPECT_EQ(number(c, "x"), PortNo(2));
    EXPECT_EQ(number(c, "p9"), PortNo(3));
    EXPECT_EQ(number(c, "p10"), PortNo(4));
}

TEST(PortNumbers, LivePortsKeepTheirs) {
    const Config live = numbered("port b; port c");
    const Config c = numbered("port a; port b; port c", live);
    EXPECT_EQ(number(c, "b"), PortNo(1));
    EXPECT_EQ(number(c, "c"), PortNo(2));
    EXPECT_EQ(number(c, "a"), PortNo(3));
}

TEST(PortNumbers, AGivenNumberWinsOverALiveOne) {
    const Config live = numbered("port b; port c");
    const Config c = numbered("port a 1; port b; port c", live);
    EXPECT_EQ(number(c, "a"), PortNo(1));
    EXPECT_EQ(number(c, "c"), PortNo(2));
    EXPECT_EQ(number(c, "b"), PortNo(3));
}

TEST(PortNumbers, AnotherDeviceIsAnotherPort) {
    const Config live = numbered("port a; port b");
    const Config c = numbered("port b { device tap }", live);
    EXPECT_EQ(number(c, "b"), PortNo(1));
}

}  // namespace
}  // namespace raicho::dsl
