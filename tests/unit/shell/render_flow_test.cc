// SPDX-License-Identifier: Apache-2.0
#include "shell/render_flow.h"

#include <gtest/gtest.h>

#include "shell/render_ovs.h"
#include "tests/unit/shell/kept_lines.h"

namespace raicho::shell {
namespace {

Json flow(std::string_view bridge, int table, int priority, std::string_view match,
          std::string_view actions) {
    const std::string text =
        "{\"bridge\":\"" + std::string(bridge) + "\",\"table\":" + std::to_string(table) +
        ",\"priority\":" + std::to_string(priority) +
        ",\"idle_timeout\":0,\"hard_timeout\":0,\"flags\":0,\"cookie\":0,\"packet_count\":4,"
        "\"byte_count\":392,\"age_ns\":192000000000,\"match_text\":\"" +
        std::string(match) + "\",\"actions_text\":\"" + std::string(actions) + "\"}";
    return *Json::parse(text);
}

TEST(ShowFlow, PrintsTheAncestorsForm) {
    KeptLines out;
    const auto printer = full_flow_printer(out, {"br0"});
    printer->flow(flow("br0", 0, 1, "in_port=1,eth_dst=08:00:27:e2:53:5a", "output:2"));
    printer->end();
    EXPECT_EQ(out.text(),
              "Bridge: br0\n"
              " Table id: 0\n"
              "  priority=1,idle_timeout=0,hard_timeout=0,flags=0,cookie=0,packet_count=4,"
              "byte_count=392,in_port=1,eth_dst=08:00:27:e2:53:5a actions=output:2\n");
}

TEST(ShowFlow, NamesEveryBridgeAndTableOnceAndEmptyBridgesToo) {
    KeptLines out;
    const auto printer = full_flow_printer(out, {"br0", "br1", "br2", "br3"});
    printer->flow(flow("br1", 0, 0, "", "CONTROLLER:65535"));
    printer->flow(flow("br1", 0, 0, "in_port=1", "drop"));
    printer->flow(flow("br1", 3, 0, "", "drop"));
    printer->flow(flow("br2", 3, 0, "", "drop"));
    printer->end();
    std::vector<std::string> heads;
    for (const std::string& line : out.lines)
        if (!line.starts_with("  ")) heads.push_back(line);
    EXPECT_EQ(heads, (std::vector<std::string>{"Bridge: br0", "Bridge: br1", " Table id: 0",
                                               " Table id: 3", "Bridge: br2", " Table id: 3",
                                               "Bridge: br3"}));
    EXPECT_TRUE(out.lines[3].ends_with(",byte_count=392 actions=CONTROLLER:65535")) << out.lines[3];
}

TEST(ShowFlow, BriefIsAlignedAndNamesPorts) {
    KeptLines out;
    const PortNames names{{{"br0", 1}, "h1-br"}, {{"br0", 2}, "h2-br"}};
    const auto printer = brief_flow_printer(out, names, Colours::off);
    printer->flow(flow("br0", 0, 10, "in_port=1,eth_dst=08:00:27:e2:53:5a", "output:2"));
    printer->flow(flow("br0", 0, 0, "", "CONTROLLER:65535"));
    printer->end();
    EXPECT_EQ(out.text(),
              "br0\n"
              "  TABLE  PRIO  PACKETS   RATE    AGE  MATCH                                    "
              "ACTIONS\n"
              "      0    10        4  0.0/s  3m12s  in_port=h1-br,eth_dst=08:00:27:e2:53:5a  "
              "output:h2-br\n"
              "      0     0        4  0.0/s  3m12s  *                                        "
              "CONTROLLER:65535\n");
}

TEST(ShowFlow, BriefStreamsBehindTheFirstThousand) {
    KeptLines out;
    const auto printer = brief_flow_printer(out, {}, Colours::off);
    for (int i = 0; i < 999; ++i) printer->flow(flow("br0", 0, 1, "in_port=1", "drop"));
    const std::size_t settled = out.lines.size();
    EXPECT_GT(settled, 900u);
    printer->flow(flow("br0", 0, 1, "in_port=1", "drop"));
    EXPECT_EQ(out.lines.size(), settled + 1);
    EXPECT_EQ(out.lines.back(), out.lines[settled - 1]);
    printer->end();
}

TEST(ShowFlow, NoFlowsAreSaid) {
    KeptLines out;
    brief_flow_printer(out, {}, Colours::off)->end();
    EXPECT_EQ(out.text(), "no flows\n");
}

TEST(ShowFlow, JsonIsOneArrayWithAFlowALine) {
    KeptLines out;
    const auto printer = json_flow_printer(out);
    printer->flow(flow("br0", 0, 1, "", "drop"));
    printer->flow(flow("br0", 0, 0, "", "drop"));
    printer->end();
    ASSERT_EQ(out.lines.size(), 4u);
    EXPECT_EQ(Json::parse(out.text())->items().size(), 2u);
    KeptLines none;
    json_flow_printer(none)->end();
    EXPECT_EQ(none.text(), "[]\n");
}

TEST(ShowFlow, ASinkThatHasEnoughStopsEveryPrinter) {
    for (int kind = 0; kind < 3; ++kind) {
        KeptLines out;
        out.enough = 2;
        const auto printer = kind == 0   ? full_flow_printer(out, {"br0"})
                             : kind == 1 ? brief_flow_printer(out, {}, Colours::off)
                                         : json_flow_printer(out);
        int taken = 0;
        while (taken < 5000 && printer->flow(flow("br0", 0, 1, "", "drop")) == Want::more) ++taken;
        EXPECT_LT(taken, 5000) << kind;
    }
}

TEST(ShowFlow, PortNamesReplaceOnlyWholeNumbersOfKnownPorts) {
    const PortNames names{{{"br0", 1}, "a"}, {{"br0", 12}, "b"}};
    const auto named = [&](std::string_view text) { return with_port_names(text, "br0", names); };
    EXPECT_EQ(named("in_port=1,eth_type=0x800"), "in_port=a,eth_type=0x800");
    EXPECT_EQ(named("output:1,output:12,output:3,output:CONTROLLER"),
              "output:a,output:b,output:3,output:CONTROLLER");
    EXPECT_EQ(named("write_actions(output:1)"), "write_actions(output:a)");
    EXPECT_EQ(named("max_output:1"), "max_output:1");
    EXPECT_EQ(with_port_names("output:1", "br1", names), "output:1");
}

TEST(ShowFlow, RatesHaveUnits) {
    EXPECT_EQ(rate_text(0, 1'000'000'000), "-");
    EXPECT_EQ(rate_text(5, 2'000'000'000), "2.5/s");
    EXPECT_EQ(rate_text(12'345, 1'000'000'000), "12.3 k/s");
    EXPECT_EQ(rate_text(30'000'000, 1'000'000'000), "30.0 M/s");
}

TEST(LineCutter, LinesAreWholeHoweverTheBytesArrive) {
    for (std::size_t size = 1; size < 12; ++size) {
        LineCutter cutter;
        std::vector<std::string> lines;
        const std::string text = "one\n\nthree\nfour";
        for (std::size_t at = 0; at < text.size(); at += size)
            cutter.feed(std::string_view(text).substr(at, size), [&](std::string_view line) {
                lines.emplace_back(line);
                return Want::more;
            });
        EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "three"})) << size;
        EXPECT_EQ(cutter.rest(), "four");
    }
}

TEST(OvsText, NamesAndVlansAreThoseOfOvsOfctl) {
    EXPECT_EQ(ovs_match("eth_type=0x0800,ipv4_dst=10.0.0.0/8,vlan_vid=5"),
              "dl_type=0x0800,nw_dst=10.0.0.0/8,vlan_vid=0x1005");
    EXPECT_EQ(ovs_match("vlan_vid=0x1000/0x1000"), "vlan_vid=0x1000/0x1000");
    EXPECT_EQ(ovs_match("vlan_vid=0x0"), "vlan_vid=0x0");
    EXPECT_EQ(ovs_match(""), "");
    EXPECT_EQ(
        ovs_actions("write_actions(set_field:7->vlan_vid,set_nw_ttl:9,output:2),clear_actions"),
        "write_actions(set_field:0x1007->vlan_vid,mod_nw_ttl:9,output:2),clear_actions");
    EXPECT_EQ(ovs_actions("set_field:1.2.3.4->ipv4_src,dec_nw_ttl,CONTROLLER:128"),
              "set_field:1.2.3.4->nw_src,dec_ttl,CONTROLLER:128");
    EXPECT_EQ(ovs_actions("set_mpls_ttl:3"), "set_mpls_ttl(3)");
}

}  // namespace
}  // namespace raicho::shell
