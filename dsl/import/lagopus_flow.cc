// SPDX-License-Identifier: Apache-2.0
#include "dsl/import/lagopus_flow.h"

#include <algorithm>
#include <array>

#include "base/addr.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/text.h"

namespace raicho::dsl {

namespace {

using Wide = unsigned __int128;
template <class T>
using Read = std::expected<T, std::string>;

/// In the order in which they act (OF 1.3.5 §5.9).
constexpr std::array<std::string_view, 6> kInstructions{
    "meter", "apply_actions", "clear_actions", "write_actions", "write_metadata", "goto_table"};

struct Word {
    std::string_view word;
    std::uint64_t value;
};
constexpr std::array<Word, 7> kEthertypes{{{"ip", 0x0800},
                                           {"arp", 0x0806},
                                           {"vlan", 0x8100},
                                           {"ipv6", 0x86dd},
                                           {"mpls", 0x8847},
                                           {"mpls_mcast", 0x8848},
                                           {"pbb", 0x88e7}}};

template <std::size_t n>
Wide wide(const std::array<std::uint8_t, n>& bytes) {
    Wide value = 0;
    for (const std::uint8_t b : bytes) value = value << 8 | b;
    return value;
}

std::optional<Wide> plain_value(std::string_view name, std::string_view text) {
    if (name == "dl_type")
        for (const Word& w : kEthertypes)
            if (w.word == text) return w.value;
    if (const auto number = parse_number(text)) return *number;
    if (const auto mac = parse_mac(text)) return wide(mac->bytes);
    if (const auto v4 = parse_ipv4(text)) return wide(v4->bytes);
    if (const auto v6 = parse_ipv6(text)) return wide(v6->bytes);
    return std::nullopt;
}

LagopusMatchValue match_value(std::string_view name, std::string_view text) {
    LagopusMatchValue out{.text = std::string(text)};
    const std::size_t slash = text.find('/');
    const auto value = plain_value(name, text.substr(0, slash));
    const auto mask = slash == std::string_view::npos ? std::optional<Wide>(~Wide{0})
                                                      : plain_value(name, text.substr(slash + 1));
    out.numeric = value && mask;
    if (out.numeric) {
        out.mask = *mask;
        out.value = *value & *mask;
    }
    return out;
}

bool same(const LagopusMatchValue& a, const LagopusMatchValue& b) {
    if (!a.numeric || !b.numeric) return a.text == b.text;
    return a.value == b.value && a.mask == b.mask;
}

/// Whether every packet with `narrow` has `wide` too.
bool within(const LagopusMatchValue& narrow, const LagopusMatchValue& wide) {
    if (!narrow.numeric || !wide.numeric) return narrow.text == wide.text;
    return (narrow.mask & wide.mask) == wide.mask && (narrow.value & wide.mask) == wide.value;
}

const LagopusMatchValue* field(const LagopusFlow& flow, std::string_view name) {
    for (const auto& [n, value] : flow.match)
        if (n == name) return &value;
    return nullptr;
}

bool same_match(const LagopusFlow& a, const LagopusFlow& b) {
    return a.match.size() == b.match.size() && std::ranges::all_of(a.match, [&](const auto& f) {
               const LagopusMatchValue* other = field(b, f.first);
               return other != nullptr && same(f.second, *other);
           });
}

/// `flow` matches at most what `filter` does (OF 1.3.5 §6.4, non-strict).
bool covered(const LagopusFlow& flow, const LagopusFlow& filter) {
    return std::ranges::all_of(filter.match, [&](const auto& f) {
        const LagopusMatchValue* own = field(flow, f.first);
        return own != nullptr && within(*own, f.second);
    });
}

/// Whether one of the flow's actions is `name:value`.
bool has_action(const LagopusFlow& flow, std::string_view name, std::string_view value) {
    const std::string wanted = format("{}:{}", name, value);
    for (const std::string_view list : {"apply_actions", "write_actions"}) {
        const auto at = flow.instructions.find(std::string(list));
        if (at == flow.instructions.end()) continue;
        for (const std::string_view action : split(at->second, ','))
            if (action == wanted) return true;
    }
    return false;
}

bool chosen(const LagopusFlow& flow, const LagopusFlowCommand& c) {
    if (!c.all_tables && flow.table != c.flow.table) return false;
    if (c.cookie_mask && (flow.cookie & *c.cookie_mask) != (c.flow.cookie & *c.cookie_mask))
        return false;
    const bool outputs = c.verb == LagopusFlowCommand::Verb::remove;
    if (outputs && c.out_port && !has_action(flow, "output", *c.out_port)) return false;
    if (outputs && c.out_group && !has_action(flow, "group", *c.out_group)) return false;
    if (c.strict) return flow.priority == c.flow.priority && same_match(flow, c.flow);
    return covered(flow, c.flow);
}

/// Reads words into a command; each member takes one kind of word.
class FlowReader {
  public:
    explicit FlowReader(const ForeignPlace& place) { out_.flow.place = place; }

    Read<LagopusFlowCommand> read(std::span<const std::string> words) {
        using Verb = LagopusFlowCommand::Verb;
        if (words[0] == "mod")
            out_.verb = Verb::modify;
        else if (words[0] == "del")
            out_.verb = Verb::remove;
        for (const std::string& w : words.subspan(1)) TRY(word(w));
        if (out_.all_tables && out_.verb == Verb::add)
            return std::unexpected("table=all: an entry lies in one table");
        return std::move(out_);
    }

  private:
    static Read<std::uint64_t> number(std::string_view name, std::string_view text,
                                      std::uint64_t most) {
        const auto n = parse_number(text);
        if (n && *n <= most) return *n;
        return std::unexpected(format("{}: \"{}\" is not a number up to {}", name, text, most));
    }
    template <class T>
    static Read<void> store(std::string_view name, std::string_view text, T& into) {
        TRY_ASSIGN(const auto n, number(name, text, static_cast<T>(~T{0})));
        into = static_cast<T>(n);
        return {};
    }

    Read<void> word(std::string_view w) {
        if (w == "-strict") {
            out_.strict = true;
            return {};
        }
        const std::size_t equals = w.find('=');
        const std::string_view name = w.substr(0, equals);
        if (equals == std::string_view::npos) return bare(name);
        const std::string_view value = w.substr(equals + 1);
        if (value.empty()) return std::unexpected(format("{}: a value is missing", name));
        return pair(name, value);
    }

    Read<void> bare(std::string_view name) {
        if (name == "send_flow_rem")
            out_.flow.send_flow_rem = true;
        else if (name == "clear_actions")
            out_.flow.instructions.emplace("clear_actions", "");
        else if (name != "check_overlap")  // it only counts while the entry is added
            return std::unexpected(format("unknown word \"{}\"", name));
        return {};
    }

    Read<void> pair(std::string_view name, std::string_view value) {
        LagopusFlow& f = out_.flow;
        if (name == "table") {
            out_.all_tables = value == "all";
            if (out_.all_tables) return {};
            TRY_ASSIGN(const auto n, number(name, value, kTables - 1));
            f.table = static_cast<std::uint8_t>(n);
            return {};
        }
        if (name == "priority") return store(name, value, f.priority);
        if (name == "idle_timeout") return store(name, value, f.idle_timeout);
        if (name == "hard_timeout") return store(name, value, f.hard_timeout);
        if (name == "cookie") return cookie(value);
        if (name == "out_port") {
            if (value != "any") out_.out_port = value;
            return {};
        }
        if (name == "out_group") {
            if (value != "any") out_.out_group = value;
            return {};
        }
        if (std::ranges::find(kInstructions, name) != kInstructions.end())
            f.instructions[std::string(name)] = value;
        else
            f.match.emplace_back(name, match_value(name, value));
        return {};
    }

    Read<void> cookie(std::string_view value) {
        const std::size_t slash = value.find('/');
        TRY(store("cookie", value.substr(0, slash), out_.flow.cookie));
        if (slash == std::string_view::npos) return {};
        std::uint64_t mask = 0;
        TRY(store("cookie mask", value.substr(slash + 1), mask));
        out_.cookie_mask = mask;
        return {};
    }

    LagopusFlowCommand out_;
};

}  // namespace

std::string LagopusFlow::text() const {
    std::string out = format("table={},priority={}", table, priority);
    if (cookie != 0) out += format(",cookie=0x{:x}", cookie);
    if (idle_timeout != 0) out += format(",idle_timeout={}", idle_timeout);
    if (hard_timeout != 0) out += format(",hard_timeout={}", hard_timeout);
    if (send_flow_rem) out += ",send_flow_rem";
    for (const auto& [name, value] : match) out += format(",{}={}", name, value.text);
    std::string actions;
    for (const std::string_view name : kInstructions) {
        const auto at = instructions.find(std::string(name));
        if (at == instructions.end()) continue;
        if (!actions.empty()) actions += ',';
        if (name == "apply_actions")
            actions += at->second;
        else if (name == "write_actions")
            actions += format("write_actions({})", at->second);
        else
            actions += at->second.empty() ? std::string(name) : format("{}:{}", name, at->second);
    }
    return out + " actions=" + (actions.empty() ? "drop" : actions);
}

std::expected<LagopusFlowCommand, std::string> read_lagopus_flow(
    const ForeignPlace& place, std::span<const std::string> words) {
    return FlowReader(place).read(words);
}

std::size_t apply(const LagopusFlowCommand& c, std::vector<LagopusFlow>& flows) {
    using Verb = LagopusFlowCommand::Verb;
    if (c.verb == Verb::add) {
        const auto at = std::ranges::find_if(flows, [&](const LagopusFlow& f) {
            return f.table == c.flow.table && f.priority == c.flow.priority &&
                   same_match(f, c.flow);
        });
        if (at == flows.end())
            flows.push_back(c.flow);
        else
            *at = c.flow;
        return 1;
    }
    if (c.verb == Verb::remove)
        return std::erase_if(flows, [&](const LagopusFlow& f) { return chosen(f, c); });
    std::size_t n = 0;
    for (LagopusFlow& f : flows) {
        if (!chosen(f, c)) continue;
        f.instructions = c.flow.instructions;
        ++n;
    }
    return n;
}

}  // namespace raicho::dsl
