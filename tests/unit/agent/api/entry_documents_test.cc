// SPDX-License-Identifier: Apache-2.0
// Groups, meters and queues as documents: the forms that docs/api.md shows.
#include "agent/api/entry_documents.h"

#include <gtest/gtest.h>

#include "agent/api/json.h"
#include "tests/unit/agent/api/fake_view.h"

namespace raicho::agent::api {
namespace {

using namespace openflow;  // NOLINT: groups and meters

struct EntryDocuments : testing::Test {
    FakeView view;
    EntryDocuments() { view.add_bridge("br0"); }
};

TEST_F(EntryDocuments, GroupsShowBucketsAndCounters) {
    GroupView group;
    group.desc = {GroupType::select,
                  GroupId{1},
                  {{.weight = 2, .watch_port = PortNo{1}, .actions = {OutputAction{PortNo{1}, 0}}},
                   {.watch_group = GroupId{7}, .actions = {}}}};
    group.stats = {.group = GroupId{1},
                   .ref_count = 2,
                   .packet_count = 10,
                   .byte_count = 980,
                   .duration_sec = 5,
                   .duration_nsec = 0,
                   .buckets = {{10, 980}, {0, 0}}};
    view.group_list = {group};
    EXPECT_EQ(
        groups_document(view, "br0"),
        R"([{"bridge":"br0","group":1,"type":"select","ref_count":2,"packet_count":10,)"
        R"("byte_count":980,"age_ns":5000000000,"text":"group_id=1,type=select,)"
        R"(bucket=weight:2,watch_port:1,actions=output:1,bucket=watch_group:7,actions=drop",)"
        R"("buckets":[{"weight":2,"watch_port":1,"watch_group":null,"actions_text":"output:1",)"
        R"("actions":[{"output":1}],"packet_count":10,"byte_count":980},)"
        R"({"weight":0,"watch_port":null,"watch_group":7,"actions_text":"drop","actions":[],)"
        R"("packet_count":0,"byte_count":0}]}])"
        "\n");
}

TEST_F(EntryDocuments, MetersShowBandsAndCounters) {
    MeterView meter;
    meter.config = {meter_flag::kPktps | meter_flag::kStats,
                    meter::kController,
                    {{.type = BandType::drop, .rate = 100},
                     {.type = BandType::dscp_remark, .rate = 50, .prec_level = 1}}};
    meter.stats = {.meter = meter::kController,
                   .flow_count = 0,
                   .packet_in_count = 10,
                   .byte_in_count = 980,
                   .duration_sec = 5,
                   .duration_nsec = 1,
                   .bands = {{3, 294}, {1, 98}}};
    view.meter_list = {meter};
    EXPECT_EQ(meters_document(view, ""),
              R"([{"bridge":"br0","meter":"controller","flags":["pktps","stats"],"flow_count":0,)"
              R"("packet_count":10,"byte_count":980,"age_ns":5000000001,)"
              R"("text":"meter=controller pktps stats bands=type=drop rate=100 type=dscp_remark )"
              R"(rate=50 prec_level=1","bands":[{"type":"drop","rate":100,"burst_size":0,)"
              R"("packet_count":3,"byte_count":294},{"type":"dscp_remark","rate":50,)"
              R"("burst_size":0,"prec_level":1,"packet_count":1,"byte_count":98}]}])"
              "\n");
}

TEST_F(EntryDocuments, QueuesShowRatesAndCounters) {
    view.queue_list = {{"h1-br",
                        {.queue = 5, .port = PortNo{1}, .min_rate = 100},
                        {.port = PortNo{1}, .queue = 5, .tx_bytes = 392, .tx_packets = 4}}};
    EXPECT_EQ(queues_document(view, "br0"),
              R"([{"bridge":"br0","port":1,"port_name":"h1-br","queue":5,"min_rate":100,)"
              R"("max_rate":null,"tx_packets":4,"tx_bytes":392,"tx_errors":0}])"
              "\n");
    EXPECT_EQ(queues_document(view, "br1"), "[]\n");
}

}  // namespace
}  // namespace raicho::agent::api
