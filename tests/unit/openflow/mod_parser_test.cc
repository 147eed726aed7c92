// SPDX-License-Identifier: Apache-2.0
// Texts of groups and meters: read, printed, refused with the place and the remedy.
#include "openflow/mod_parser.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "openflow/codec.h"
#include "openflow/mod_check.h"
#include "tests/unit/openflow/vector_file.h"

namespace raicho::openflow {
namespace {

std::string group_again(std::string_view text) {
    const auto mod = parse_group(text, [](std::string_view name) -> std::optional<PortNo> {
        if (name == "uplink") return PortNo(7);
        return std::nullopt;
    });
    if (!mod) return "at " + std::to_string(mod.error().offset) + ": " + mod.error().text;
    return to_text(GroupDesc{mod->type, mod->group, mod->buckets});
}

std::string meter_again(std::string_view text) {
    const auto mod = parse_meter(text);
    if (!mod) return "at " + std::to_string(mod.error().offset) + ": " + mod.error().text;
    return to_text(MeterConfig{mod->flags, mod->meter, mod->bands});
}

TEST(ParseGroup, ReadsWhatOvsOfctlWrites) {
    EXPECT_EQ(group_again("group_id=1,type=all,bucket=output:1,bucket=output:2"),
              "group_id=1,type=all,bucket=actions=output:1,bucket=actions=output:2");
    EXPECT_EQ(group_again("group_id=2, type=select, bucket=weight:10,watch_port=uplink,actions="
                          "set_field:10.0.0.1->ipv4_dst,output:uplink"),
              "group_id=2,type=select,bucket=weight:10,watch_port:7,"
              "actions=set_field:10.0.0.1->ipv4_dst,output:7");
    EXPECT_EQ(group_again("group=3,type=indirect,bucket=group:9"),
              "group_id=3,type=indirect,bucket=actions=group:9");
    EXPECT_EQ(group_again("group_id=4,type=fast_failover,bucket=watch_group:5,actions=drop"),
              "group_id=4,type=ff,bucket=watch_group:5,actions=drop");
    EXPECT_EQ(group_again("group_id=5"), "group_id=5,type=all");
}

TEST(ParseGroup, PrintedFormReadsBack) {
    for (const std::string text :
         {"group_id=1,type=all", "group_id=0,type=indirect,bucket=actions=IN_PORT",
          "group_id=7,type=select,bucket=weight:65535,watch_port:1,watch_group:2,"
          "actions=push_vlan:0x8100,set_field:5->vlan_vid,output:1,bucket=actions=drop",
          "group_id=8,type=ff,bucket=watch_port:LOCAL,actions=LOCAL"})
        EXPECT_EQ(group_again(text), text);
}

TEST(ParseGroup, SaysWhereAndWhy) {
    EXPECT_EQ(group_again("type=all"), "at 0: group_id is missing");
    EXPECT_EQ(group_again("group_id=1,type=any"), "at 16: unknown group type \"any\"");
    EXPECT_EQ(group_again("group_id=1,typ=all"), "at 11: unknown word \"typ\"");
    EXPECT_EQ(group_again("group_id=1,type=indirect"),
              "at 0: an indirect group has one bucket, not 0");
    EXPECT_EQ(group_again("group_id=1,bucket=output:nowhere"), "at 25: unknown port \"nowhere\"");
}

TEST(ParseMeter, ReadsWhatOvsOfctlWrites) {
    EXPECT_EQ(meter_again("meter=1,kbps,burst,stats,bands=type=drop,rate=1000,burst_size=100"),
              "meter=1 kbps burst stats bands=type=drop rate=1000 burst_size=100");
    EXPECT_EQ(meter_again("meter=controller pktps band=type=drop rate=5"),
              "meter=controller pktps bands=type=drop rate=5");
    EXPECT_EQ(meter_again("meter=2 kbps bands=type=drop rate=2000 type=dscp_remark rate=1000 "
                          "prec_level=1"),
              "meter=2 kbps bands=type=drop rate=2000 type=dscp_remark rate=1000 prec_level=1");
    EXPECT_EQ(meter_again("meter=slowpath"), "meter=slowpath");
}

TEST(ParseMeter, SaysWhereAndWhy) {
    EXPECT_EQ(meter_again("kbps"), "at 0: meter is missing");
    EXPECT_EQ(meter_again("meter=1 rate=5"), "at 8: rate before the band's type");
    EXPECT_EQ(meter_again("meter=1 bands=type=shape rate=5"), "at 19: unknown band type \"shape\"");
    EXPECT_EQ(meter_again("meter=1 kbps pktps"),
              "at 0: a meter counts in kbps or in pktps, not both");
    EXPECT_EQ(meter_again("meter=1 kpbs"), "at 8: unknown word \"kpbs\"");
}

template <class T>
std::string refusal(const OfResult<T>& result) {
    return result ? "ok" : names_of(result.error());
}

std::string group(GroupType type, const Buckets& buckets, std::uint32_t id = 1) {
    return refusal(check_group(GroupId(id), type, buckets));
}

TEST(CheckGroup, FindsWhatCanBeJudgedAlone) {  // §6.7
    using enum GroupType;
    const std::string failed = "OFPET_GROUP_MOD_FAILED OFPGMFC_";
    EXPECT_EQ(group(all, {}), "ok");
    EXPECT_EQ(group(all, {}, 0), "ok");
    EXPECT_EQ(group(all, {}, 0xffffff00), "ok");
    EXPECT_EQ(group(all, {}, 0xffffff01), failed + "INVALID_GROUP");
    EXPECT_EQ(group(indirect, {}), failed + "INVALID_GROUP");
    EXPECT_EQ(group(indirect, {{}, {}}), failed + "INVALID_GROUP");
    EXPECT_EQ(group(indirect, {{}}), "ok");
    EXPECT_EQ(group(select, {{.weight = 5, .actions = {}}}), "ok");
    EXPECT_EQ(group(all, {{.weight = 5, .actions = {}}}), failed + "BAD_BUCKET");
    EXPECT_EQ(group(fast_failover, {{}}), failed + "BAD_WATCH");
    EXPECT_EQ(group(fast_failover, {{.watch_port = PortNo(1), .actions = {}}}), "ok");
    EXPECT_EQ(group(fast_failover, {{.watch_port = PortNo(0), .actions = {}}}),
              failed + "BAD_WATCH");
    EXPECT_EQ(group(fast_failover, {{.watch_port = port::kFlood, .actions = {}}}),
              failed + "BAD_WATCH");
    EXPECT_EQ(group(fast_failover, {{.watch_group = GroupId(1), .actions = {}}}),
              failed + "BAD_WATCH");
    EXPECT_EQ(group(fast_failover, {{.watch_group = group::kAll, .actions = {}}}),
              failed + "BAD_WATCH");
    EXPECT_EQ(group(all, {{.watch_port = PortNo(1), .actions = {}}}), failed + "WATCH_UNSUPPORTED");
    EXPECT_EQ(group(all, {{.actions = {GroupAction{GroupId(1)}}}}), failed + "LOOP");
    EXPECT_EQ(group(all, {{.actions = {GroupAction{group::kAll}}}}),
              "OFPET_BAD_ACTION OFPBAC_BAD_OUT_GROUP");
    EXPECT_EQ(group(all, {{.actions = {OutputAction{PortNo(0), 0}}}}),
              "OFPET_BAD_ACTION OFPBAC_BAD_OUT_PORT");
}

std::string meter(std::uint32_t id, std::uint16_t flags, const MeterBands& bands) {
    return refusal(check_meter(MeterId(id), flags, bands));
}

TEST(CheckMeter, FindsWhatCanBeJudgedAlone) {  // §6.8
    const std::string failed = "OFPET_METER_MOD_FAILED OFPMMFC_";
    const MeterBand drop{.type = BandType::drop, .rate = 1};
    EXPECT_EQ(meter(1, 0, {}), "ok");
    EXPECT_EQ(meter(0xffff0000, 0xd, {drop, drop}), "ok");
    EXPECT_EQ(meter(0, 1, {}), failed + "INVALID_METER");
    EXPECT_EQ(meter(0xffff0001, 1, {}), failed + "INVALID_METER");
    EXPECT_EQ(meter(0xfffffffd, 1, {drop}), "ok");
    EXPECT_EQ(meter(0xfffffffe, 2, {drop}), "ok");
    EXPECT_EQ(meter(0xffffffff, 1, {}), failed + "INVALID_METER");
    EXPECT_EQ(meter(1, 16, {}), failed + "BAD_FLAGS");
    EXPECT_EQ(meter(1, 3, {}), failed + "BAD_FLAGS");
    EXPECT_EQ(meter(1, 1, {{.type = BandType::drop, .rate = 0}}), failed + "BAD_RATE");
    EXPECT_EQ(meter(1, 1, {{.type = BandType::dscp_remark, .rate = 1, .prec_level = 2}}), "ok");
    EXPECT_EQ(meter(1, 1, {{.type = BandType::dscp_remark, .rate = 1, .prec_level = 3}}),
              failed + "BAD_BAND_VALUE");
}

}  // namespace
}  // namespace raicho::openflow
