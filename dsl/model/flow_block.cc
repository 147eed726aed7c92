// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/flow_block.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/fields.h"
#include "base/text.h"

namespace raicho::dsl {

namespace {

Value word(Span span, std::string text) {
    Value v;
    v.span = span;
    v.text = std::move(text);
    return v;
}

Span whole(const FlowItem& item) {
    return join(item.values.front().span, item.values.back().span);
}

// --- match -----------------------------------------------------------------------------------

/// What the statements of a match say of the packet's protocols.
struct Protocols {
    bool eth_type = false;
    bool ip_proto = false;
    bool ipv6 = false;
    bool vlan = false;
    bool icmpv6_type = false;
};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

Protocols protocols_of(const std::vector<FlowItem>& items) {
    constexpr std::array<std::string_view, 8> kEthernet{"ip",   "ipv4", "ipv6",  "arp",
                                                        "rarp", "mpls", "mplsm", "pbb"};
    constexpr std::array<std::string_view, 9> kTransport{"icmp", "tcp",   "udp",   "sctp",  "tcp6",
                                                         "udp6", "sctp6", "icmp6", "icmpv6"};
    constexpr std::array<std::string_view, 6> kIpv6{"ipv6",  "tcp6",  "udp6",
                                                    "sctp6", "icmp6", "icmpv6"};
    Protocols p;
    for (const FlowItem& item : items) {
        const std::string_view name = item.values[0].text;
        const auto field = field_by_name(name);
        if (is_one_of(name, kEthernet) || is_one_of(name, kTransport) || field == Field::eth_type)
            p.eth_type = true;
        if (is_one_of(name, kTransport) || field == Field::ip_proto) p.ip_proto = true;
        if (is_one_of(name, kIpv6)) p.ipv6 = true;
        if (field && row(*field).prerequisite == Prerequisite::ipv6) p.ipv6 = true;
        if (field == Field::vlan_vid || name == "dl_vlan") p.vlan = true;
        if (field == Field::icmpv6_type) p.icmpv6_type = true;
    }
    return p;
}

/// The word that provides what a field needs, or nothing where it is there or cannot be told.
std::optional<std::string> filled_in(Field field, Protocols& p) {
    using enum Prerequisite;
    const auto ethernet = [&](std::string_view text) -> std::optional<std::string> {
        if (std::exchange(p.eth_type, true)) return std::nullopt;
        return std::string(text);
    };
    const auto transport = [&](std::string_view v4, std::string_view v6,
                               int number) -> std::optional<std::string> {
        if (std::exchange(p.ip_proto, true)) return std::nullopt;
        if (p.eth_type) return format("ip_proto={}", number);
        p.eth_type = true;
        return std::string(p.ipv6 ? v6 : v4);
    };
    const auto discovery = [&](int type) -> std::optional<std::string> {
        std::string text = transport("icmp6", "icmp6", 58).value_or("");
        if (!std::exchange(p.icmpv6_type, true))
            text += format("{}icmpv6_type={}", text.empty() ? "" : ",", type);
        return text.empty() ? std::optional<std::string>() : text;
    };
    switch (row(field).prerequisite) {
        case none:
        case in_port:
        case nd: return std::nullopt;
        case ip: return p.ipv6 ? ethernet("ipv6") : std::nullopt;
        case vlan:
            if (std::exchange(p.vlan, true)) return std::nullopt;
            return "vlan_vid=0x1000/0x1000";
        case ipv4: return ethernet("ip");
        case ipv6: return ethernet("ipv6");
        case arp: return ethernet("arp");
        case mpls: return ethernet("mpls");
        case pbb: return ethernet("pbb");
        case tcp: return transport("tcp", "tcp6", 6);
        case udp: return transport("udp", "udp6", 17);
        case sctp: return transport("sctp", "sctp6", 132);
        case icmpv4: return transport("icmp", "icmp", 1);
        case icmpv6: return transport("icmp6", "icmp6", 58);
        case nd_solicit: return discovery(135);
        case nd_advert: return discovery(136);
    }
    return std::nullopt;
}

ValueResult<std::vector<Value>> match_words(const std::vector<FlowItem>& items) {
    Protocols protocols = protocols_of(items);
    // Fields that say more about the protocol come first: tcp_dst before nw_dst.
    std::vector<Field> fields;
    for (const FlowItem& item : items)
        if (const auto field = field_by_name(item.values[0].text)) fields.push_back(*field);
    std::ranges::stable_sort(fields, [](Field a, Field b) {
        const auto rank = [](Field f) { return static_cast<int>(row(f).prerequisite); };
        const auto transport = [&](Field f) {
            return rank(f) >= static_cast<int>(Prerequisite::tcp) &&
                   rank(f) <= static_cast<int>(Prerequisite::nd_advert);
        };
        return transport(a) && (!transport(b) || rank(a) > rank(b));
    });
    std::vector<Value> out;
    for (const Field field : fields) {
        const auto text = filled_in(field, protocols);
        if (!text) continue;
        out.push_back(word(items.front().values[0].span, *text));
        out.back().made = true;
    }
    for (const FlowItem& item : items) {
        const std::string& name = item.values[0].text;
        if (item.block)
            return fault(whole(item), format("match: {} takes a value, not a block", name));
        if (item.values.size() > 2)
            return fault(item.values[2].span, format("match: {} takes one value", name),
                         "end the statement with ; or a new line");
        out.push_back(
            word(whole(item), item.values.size() == 1 ? name : name + '=' + item.values[1].text));
    }
    return out;
}

// --- actions ---------------------------------------------------------------------------------

ValueResult<std::string> action_text(const FlowItem& item) {
    const std::string& name = item.values[0].text;
    if (item.block) {
        if (item.values.size() != 1)
            return fault(item.values[1].span, format("actions: {} takes a block alone", name));
        std::string inside;
        for (const FlowItem& inner : item.items) {
            auto text = action_text(inner);
            if (!text) return text;
            inside += (inside.empty() ? "" : ",") + *text;
        }
        return format("{}({})", name, inside);
    }
    if (item.values.size() == 1) return name;
    if (item.values.size() == 2) return name + ':' + item.values[1].text;
    if (item.values.size() == 3 && name == "set_field")  // set_field FIELD VALUE
        return format("set_field:{}->{}", item.values[2].text, item.values[1].text);
    return fault(item.values[2].span, format("actions: {} takes one value", name),
                 "end the statement with ; or a new line");
}

}  // namespace

bool takes_flow_block(const Row& r) {
    return r.parent == row(Object::flow).path() && r.type == Type::flow_text;
}

std::vector<FlowItem> flow_items(const Block& block) {
    std::vector<FlowItem> out;
    for (const Statement& s : block.statements) {
        if (!s.sound || s.activity == Activity::inactive) continue;
        out.push_back({s.values, s.block ? flow_items(*s.block) : std::vector<FlowItem>(),
                       s.block != nullptr});
    }
    return out;
}

ValueResult<std::vector<Value>> flow_words(const Row& r, const std::vector<FlowItem>& items) {
    for (const FlowItem& item : items)
        for (const Value& v : item.values)
            if (v.kind == ValueKind::list)
                return fault(v.span, format("{}: a list where a value belongs", r.name));
    if (r.name == "match") return match_words(items);
    std::vector<Value> out;
    for (const FlowItem& item : items) {
        auto text = action_text(item);
        if (!text) return std::unexpected(std::move(text.error()));
        out.push_back(word(whole(item), std::move(*text)));
    }
    return out;
}

}  // namespace raicho::dsl
