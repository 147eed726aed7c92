// SPDX-License-Identifier: Apache-2.0
// Golden screens. They fit 80 columns where the names allow it.
#include "shell/render.h"

#include <gtest/gtest.h>

namespace raicho::shell {
namespace {

Json json(std::string_view text) {
    const auto parsed = Json::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed.value_or(Json());
}

std::string joined(const Lines& lines) {
    std::string all;
    for (const std::string& line : lines) {
        EXPECT_LE(text_width(line), 80u) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
        all += line + "\n";
    }
    return all;
}

/// Of a table that is wider than 80 columns where nothing is hidden.
std::string joined_wide(const Lines& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

constexpr std::string_view kSummary = R"j({"name":"lab","version":"0.1.0","uptime_ns":192000000000,
  "rundir":"/run/raicho","start":"fresh",
  "dataplane":{"attached":true,"state":"attached (pid 12, 1 worker) for 3s"},
  "bridges":[{"name":"br0","forwarding":false,"controllers":1,"controllers_connected":0,
    "verdict":"br0: secure, controller refused (127.0.0.1:6653), 0 flows: every packet is dropped",
    "hint":"start the controller, or set fail-mode standalone"}],
  "warnings":["port h1-br of br0: absent: no interface h1-br"]})j";

TEST(Render, TheSummarySaysWhatIsUpAndWhyNothingForwards) {
    std::string all;
    for (const std::string& line : render_summary(json(kSummary), Colours::off)) all += line + "\n";
    EXPECT_EQ(all,
              "Raicho 0.1.0 on lab, up 3m12s\n"
              "run directory /run/raicho (fresh)\n"
              "dataplane attached (pid 12, 1 worker) for 3s\n"
              "bridges\n"
              "  br0: secure, controller refused (127.0.0.1:6653), 0 flows: every packet is "
              "dropped\n"
              "    help: start the controller, or set fail-mode standalone\n"
              "warnings\n"
              "  port h1-br of br0: absent: no interface h1-br\n");
}

TEST(Render, AnEmptySwitchSaysHowToBegin) {
    const Lines lines = render_summary(
        json(
            R"j({"name":"a","version":"1","dataplane":{"attached":false,"state":"not running"}})j"),
        Colours::off);
    EXPECT_EQ(lines.back(), "no bridges: load FILE brings a configuration");
}

TEST(Render, TheGreetingIsOneLine) {
    EXPECT_EQ(render_greeting(json(kSummary)),
              "Raicho 0.1.0 on lab, up 3m12s: 1 bridge, 0 of 1 controller up, 1 warning (show)");
}

TEST(Render, Bridges) {
    EXPECT_EQ(joined(render_bridges(
                  json(R"j([{"name":"br0","dpid":"0000000000000001","fail_mode":"secure",
                            "mode":"flows (a miss is dropped)","ports":2,"ports_up":2,
                            "controllers":1,"controllers_connected":1,"flows":1234,
                            "forwarding":true,"verdict":"br0: fine"},
                           {"name":"br10","dpid":"000000000000000a","fail_mode":"standalone",
                            "ports":0,"ports_up":0,"forwarding":false,"verdict":"br10: no ports",
                            "hint":"add one"}])j"),
                  Colours::off)),
              "BRIDGE  DPID              FAIL-MODE   PORTS UP  CONTROLLERS  FLOWS\n"
              "br0     0000000000000001  secure           2/2          1/1  1,234\n"
              "  br0: fine\n"
              "br10    000000000000000a  standalone       0/0          0/0      0\n"
              "  br10: no ports\n"
              "    help: add one\n");
}

constexpr std::string_view kPorts = R"j([
  {"bridge":"br0","name":"h2-br","number":2,"kind":"af-packet","device":"h2-br","health":"absent",
   "state":"absent: no interface h2-br","drops":[]},
  {"bridge":"br0","name":"h1-br","number":1,"kind":"af-packet","device":"h1-br","health":"up",
   "state":"up","mac":"02:00:00:00:00:01","mtu":1500,"speed_mbps":10000,"queues":1,
   "age_ns":4000000000,"of_config":["no-fwd"],"of_state":["live"],"rx_packets":1234567,
   "rx_bytes":98,"rx_dropped":0,"rx_errors":0,"tx_packets":4,"tx_bytes":392,"tx_dropped":1,
   "tx_errors":0,"rx_pps":12345,"rx_bps":98000000,"tx_pps":0,"tx_bps":0,"drops":[{"reason":"no-match","packets":3,
     "meaning":"no flow matched and the table has no table-miss entry"}]},
  {"bridge":"br0","name":"br0","number":4294967294,"kind":"local","health":"down","state":"down"}])j";

TEST(Render, PortsAreSortedByNumberWithTheirHealth) {
    EXPECT_EQ(joined_wide(render_ports(json(kPorts).items(), Colours::off)),
              "BRIDGE  PORT      NO     RX PKT  TX PKT  RX PKT/S  RX BIT/S  TX PKT/S  TX BIT/S  "
              "DROPS  STATE\n"
              "br0     h1-br      1  1,234,567       4     12.3k     98.0M         0         0  "
              "    3  up\n"
              "br0     h2-br      2          0       0         -         -         -         -  "
              "    0  absent: no interface h2-br\n"
              "br0     br0    LOCAL          0       0         -         -         -         -  "
              "    0  down\n");
}

TEST(Render, PortsFitIntoEightyColumnsWithoutTheirTotals) {
    const std::vector<Json> port{json(kPorts).items()[1]};
    EXPECT_EQ(joined(render_ports(port, Colours::off, 80)),
              "BRIDGE  PORT   NO  RX PKT/S  RX BIT/S  TX PKT/S  TX BIT/S  DROPS  STATE\n"
              "br0     h1-br   1     12.3k     98.0M         0         0      3  up\n");
    EXPECT_EQ(render_ports(port, Colours::off, 120), render_ports(port, Colours::off));
    for (const std::string& line : render_ports(port, Colours::on, 80))
        EXPECT_LE(shown_width(line), 80u) << line;
}

TEST(Render, OnePortAtLengthNamesDropsByReason) {
    EXPECT_EQ(joined(render_port(json(kPorts).items()[1], Colours::off)),
              "h1-br: port 1 of br0\n"
              "  state     up\n"
              "  device    af-packet h1-br, 1 queue\n"
              "  link      10 Gbit/s, mtu 1500, 02:00:00:00:00:01\n"
              "  openflow  config no-fwd, state live\n"
              "  age       4s\n"
              "  received  1,234,567 packets, 98 bytes, 0 dropped, 0 errors\n"
              "            12.3k packets/s, 98.0M bit/s\n"
              "  sent      4 packets, 392 bytes, 1 dropped, 0 errors\n"
              "            0 packets/s, 0 bit/s\n"
              "  drops\n"
              "    3  no-match  no flow matched and the table has no table-miss entry\n");
}

TEST(Render, ControllersSayWhyAConnectionFailed) {
    EXPECT_EQ(joined(render_controllers(
                  json(R"j({"controllers":[{"bridge":"br0","target":"tcp:127.0.0.1:6653","state":
             "refused, next try in 4s","last_error":"","messages_in":0,"messages_out":0}],
             "listens":[{"bridge":"br0","target":"tcp:127.0.0.1:6654","state":"listening"}]})j"),
                  Colours::off)),
              "BRIDGE  CONTROLLER          IN  OUT  STATE\n"
              "br0     tcp:127.0.0.1:6653   0    0  refused, next try in 4s\n"
              "BRIDGE  LISTENER            STATE\n"
              "br0     tcp:127.0.0.1:6654  listening\n");
}

TEST(Render, TablesCountsMacsWorkers) {
    EXPECT_EQ(joined(render_tables(json(R"j([{"bridge":"br0","table":0,"flows":3,"lookups":1000,
                "matches":999,"form":"exact","tuples":1,"bytes":192}])j"))),
              "BRIDGE  TABLE  FLOWS  LOOKUPS  MATCHES  FORM   TUPLES  MEMORY\n"
              "br0         0      3    1,000      999  exact       1   192 B\n");
    EXPECT_EQ(joined(render_flow_count(
                  json(R"j([{"bridge":"br0","tables":[{"table":0,"flows":3},{"table":7,"flows":1}],
                            "flows":4}])j"))),
              "BRIDGE  TABLE  FLOWS\n"
              "br0         0      3\n"
              "br0         7      1\n"
              "br0       all      4\n");
    EXPECT_EQ(joined(render_macs(json(R"j([{"bridge":"br0","mac":"02:00:00:00:00:01","vlan":0,
                "port":1,"port_name":"h1-br","age_s":75}])j"))),
              "BRIDGE  MAC                VLAN  PORT         AGE\n"
              "br0     02:00:00:00:00:01     -  h1-br (1)  1m15s\n");
    EXPECT_EQ(joined(render_workers(json(R"j([{"worker":0,"core":1,"state":"forwarding",
                "rx_packets":4,"tx_packets":4,"dropped":0,"packet_ins":0,"busy":0.0215}])j"),
                                    Colours::off)),
              "WORKER  CORE  BUSY  RX PKT  TX PKT  DROPS  PACKET-IN  STATE\n"
              "     0     1  2.1%       4       4      0          0  forwarding\n");
    EXPECT_EQ(joined(render_workers(json("[]"), Colours::off)),
              "no worker: the dataplane is not running\n");
}

TEST(Render, MemoryNamesItsBacking) {
    EXPECT_EQ(joined(render_memory(json(R"j({"file":"/run/raicho/huge/arena",
                "backing":"hugetlbfs 2 MB × 321","size":673185792,"regions":[
                {"name":"flows","used":3,"limit":1048576,"unit_size":64}]})j"))),
              "/run/raicho/huge/arena: 642 MB, hugetlbfs 2 MB × 321\n"
              "  REGION  USED         OF  EACH   SIZE\n"
              "  flows      3  1,048,576  64 B  64 MB\n");
}

TEST(Render, ChangesListStepsNoticesAndWarnings) {
    EXPECT_EQ(joined(render_change(json(R"j({"steps":["bridge br0: add port tap1 (3)"],
                "notices":["agent max-flows waits for a restart"],"warnings":[{"file":"a.conf",
                "line":2,"column":5,"text":"port p9 is not used","hint":"delete it"}]})j"))),
              "bridge br0: add port tap1 (3)\n"
              "note: agent max-flows waits for a restart\n"
              "a.conf:2:5: warning: port p9 is not used\n"
              "  help: delete it\n");
    EXPECT_EQ(joined(render_change(json(R"j({"steps":[]})j"))),
              "nothing to change: running is already so\n");
}

TEST(Render, ADocumentOfAnotherVersionEndsNothing) {
    const Json odd = json(R"j({"bridges":7,"controllers":"x"})j");
    static_cast<void>(render_summary(odd, Colours::off));
    static_cast<void>(render_bridges(odd, Colours::off));
    static_cast<void>(render_controllers(odd, Colours::off));
    static_cast<void>(render_port(odd, Colours::off));
    static_cast<void>(render_memory(odd));
    EXPECT_FALSE(Json::parse("{"));
    EXPECT_FALSE(Json::parse(std::string(1'000'000, '[')));
}

TEST(Render, ColourIsAddedAfterAligning) {
    Columns columns({Align::left, Align::right}, Colours::on);
    columns.row({Cell("up", Colour::good), "1"});
    columns.row({Cell("down", Colour::bad), "22"});
    EXPECT_EQ(columns.lines(), (Lines{"\033[32mup\033[0m     1", "\033[31mdown\033[0m  22"}));
}

TEST(Render, WideCharactersStayInLine) {
    Columns columns({Align::left, Align::left});
    columns.row({"日本", "x"});
    columns.row({"abcd", "y"});
    EXPECT_EQ(columns.lines(), (Lines{"日本  x", "abcd  y"}));
}

TEST(Render, SizesAndSpeeds) {
    EXPECT_EQ(size_text(0), "0 B");
    EXPECT_EQ(size_text(1024), "1 kB");
    EXPECT_EQ(size_text(1536), "1.5 kB");
    EXPECT_EQ(size_text((1u << 20) - 128), "1 MB");
    EXPECT_EQ(size_text(std::uint64_t{100} << 30), "100 GB");
    EXPECT_EQ(speed_text(0), "");
    EXPECT_EQ(speed_text(100), "100 Mbit/s");
    EXPECT_EQ(speed_text(25000), "25 Gbit/s");
}

}  // namespace
}  // namespace raicho::shell
