// SPDX-License-Identifier: Apache-2.0
#include "agent/api/entry_documents.h"

#include <array>
#include <optional>
#include <vector>

#include "agent/api/flow_json.h"
#include "agent/api/json.h"
#include "openflow/mod_words.h"
#include "openflow/text.h"

namespace raicho::agent::api {

namespace {

/// An array with what `write` makes of each bridge.
template <class Write>
std::string of_bridges(const SwitchView& view, std::string_view bridge, const Write& write) {
    JsonWriter json;
    json.begin_array();
    for (const BridgeView& b : view.bridges())
        if (bridge.empty() || b.name == bridge) write(json, b.name);
    json.end_array();
    return json.take() + "\n";
}

std::uint64_t age_ns(const auto& stats) {
    return std::uint64_t{stats.duration_sec} * kSecond + stats.duration_nsec;
}

void write_optional(JsonWriter& json, const char* key, std::optional<std::uint64_t> value) {
    json.key(key);
    if (value)
        json.number(*value);
    else
        json.null();
}

void write_bucket(JsonWriter& json, const openflow::Bucket& bucket,
                  const openflow::BucketCount& count) {
    json.begin_object().field("weight", bucket.weight);
    write_optional(json, "watch_port",
                   bucket.watch_port == port::kAny ? std::optional<std::uint64_t>{}
                                                   : bucket.watch_port.value());
    write_optional(json, "watch_group",
                   bucket.watch_group == openflow::group::kAny ? std::optional<std::uint64_t>{}
                                                               : bucket.watch_group.value());
    openflow::Instructions list;
    list.apply = bucket.actions;
    json.field("actions_text", bucket.actions.empty() ? "drop" : openflow::to_text(list));
    write_actions(json, "actions", bucket.actions);
    json.field("packet_count", count.packet_count)
        .field("byte_count", count.byte_count)
        .end_object();
}

void write_group(JsonWriter& json, std::string_view bridge, const GroupView& group) {
    json.begin_object()
        .field("bridge", bridge)
        .field("group", group.desc.group.value())
        .field("type", openflow::kGroupTypeNames[static_cast<std::size_t>(group.desc.type)])
        .field("ref_count", group.stats.ref_count)
        .field("packet_count", group.stats.packet_count)
        .field("byte_count", group.stats.byte_count)
        .field("age_ns", age_ns(group.stats))
        .field("text", openflow::to_text(group.desc));
    json.key("buckets").begin_array();
    for (std::size_t i = 0; i < group.desc.buckets.size(); ++i)
        write_bucket(json, group.desc.buckets[i], group.stats.buckets.at(i));
    json.end_array().end_object();
}

void write_band(JsonWriter& json, const openflow::MeterBand& band,
                const openflow::BandCount& count) {
    const bool drops = band.type == openflow::BandType::drop;
    json.begin_object()
        .field("type", drops ? "drop" : "dscp_remark")
        .field("rate", band.rate)
        .field("burst_size", band.burst_size);
    if (!drops) json.field("prec_level", band.prec_level);
    json.field("packet_count", count.packet_count)
        .field("byte_count", count.byte_count)
        .end_object();
}

void write_meter(JsonWriter& json, std::string_view bridge, const MeterView& meter) {
    json.begin_object()
        .field("bridge", bridge)
        .field("meter", openflow::to_text(meter.config.meter))
        .key("flags")
        .begin_array();
    for (const openflow::MeterFlagName& flag : openflow::kMeterFlagNames)
        if ((meter.config.flags & flag.bit) != 0) json.text(flag.name);
    json.end_array()
        .field("flow_count", meter.stats.flow_count)
        .field("packet_count", meter.stats.packet_in_count)
        .field("byte_count", meter.stats.byte_in_count)
        .field("age_ns", age_ns(meter.stats))
        .field("text", openflow::to_text(meter.config));
    json.key("bands").begin_array();
    for (std::size_t i = 0; i < meter.config.bands.size(); ++i)
        write_band(json, meter.config.bands[i], meter.stats.bands.at(i));
    json.end_array().end_object();
}

void write_queue(JsonWriter& json, std::string_view bridge, const QueueView& queue) {
    json.begin_object()
        .field("bridge", bridge)
        .field("port", queue.desc.port.value())
        .field("port_name", queue.port_name)
        .field("queue", queue.desc.queue);
    write_optional(json, "min_rate", queue.desc.min_rate);
    write_optional(json, "max_rate", queue.desc.max_rate);
    json.field("tx_packets", queue.stats.tx_packets)
        .field("tx_bytes", queue.stats.tx_bytes)
        .field("tx_errors", queue.stats.tx_errors)
        .end_object();
}

}  // namespace

std::string groups_document(const SwitchView& view, std::string_view bridge) {
    return of_bridges(view, bridge, [&](JsonWriter& json, const std::string& name) {
        for (const GroupView& group : view.groups(name)) write_group(json, name, group);
    });
}

std::string meters_document(const SwitchView& view, std::string_view bridge) {
    return of_bridges(view, bridge, [&](JsonWriter& json, const std::string& name) {
        for (const MeterView& meter : view.meters(name)) write_meter(json, name, meter);
    });
}

std::string queues_document(const SwitchView& view, std::string_view bridge) {
    return of_bridges(view, bridge, [&](JsonWriter& json, const std::string& name) {
        for (const QueueView& queue : view.queues(name)) write_queue(json, name, queue);
    });
}

}  // namespace raicho::agent::api
