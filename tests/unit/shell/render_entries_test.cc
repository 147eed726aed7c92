// SPDX-License-Identifier: Apache-2.0
// Groups, meters, queues and local interfaces for people.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "shell/render.h"

namespace raicho::shell {
namespace {

Json json(std::string_view text) {
    auto parsed = Json::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed ? std::move(*parsed) : Json();
}
std::string joined(const Lines& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

TEST(RenderEntries, GroupsShowTheirBucketsBelow) {
    EXPECT_EQ(joined(render_groups(json(R"j([
      {"bridge":"br0","group":7,"type":"select","ref_count":2,"packet_count":1234,
       "byte_count":98000,"age_ns":5000000000,"buckets":[
        {"weight":2,"watch_port":null,"watch_group":null,"actions_text":"output:1",
         "packet_count":1000,"byte_count":90000},
        {"weight":0,"watch_port":4294967294,"watch_group":9,"actions_text":"drop",
         "packet_count":234,"byte_count":8000}]},
      {"bridge":"br0","group":12,"type":"all","ref_count":0,"packet_count":0,"byte_count":0,
       "age_ns":61000000000,"buckets":[]}])j"))),
              "BRIDGE  GROUP  TYPE    USED BY  PACKETS   BYTES    AGE\n"
              "br0         7  select        2    1,234  98,000     5s\n"
              "    bucket 1: weight 2, output:1 (1,000 packets, 90,000 bytes)\n"
              "    bucket 2: watches port LOCAL, watches group 9, drop (234 packets, 8,000 bytes)\n"
              "br0        12  all           0        0       0  1m01s\n");
    EXPECT_EQ(joined(render_groups(json("[]"))), "no groups\n");
}

TEST(RenderEntries, MetersShowTheirBandsInTheirUnit) {
    EXPECT_EQ(joined(render_meters(json(R"j([
      {"bridge":"br0","meter":"3","flags":["kbps","burst"],"flow_count":1,"packet_count":10,
       "byte_count":980,"age_ns":5000000000,"bands":[
        {"type":"drop","rate":100000,"burst_size":2000,"packet_count":3,"byte_count":294}]},
      {"bridge":"br0","meter":"controller","flags":["pktps"],"flow_count":0,"packet_count":0,
       "byte_count":0,"age_ns":5000000000,"bands":[
        {"type":"dscp_remark","rate":50,"burst_size":0,"prec_level":1,"packet_count":0,
         "byte_count":0}]}])j"))),
              "BRIDGE       METER  FLOWS  PACKETS  BYTES  AGE\n"
              "br0              3      1       10    980   5s\n"
              "    above 100,000 kbit/s, burst 2,000 kbit: drop (3 packets, 294 bytes)\n"
              "br0     controller      0        0      0   5s\n"
              "    above 50 packets/s: raise the drop precedence by 1 (0 packets, 0 bytes)\n");
    EXPECT_EQ(joined(render_meters(json("[]"))), "no meters\n");
}

TEST(RenderEntries, QueuesShowTheirSharesOfTheLink) {
    EXPECT_EQ(joined(render_queues(json(R"j([
      {"bridge":"br0","port":1,"port_name":"h1-br","queue":3,"min_rate":105,"max_rate":null,
       "tx_packets":12345,"tx_bytes":98,"tx_errors":2}])j"))),
              "BRIDGE  PORT       QUEUE    MIN  MAX  TX PKT  TX BYTES  LOST\n"
              "br0     h1-br (1)      3  10.5%    -  12,345        98     2\n");
    EXPECT_EQ(joined(render_queues(json("[]"))), "no queues\n");
}

TEST(RenderEntries, LocalInterfacesShowTheirAddresses) {
    EXPECT_EQ(joined(render_locals(json(R"j([
      {"bridge":"br0","device":"br0","addresses":["192.168.2.99/24","2001:db8::1/64"],
       "mac":"02:00:00:00:00:01","mtu":1500,"rx_packets":1234,"tx_packets":5,"health":"up",
       "state":"up"},
      {"bridge":"br1","device":"br1","addresses":[],"mac":"02:00:00:00:00:02","mtu":0,
       "rx_packets":0,"tx_packets":0,"health":"down","state":"no dataplane"}])j"),
                                   Colours::off)),
              "BRIDGE  INTERFACE  ADDRESSES                       MAC                 MTU  RX PKT  "
              "TX PKT  STATE\n"
              "br0     br0        192.168.2.99/24 2001:db8::1/64  02:00:00:00:00:01  1500   1,234  "
              "     5  up\n"
              "br1     br1        -                               02:00:00:00:00:02     -       0  "
              "     0  no dataplane\n");
    EXPECT_EQ(joined(render_locals(json("[]"), Colours::off)),
              "no bridge has an interface of its own (local in the configuration)\n");
}

}  // namespace
}  // namespace raicho::shell
