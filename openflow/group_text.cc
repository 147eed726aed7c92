// SPDX-License-Identifier: Apache-2.0
// The printed form of groups and meters, as ovs-ofctl writes and reads them. Neighbour:
// mod_parser.cc reads it.
#include "base/text.h"
#include "openflow/mod_words.h"
#include "openflow/text.h"

namespace raicho::openflow {

std::string to_text(GroupId group) {
    if (group == group::kAll) return "all";
    if (group == group::kAny) return "any";
    return format("{}", group.value());
}

std::string to_text(MeterId meter) {
    for (const MeterName& name : kMeterNames)
        if (name.meter == meter) return std::string(name.name);
    return format("{}", meter.value());
}

std::string to_text(const Bucket& bucket) {
    std::string text;
    if (bucket.weight != 0) text += format("weight:{},", bucket.weight);
    if (bucket.watch_port != port::kAny)
        text += format("watch_port:{},", to_text(bucket.watch_port));
    if (bucket.watch_group != group::kAny)
        text += format("watch_group:{},", to_text(bucket.watch_group));
    text += "actions=";
    if (bucket.actions.empty()) return text + "drop";
    for (std::size_t i = 0; i < bucket.actions.size(); ++i)
        text += (i == 0 ? "" : ",") + to_text(bucket.actions[i]);
    return text;
}

std::string to_text(const GroupDesc& desc) {
    std::string text = format("group_id={},type={}", to_text(desc.group),
                              kGroupTypeNames[static_cast<std::size_t>(desc.type)]);
    for (const Bucket& bucket : desc.buckets) text += ",bucket=" + to_text(bucket);
    return text;
}

std::string to_text(const MeterBand& band) {
    const bool drops = band.type == BandType::drop;
    std::string text = format("type={} rate={}", drops ? "drop" : "dscp_remark", band.rate);
    if (band.burst_size != 0) text += format(" burst_size={}", band.burst_size);
    return drops ? text : text + format(" prec_level={}", band.prec_level);
}

std::string to_text(const MeterConfig& config) {
    std::string text = "meter=" + to_text(config.meter);
    std::uint16_t unknown = config.flags;
    for (const MeterFlagName& flag : kMeterFlagNames) {
        if ((config.flags & flag.bit) == 0) continue;
        text += format(" {}", flag.name);
        unknown = static_cast<std::uint16_t>(unknown & ~flag.bit);
    }
    if (unknown != 0) text += format(" flags=0x{:x}", unknown);
    if (config.bands.empty()) return text;
    text += " bands=";
    for (std::size_t i = 0; i < config.bands.size(); ++i)
        text += (i == 0 ? "" : " ") + to_text(config.bands[i]);
    return text;
}

}  // namespace raicho::openflow
