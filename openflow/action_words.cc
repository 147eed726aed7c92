// SPDX-License-Identifier: Apache-2.0
#include "openflow/action_words.h"

#include "base/error.h"
#include "base/text.h"

namespace raicho::openflow {
namespace {

/// An item and what it is read against.
struct Source {
    const Item& item;
    const FlowProtocol& protocol;
    const PortByName& ports;

    [[nodiscard]] std::unexpected<FlowTextError> no_value() const {
        return wrong(item.whole, format("{} takes no value", item.name.text));
    }
};

template <class A>
Parsed<Action> plain(const Source& s) {
    if (s.item.separator != 0) return s.no_value();
    return A{};
}

template <class A>
Parsed<Action> ttl(const Source& s) {
    TRY_ASSIGN(const auto value, number(s.item, 0xff));
    return A{static_cast<std::uint8_t>(value)};
}

template <class A>
Parsed<Action> ethertype(const Source& s) {
    if (s.item.value.text.empty())
        return wrong(s.item.whole, format("{}: an ethertype is missing", s.item.name.text),
                     format("write {}:0x{:04x}", s.item.name.text,
                            A{}.ethertype != 0 ? A{}.ethertype : 0x0800));
    TRY_ASSIGN(const auto value, number(s.item, 0xffff));
    return A{static_cast<std::uint16_t>(value)};
}

Parsed<Action> output(const Source& s) {
    if (s.item.value.text.empty())
        return wrong(s.item.whole, "output: a port is missing", "write output:PORT");
    TRY_ASSIGN(const PortNo to, port(s.item.value, s.ports));
    return OutputAction{to, to == port::kController ? kWholePacket : std::uint16_t{0}};
}

/// `controller`, `controller:128`, `controller(max_len=128)`.
Parsed<Action> controller(const Source& s) {
    if (s.item.separator == 0) return OutputAction{port::kController, kWholePacket};
    constexpr std::string_view kMaxLen = "max_len=";
    Word size = s.item.value;
    if (s.item.separator == '(') {
        if (!size.text.starts_with(kMaxLen))
            return wrong(size, format("controller: \"{}\" is not known", size.text),
                         "write controller:128 or controller(max_len=128)");
        size = size.part(kMaxLen.size());
    }
    TRY_ASSIGN(const auto max_len, number("controller", size, 0xffff));
    return OutputAction{port::kController, static_cast<std::uint16_t>(max_len)};
}

Parsed<Action> set_queue(const Source& s) {
    TRY_ASSIGN(const auto queue, number(s.item, 0xffffffff));
    return SetQueue{static_cast<std::uint32_t>(queue)};
}

Parsed<Action> group(const Source& s) {
    TRY_ASSIGN(const auto id, number(s.item, 0xffffffff));
    return GroupAction{GroupId(static_cast<std::uint32_t>(id))};
}

/// A set-field whose field is named by an item of that name.
Parsed<Action> set_named(const Source& s, const Item& name, const Word& value) {
    TRY_ASSIGN(const Field field, field_named(name, s.protocol));
    if (row(field).settable == Settable::no)
        return wrong(name.name, format("{} cannot be set", row(field).name));
    TRY_ASSIGN(const auto parsed, set_value(name.name.text, field, value, s.ports));
    return SetField{field, parsed};
}

/// `set_field:VALUE->FIELD`.
Parsed<Action> set_field(const Source& s) {
    const Word& text = s.item.value;
    const std::size_t arrow = text.text.find("->");
    if (arrow == std::string_view::npos)
        return wrong(s.item.whole, format("\"{}\" names no field", s.item.whole.text),
                     "write set_field:VALUE->FIELD");
    Item name = s.item;
    name.name = text.part(arrow + 2);
    return set_named(s, name, text.part(0, arrow));
}

/// ovs-ofctl's and Lagopus' other words for a set-field.
struct SetWord {
    std::string_view word;
    std::string_view field;
};
constexpr std::array<SetWord, 19> kSetWords{{
    {"mod_dl_src", "eth_src"},        {"mod_dl_dst", "eth_dst"},     {"mod_nw_src", "nw_src"},
    {"mod_nw_dst", "nw_dst"},         {"mod_nw_tos", "nw_tos"},      {"mod_nw_ecn", "ip_ecn"},
    {"mod_tp_src", "tp_src"},         {"mod_tp_dst", "tp_dst"},      {"mod_vlan_vid", "dl_vlan"},
    {"mod_vlan_pcp", "vlan_pcp"},     {"set_vlan_vid", "dl_vlan"},   {"set_vlan_pcp", "vlan_pcp"},
    {"set_mpls_label", "mpls_label"}, {"set_mpls_tc", "mpls_tc"},    {"set_mpls_bos", "mpls_bos"},
    {"set_tunnel", "tunnel_id"},      {"set_tunnel64", "tunnel_id"}, {"set_dl_src", "eth_src"},
    {"set_dl_dst", "eth_dst"},
}};

struct ActionWord {
    std::string_view word;
    Parsed<Action> (*parse)(const Source&);
};
constexpr std::array<ActionWord, 20> kActionWords{{
    {"output", output},
    {"controller", controller},
    {"copy_ttl_out", plain<CopyTtlOut>},
    {"copy_ttl_in", plain<CopyTtlIn>},
    {"set_mpls_ttl", ttl<SetMplsTtl>},
    {"dec_mpls_ttl", plain<DecMplsTtl>},
    {"push_vlan", ethertype<PushVlan>},
    {"pop_vlan", plain<PopVlan>},
    {"strip_vlan", plain<PopVlan>},
    {"push_mpls", ethertype<PushMpls>},
    {"pop_mpls", ethertype<PopMpls>},
    {"set_queue", set_queue},
    {"group", group},
    {"set_nw_ttl", ttl<SetNwTtl>},
    {"mod_nw_ttl", ttl<SetNwTtl>},
    {"dec_nw_ttl", plain<DecNwTtl>},
    {"dec_ttl", plain<DecNwTtl>},
    {"set_field", set_field},
    {"push_pbb", ethertype<PushPbb>},
    {"pop_pbb", plain<PopPbb>},
}};

/// Actions of Open vSwitch that OpenFlow 1.3 does not have, and what to write.
struct ForeignWord {
    std::string_view word;
    std::string_view hint;
};
constexpr std::array<ForeignWord, 7> kForeignWords{{
    {"resubmit", "write goto_table:N"},
    {"enqueue", "write set_queue:QUEUE,output:PORT"},
    {"load", "write set_field:VALUE->FIELD"},
    {"move", "OpenFlow 1.3 cannot copy fields"},
    {"learn", "normal learns addresses by itself"},
    {"ct", "OpenFlow 1.3 does not track connections"},
    {"note", "leave it out"},
}};

std::unexpected<FlowTextError> unknown(const Item& item) {
    for (const ForeignWord& foreign : kForeignWords)
        if (item.name.text == foreign.word)
            return wrong(item.whole, format("action \"{}\" is Open vSwitch's own", foreign.word),
                         std::string(foreign.hint));
    std::vector<std::string_view> words{
        "drop",           "normal",        "flood",        "all",   "in_port",
        "local",          "table",         "goto_table",   "meter", "write_actions",
        "write_metadata", "clear_actions", "apply_actions"};
    for (const ActionWord& w : kActionWords) words.push_back(w.word);
    for (const SetWord& w : kSetWords) words.push_back(w.word);
    std::string hint = suggestion(lower(item.name.text), words);
    if (hint.empty()) hint = "an action, or a port by number or name";
    return wrong(item.name, format("unknown action \"{}\"", item.name.text), std::move(hint));
}

}  // namespace

Parsed<Action> parse_action(const Item& item, const FlowProtocol& protocol,
                            const PortByName& ports) {
    const Source source{item, protocol, ports};
    const std::string name = lower(item.name.text);
    for (const ActionWord& w : kActionWords)
        if (name == w.word) return w.parse(source);
    for (const SetWord& w : kSetWords) {
        if (name != w.word) continue;
        Item field = item;
        field.name.text = w.field;
        return set_named(source, field, item.value);
    }
    if (item.separator == 0) {
        if (const auto to = port(item.name, ports)) return OutputAction{*to, 0};
    } else if (item.separator != '(' && names_field(item.name.text)) {
        return set_named(source, item, item.value);
    }
    return unknown(item);
}

}  // namespace raicho::openflow
