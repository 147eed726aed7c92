// SPDX-License-Identifier: Apache-2.0
#include "agent/api/flow_json.h"

#include <variant>

#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent::api {

namespace {

/// What stands behind the first `separator`, everything when there is none.
std::string_view behind(std::string_view text, char separator) {
    return text.substr(text.find(separator) + 1);  // npos + 1 is 0
}

/// One action as a member: `"output": 2`, `"set_field": {"eth_dst": "…"}`, `"dec_nw_ttl": null`.
/// The names are those of OF 1.3.5 §7.2.4 without their prefix, in lower case.
struct ActionWriter {
    JsonWriter& json;

    void operator()(const openflow::OutputAction& a) const {
        json.field("output", a.port.value());
        if (a.port == port::kController) json.field("max_len", a.max_len);
    }
    void operator()(openflow::CopyTtlOut) const { json.key("copy_ttl_out").null(); }
    void operator()(openflow::CopyTtlIn) const { json.key("copy_ttl_in").null(); }
    void operator()(openflow::SetMplsTtl a) const { json.field("set_mpls_ttl", a.ttl); }
    void operator()(openflow::DecMplsTtl) const { json.key("dec_mpls_ttl").null(); }
    void operator()(openflow::PushVlan a) const { json.field("push_vlan", a.ethertype); }
    void operator()(openflow::PopVlan) const { json.key("pop_vlan").null(); }
    void operator()(openflow::PushMpls a) const { json.field("push_mpls", a.ethertype); }
    void operator()(openflow::PopMpls a) const { json.field("pop_mpls", a.ethertype); }
    void operator()(openflow::SetQueue a) const { json.field("set_queue", a.queue); }
    void operator()(openflow::GroupAction a) const { json.field("group", a.group.value()); }
    void operator()(openflow::SetNwTtl a) const { json.field("set_nw_ttl", a.ttl); }
    void operator()(openflow::DecNwTtl) const { json.key("dec_nw_ttl").null(); }
    void operator()(const openflow::SetField& a) const {
        json.key("set_field").begin_object();
        openflow::Match one;
        openflow::MatchField field{a.field, openflow::HasMask::no, a.value,
                                   openflow::exact_mask(a.field)};
        if (one.add(field)) write_match_fields(json, one);
        json.end_object();
    }
    void operator()(openflow::PushPbb a) const { json.field("push_pbb", a.ethertype); }
    void operator()(openflow::PopPbb) const { json.key("pop_pbb").null(); }

    static void write_match_fields(JsonWriter& json, const openflow::Match& match);
};

/// Integers as numbers, addresses and masked values in their text form.
void ActionWriter::write_match_fields(JsonWriter& json, const openflow::Match& match) {
    for (const openflow::MatchField& field : match.fields()) {
        const FieldRow& r = row(field.field);
        const bool number = r.format == FieldFormat::decimal || r.format == FieldFormat::port ||
                            r.format == FieldFormat::hex;
        if (number && field.has_mask == openflow::HasMask::no) {
            json.field(r.name, openflow::to_integer(field.field, field.value));
            continue;
        }
        openflow::Match one;
        if (one.add(field)) json.field(r.name, behind(openflow::to_text(one), '='));
    }
}

void write_instructions(JsonWriter& json, const openflow::Instructions& instructions) {
    json.begin_object();
    if (instructions.meter) json.field("meter", instructions.meter->value());
    if (instructions.apply) write_actions(json, "apply_actions", *instructions.apply);
    if (instructions.clear) json.field("clear_actions", true);
    if (instructions.write) write_actions(json, "write_actions", *instructions.write);
    if (instructions.metadata)
        json.key("write_metadata")
            .begin_object()
            .field("value", instructions.metadata->value)
            .field("mask", instructions.metadata->mask)
            .end_object();
    if (instructions.go_to) json.field("goto_table", instructions.go_to->value());
    json.end_object();
}

}  // namespace

void write_actions(JsonWriter& json, const char* key, const openflow::ActionList& actions) {
    json.key(key).begin_array();
    for (const openflow::Action& action : actions) {
        json.begin_object();
        std::visit(ActionWriter{json}, action);
        json.end_object();
    }
    json.end_array();
}

void write_flow(JsonWriter& json, std::string_view bridge, const FlowEntry& flow, Time now) {
    const FlowHead& head = flow.head;
    json.begin_object()
        .field("bridge", bridge)
        .field("table", head.table.value())
        .field("priority", head.priority)
        .field("idle_timeout", head.idle_timeout)
        .field("hard_timeout", head.hard_timeout)
        .field("flags", head.flags)
        .field("cookie", head.cookie)
        .field("packet_count", flow.count.packets)
        .field("byte_count", flow.count.bytes)
        .field("age_ns", now > head.created ? now - head.created : 0);
    json.key("idle_ns");
    if (flow.count.last_used == 0)
        json.null();
    else
        json.number(now > flow.count.last_used ? now - flow.count.last_used : 0);
    json.field("match_text", openflow::to_text(flow.match))
        .field("actions_text", openflow::to_text(flow.instructions));
    json.key("match").begin_object();
    ActionWriter::write_match_fields(json, flow.match);
    json.end_object();
    json.key("instructions");
    write_instructions(json, flow.instructions);
    json.end_object();
}

}  // namespace raicho::agent::api
