// SPDX-License-Identifier: Apache-2.0
// A whole flow text: attributes, match, actions.
#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "openflow/action_parser.h"
#include "openflow/codec.h"
#include "openflow/match_parser.h"

namespace raicho::openflow {
namespace {

template <class T>
Parsed<void> store(const Item& item, T& into, std::uint64_t max) {
    TRY_ASSIGN(const auto value, number(item, max));
    into = static_cast<T>(value);
    return {};
}

struct Source {
    const Item& item;
    FlowMod& mod;
    const PortByName& ports;
};

Parsed<void> table(const Source& s) {
    TRY_ASSIGN(const auto value, number(s.item, kTables - 1));
    s.mod.table = TableId(static_cast<std::uint8_t>(value));
    return {};
}
Parsed<void> priority(const Source& s) {
    return store(s.item, s.mod.priority, 0xffff);
}
Parsed<void> idle_timeout(const Source& s) {
    return store(s.item, s.mod.idle_timeout, 0xffff);
}
Parsed<void> hard_timeout(const Source& s) {
    return store(s.item, s.mod.hard_timeout, 0xffff);
}
Parsed<void> cookie(const Source& s) {
    const std::size_t slash = s.item.value.text.find('/');
    TRY_ASSIGN(s.mod.cookie, number("cookie", s.item.value.part(0, slash), ~0ull));
    if (slash == std::string_view::npos) return {};
    TRY_ASSIGN(s.mod.cookie_mask, number("cookie mask", s.item.value.part(slash + 1), ~0ull));
    return {};
}
Parsed<void> out_port(const Source& s) {
    TRY_ASSIGN(s.mod.out_port, port(s.item.value, s.ports));
    return {};
}
Parsed<void> out_group(const Source& s) {
    if (lower(s.item.value.text) == "any") return {};
    TRY_ASSIGN(const auto value, number(s.item, 0xffffffff));
    s.mod.out_group = GroupId(static_cast<std::uint32_t>(value));
    return {};
}
Parsed<void> flags(const Source& s) {
    constexpr std::uint64_t kAllFlags = 0x1f;
    TRY_ASSIGN(const auto value, number(s.item, kAllFlags));
    s.mod.flags = static_cast<std::uint16_t>(s.mod.flags | value);
    return {};
}
/// What a dump prints beside a flow: read over, so that a dump can be pasted.
Parsed<void> counted(const Source&) {
    return {};
}
template <std::uint16_t kFlag>
Parsed<void> flag(const Source& s) {
    s.mod.flags = static_cast<std::uint16_t>(s.mod.flags | kFlag);
    return {};
}

enum class Value : bool { no, yes };
struct Attribute {
    std::string_view name;
    Value value;
    Parsed<void> (*set)(const Source&);
};
constexpr std::array<Attribute, 20> kAttributes{{
    {"table", Value::yes, table},
    {"priority", Value::yes, priority},
    {"cookie", Value::yes, cookie},
    {"idle_timeout", Value::yes, idle_timeout},
    {"hard_timeout", Value::yes, hard_timeout},
    {"out_port", Value::yes, out_port},
    {"out_group", Value::yes, out_group},
    {"flags", Value::yes, flags},
    {"send_flow_rem", Value::no, flag<flow_flag::kSendFlowRem>},
    {"check_overlap", Value::no, flag<flow_flag::kCheckOverlap>},
    {"reset_counts", Value::no, flag<flow_flag::kResetCounts>},
    {"no_packet_counts", Value::no, flag<flow_flag::kNoPktCounts>},
    {"no_byte_counts", Value::no, flag<flow_flag::kNoBytCounts>},
    {"duration", Value::yes, counted},
    {"n_packets", Value::yes, counted},
    {"n_bytes", Value::yes, counted},
    {"packet_count", Value::yes, counted},
    {"byte_count", Value::yes, counted},
    {"idle_age", Value::yes, counted},
    {"hard_age", Value::yes, counted},
}};

const Attribute* attribute(std::string_view name) {
    for (const Attribute& a : kAttributes)
        if (a.name == name) return &a;
    return nullptr;
}

bool starts_actions(const Item& item) {
    return (item.name.text == "actions" || item.name.text == "action") && item.separator == '=';
}

std::unexpected<FlowTextError> unknown(const Item& item) {
    std::vector<std::string_view> names{"actions"};
    for (const Attribute& a : kAttributes) names.push_back(a.name);
    append_match_names(names);
    std::string hint = suggestion(item.name.text, names);
    if (item.name.text == "vlan_tci")
        hint = "write vlan_vid and vlan_pcp";
    else if (item.name.text == "vlan")
        hint = "write vlan_vid=N, or vlan_vid=0x1000/0x1000 for any tag";
    return wrong(item.name, format("unknown field \"{}\"", item.name.text), std::move(hint));
}

class FlowParser {
  public:
    FlowParser(const PortByName& ports, FlowRules rules)
        : ports_(ports), rules_(rules), match_(ports, rules) {}

    [[nodiscard]] Parsed<FlowMod> parse(const Word& text) {
        ItemScanner scanner(text);
        std::optional<Word> actions;
        while (!actions) {
            const Word before = scanner.rest();
            TRY_ASSIGN(const auto item, scanner.next());
            if (!item)
                return wrong(text.part(text.text.size()), "actions are missing",
                             "write actions=drop to drop the packets");
            if (starts_actions(*item)) {
                const std::size_t from = item->value.offset - text.offset;
                actions = text.part(from);
            } else if (names_instruction(item->name.text)) {
                actions = before;
            } else {
                TRY(add(*item));
            }
        }
        TRY_ASSIGN(mod_.match, match_.finish());
        const ActionContext context{match_.protocol(), mod_.match, mod_.table, ports_, rules_};
        TRY_ASSIGN(mod_.instructions, parse_instructions(*actions, context));
        TRY(check_size(text));
        return std::move(mod_);
    }

  private:
    Parsed<void> add(const Item& item) {
        if (const Attribute* a = attribute(item.name.text)) {
            const bool has_value = item.separator == '=' && !item.value.text.empty();
            if (a->value == Value::yes && !has_value)
                return wrong(item.whole, format("{}: a value is missing", a->name),
                             format("write {}=VALUE", a->name));
            if (a->value == Value::no && item.separator != 0)
                return wrong(item.whole, format("{} takes no value", a->name));
            return a->set({item, mod_, ports_});
        }
        if (protocol_word(item.name.text) == nullptr && !names_field(item.name.text))
            return unknown(item);
        return match_.add(item);
    }

    /// A flow has to fit into one message and one entry of a statistics reply.
    Parsed<void> check_size(const Word& text) const {
        constexpr std::size_t kMaxFlow = 65000;
        ByteVector bytes;
        encode_match_fields(mod_.match, bytes);
        encode_instructions(mod_.instructions, bytes);
        if (bytes.size() <= kMaxFlow) return {};
        return wrong(text, format("the flow takes {} bytes of at most {} in OpenFlow", bytes.size(),
                                  kMaxFlow));
    }

    const PortByName& ports_;
    FlowRules rules_;
    FlowMod mod_;
    MatchParser match_;
};

}  // namespace

std::expected<FlowMod, FlowTextError> parse_flow(std::string_view text, const PortByName& ports,
                                                 FlowRules rules) {
    return FlowParser(ports, rules).parse({text, 0});
}

}  // namespace raicho::openflow
