// SPDX-License-Identifier: Apache-2.0
#include "agent/config/flow_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent::config {

namespace {

using openflow::FlowMod;

/// What of a flow is judged beyond its syntax; the text as a whole is to blame.
std::optional<std::string> fault_of(const FlowMod& flow) {
    if (const auto match = openflow::check_match(flow.match); !match) return match.error().why;
    const openflow::Instructions& i = flow.instructions;
    for (const auto* actions : {&i.apply, &i.write}) {
        if (!*actions) continue;
        if (const auto checked = openflow::check_actions(**actions, flow.match); !checked)
            return checked.error().why;
    }
    if (i.go_to && *i.go_to <= flow.table)
        return format("goto_table:{} from table {}: only a later table can be next",
                      i.go_to->value(), flow.table.value());
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
            if (auto why = fault_of(*parsed)) return dsl::FlowFault{*why, {}, 0, text.size()};
            return std::nullopt;
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

FlowMod strict_delete(FlowMod flow) {
    flow.command = openflow::FlowModCommand::remove_strict;
    flow.cookie_mask = 0;
    flow.out_port = port::kAny;
    flow.out_group = GroupId(0xffffffff);
    return flow;
}

}  // namespace raicho::agent::config
