// SPDX-License-Identifier: Apache-2.0
#include "openflow/match_parser.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "openflow/field_parser.h"
#include "openflow/prerequisites.h"

namespace raicho::openflow {
namespace {

constexpr std::array<ProtocolWord, 17> kProtocolWords{{
    {"ip", 0x0800, {}},
    {"ipv4", 0x0800, {}},
    {"icmp", 0x0800, 1},
    {"tcp", 0x0800, 6},
    {"udp", 0x0800, 17},
    {"sctp", 0x0800, 132},
    {"ipv6", 0x86dd, {}},
    {"tcp6", 0x86dd, 6},
    {"udp6", 0x86dd, 17},
    {"sctp6", 0x86dd, 132},
    {"icmp6", 0x86dd, 58},
    {"icmpv6", 0x86dd, 58},
    {"arp", 0x0806, {}},
    {"rarp", 0x8035, {}},
    {"mpls", 0x8847, {}},
    {"mplsm", 0x8848, {}},
    {"pbb", 0x88e7, {}},
}};

bool names(std::string_view name, Field field) {
    return name == row(field).name || (!row(field).ovs_name.empty() && name == row(field).ovs_name);
}

/// Whether the eth_type alone provides it.
bool by_ethertype(Prerequisite needed) {
    using enum Prerequisite;
    return needed == ip || needed == ipv4 || needed == ipv6 || needed == arp || needed == mpls ||
           needed == pbb;
}

}  // namespace

/// A match field and the item it came from.
struct MatchParser::Placed {
    MatchField field;
    Word from;
};

const ProtocolWord* protocol_word(std::string_view name) {
    for (const ProtocolWord& word : kProtocolWords)
        if (word.name == name) return &word;
    return nullptr;
}

void append_match_names(std::vector<std::string_view>& names) {
    for (const ProtocolWord& word : kProtocolWords) names.push_back(word.name);
    append_field_names(names);
}

Parsed<void> MatchParser::note(std::optional<std::uint64_t>& slot, std::uint64_t value,
                               const Item& item) {
    if (slot && *slot != value)
        return wrong(item.whole,
                     format("\"{}\" contradicts what stands before it", item.whole.text));
    slot = value;
    return {};
}

Parsed<void> MatchParser::add(const Item& item) {
    if (item.separator == 0) {
        const ProtocolWord* word = protocol_word(item.name.text);
        if (word == nullptr)
            return wrong(item.whole, format("{}: a value is missing", item.name.text),
                         format("write {}=VALUE", item.name.text));
        TRY(note(protocol_.eth_type, word->eth_type, item));
        if (word->ip_proto) TRY(note(protocol_.ip_proto, *word->ip_proto, item));
        return {};
    }
    if (item.separator != '=')
        return wrong(
            item.whole, format("\"{}\" is no match", item.whole.text),
            format("write {}={}; actions stand behind actions=", item.name.text, item.value.text));
    if (item.value.text == "*" || lower(item.value.text) == "any") return {};  // as ovs-ofctl
    if (names(item.name.text, Field::eth_type)) {
        TRY_ASSIGN(const std::uint64_t type, ethertype_value(item.name.text, item.value));
        return note(protocol_.eth_type, type, item);
    }
    (names(item.name.text, Field::ip_proto) ? proto_items_ : items_).push_back(item);
    return {};
}

Parsed<void> MatchParser::settle_ip_proto() {
    for (const Item& item : proto_items_) {
        if (protocol_.eth_type == 0x0806) {  // ovs-ofctl's nw_proto of an ARP packet is arp_op
            items_.push_back(item);
            continue;
        }
        TRY_ASSIGN(const std::uint64_t proto, ip_proto_value(item.name.text, item.value));
        TRY(note(protocol_.ip_proto, proto, item));
    }
    proto_items_.clear();
    return {};
}

Parsed<std::vector<MatchParser::Placed>> MatchParser::placed_fields() const {
    std::vector<Placed> fields;
    if (protocol_.eth_type) fields.push_back({exact(Field::eth_type, *protocol_.eth_type), {}});
    if (protocol_.ip_proto) fields.push_back({exact(Field::ip_proto, *protocol_.ip_proto), {}});
    for (const Item& item : items_) {
        TRY_ASSIGN(const Field field, field_named(item, protocol_));
        TRY_ASSIGN(const auto parsed, match_value(item.name.text, field, item.value, ports_));
        if (!parsed) continue;  // a mask of zeros matches everything
        for (const Placed& other : fields)
            if (other.field.field == field)
                return wrong(item.whole, format("{} is given twice", row(field).name));
        fields.push_back({*parsed, item.whole});
    }
    std::sort(fields.begin(), fields.end(),
              [](const Placed& a, const Placed& b) { return a.field.field < b.field.field; });
    return fields;
}

Parsed<Match> MatchParser::finish() {
    TRY(settle_ip_proto());
    TRY_ASSIGN(const auto fields, placed_fields());
    Match match;
    Prerequisites context;
    for (const auto& [field, from] : fields) {
        // Each number is greater than those of its prerequisites, so this order is the wire's too.
        const Prerequisite needed = row(field.field).prerequisite;
        if (rules_ == FlowRules::all && !context.meets(needed)) {
            const bool other = protocol_.eth_type && by_ethertype(needed);
            return wrong(
                from,
                format(
                    "{} needs {}{}", row(field.field).name, remedy(needed),
                    other ? format(", the flow has eth_type=0x{:04x}", *protocol_.eth_type) : ""),
                format("write {},{}", remedy(needed), from.text));
        }
        context.match(field);
        static_cast<void>(match.add(field));  // placed_fields() refused what is given twice
    }
    return match;
}

}  // namespace raicho::openflow
