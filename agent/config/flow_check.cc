// SPDX-License-Identifier: Apache-2.0
#include "agent/config/flow_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/model/action_check.h"
#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent::config {

namespace {

using openflow::FlowMod;

/// A fault at `word` in the text, up to the next separator; when it is not there (or empty) the
/// text as a whole is to blame.
dsl::FlowFault fault_at(std::string_view text, std::string why, std::string hint,
                        std::string_view word) {
    const auto found = std::ranges::search(
        text, word, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
    if (found.empty()) return {std::move(why), std::move(hint), 0, text.size()};
    const auto offset = static_cast<std::size_t>(found.begin() - text.begin());
    const std::size_t end = text.find_first_of(", )\t\n", offset);
    return {std::move(why), std::move(hint), offset,
            (end == std::string_view::npos ? text.size() : end) - offset};
}

/// How the first thing begins that check_instructions() refuses and the parser does not.
std::string_view unserved_word(const openflow::Instructions& instructions) {
    if (instructions.meter) return "meter:";
    for (const auto* list : {&instructions.apply, &instructions.write}) {
        if (!*list) continue;
        for (const openflow::Action& action : **list) {
            if (std::holds_alternative<openflow::GroupAction>(action)) return "group:";
            if (std::holds_alternative<openflow::SetQueue>(action)) return "set_queue:";
            if (const auto* output = std::get_if<openflow::OutputAction>(&action);
                output != nullptr && output->port == port::kTable)
                return "output:table";
        }
    }
    return {};
}

/// What a flow-mod may carry and a flow entry has not.
std::optional<dsl::FlowFault> ignored_word(const FlowMod& flow, std::string_view text) {
    const auto fault = [&](std::string_view name, std::string_view word) {
        return fault_at(text,
                        format("{}: selects flows to delete, a configured flow has none", name),
                        "leave it out", word);
    };
    if (flow.out_port != port::kAny) return fault("out_port", "out_port=");
    if (flow.out_group != openflow::group::kAny) return fault("out_group", "out_group=");
    if (flow.cookie_mask != FlowMod{}.cookie_mask) return fault("cookie mask", "cookie=");
    return std::nullopt;
}

/// What of a flow is judged beyond its syntax.
std::optional<dsl::FlowFault> fault_of(const FlowMod& flow, std::string_view text) {
    if (auto fault = ignored_word(flow, text)) return fault;
    if (const auto match = openflow::check_match(flow.match); !match)
        return dsl::FlowFault{match.error().why, {}, 0, text.size()};
    const openflow::Instructions& i = flow.instructions;
    if (i.go_to && *i.go_to <= flow.table)
        return fault_at(text,
                        format("goto_table:{} from table {}: only a later table can be next",
                               i.go_to->value(), flow.table.value()),
                        {}, "goto_table");
    if (const auto checked = check_instructions(i, flow.table, flow.match, {}); !checked)
        return fault_at(text, checked.error().why, {}, unserved_word(i));
    return std::nullopt;
}

std::string key_of(const FlowMod& flow) {
    std::vector<openflow::MatchField> fields(flow.match.fields().begin(),
                                             flow.match.fields().end());
    std::ranges::sort(fields, {}, &openflow::MatchField::field);
    openflow::Match sorted;
    for (const openflow::MatchField& f : fields) (void)sorted.add(f);
    return format("{} {} {}", flow.table.value(), flow.priority, openflow::to_text(sorted));
}

bool same(const FlowMod& a, const FlowMod& b) {
    return a.cookie == b.cookie && a.idle_timeout == b.idle_timeout &&
           a.hard_timeout == b.hard_timeout && a.flags == b.flags &&
           a.instructions == b.instructions;
}

std::string label_of(const dsl::FlowConfig& flow) {
    return flow.name.empty() ? format("flow \"{}\"", flow.text) : "flow " + flow.name;
}

}  // namespace

dsl::FlowChecker flow_checker() {
    return
        [](std::string_view text, const dsl::PortByName& ports) -> std::optional<dsl::FlowFault> {
            const auto parsed = openflow::parse_flow(text, ports);
            if (!parsed) {
                const openflow::FlowTextError& e = parsed.error();
                return dsl::FlowFault{e.text, e.hint, e.offset, e.length};
            }
            return fault_of(*parsed, text);
        };
}

Result<FlowsByKey> parse_flows(const dsl::BridgeConfig& bridge) {
    std::map<std::string, PortNo, std::less<>> numbers;
    for (const dsl::PortConfig& p : bridge.ports)
        if (p.number) numbers.emplace(p.name, *p.number);
    const openflow::PortByName by_name = [&](std::string_view name) -> std::optional<PortNo> {
        const auto at = numbers.find(name);
        if (at == numbers.end()) return std::nullopt;
        return at->second;
    };
    FlowsByKey flows;
    for (const dsl::FlowConfig& f : bridge.flows) {
        auto parsed = openflow::parse_flow(f.text, by_name);
        if (!parsed)
            return fail(
                format("bridge \"{}\": {}: {}", bridge.name, label_of(f), parsed.error().text),
                parsed.error().hint);
        const auto [at, fresh] =
            flows.try_emplace(key_of(*parsed), ParsedFlow{label_of(f), std::move(*parsed)});
        if (!fresh)
            return fail(format("bridge \"{}\": {}: same table, priority and match as {}",
                               bridge.name, label_of(f), at->second.label),
                        "leave one of them out, or give it another priority");
    }
    return flows;
}

std::vector<FlowChange> compare_flows(const FlowsByKey& before, const FlowsByKey& after) {
    std::vector<FlowChange> changes;
    for (const auto& [key, old] : before)
        if (!after.contains(key)) changes.push_back({old.label, &old.flow, nullptr});
    for (const auto& [key, now] : after) {
        const auto old = before.find(key);
        if (old == before.end())
            changes.push_back({now.label, nullptr, &now.flow});
        else if (!same(old->second.flow, now.flow))
            changes.push_back({now.label, &old->second.flow, &now.flow});
    }
    return changes;
}

void add_doubtful(std::vector<FlowChange>& changes, const FlowsByKey& before,
                  const FlowsByKey& other, const FlowsByKey& after) {
    const auto says = [](const FlowsByKey& flows, const std::string& key, const FlowMod& flow) {
        const auto at = flows.find(key);
        return at != flows.end() && same(at->second.flow, flow);
    };
    for (const auto& [key, flow] : other)
        if (!says(before, key, flow.flow) && !after.contains(key))
            changes.push_back({flow.label, &flow.flow, nullptr});
    for (const auto& [key, flow] : after)
        if (says(before, key, flow.flow) && !says(other, key, flow.flow))
            changes.push_back({flow.label, nullptr, &flow.flow});
}

FlowMod strict_delete(FlowMod flow) {
    flow.command = openflow::FlowModCommand::remove_strict;
    flow.cookie_mask = 0;
    flow.out_port = port::kAny;
    flow.out_group = openflow::group::kAny;
    return flow;
}

}  // namespace raicho::agent::config
