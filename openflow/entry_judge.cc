// SPDX-License-Identifier: Apache-2.0
#include "openflow/entry_judge.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "openflow/mod_parser.h"
#include "openflow/target_check.h"

namespace raicho::openflow {

namespace {

/// A fault at `word` in the text, up to the next separator; when it is not there (or empty) the
/// text as a whole is to blame.
FlowTextError fault_at(std::string_view text, std::string why, std::string hint,
                       std::string_view word) {
    const auto found = std::ranges::search(
        text, word, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
    if (found.empty()) return {std::move(why), std::move(hint), 0, text.size()};
    const auto offset = static_cast<std::size_t>(found.begin() - text.begin());
    const std::size_t end = text.find_first_of(", )\t\n", offset);
    return {std::move(why), std::move(hint), offset,
            (end == std::string_view::npos ? text.size() : end) - offset};
}

/// How an action is written that names what is not there, or may not stand where it stands.
std::optional<std::string> stray_word(const ActionList& actions, const Targets& targets) {
    for (const Action& action : actions) {
        if (const auto* group = std::get_if<GroupAction>(&action);
            group != nullptr && !targets.has(group->group))
            return format("group:{}", group->group.value());
        if (const auto* queue = std::get_if<SetQueue>(&action);
            queue != nullptr && !targets.has_queue(queue->queue))
            return format("set_queue:{}", queue->queue);
        if (const auto* output = std::get_if<OutputAction>(&action);
            output != nullptr && output->port == port::kTable)
            return "output:table";
    }
    return std::nullopt;
}

std::string stray_word(const Instructions& instructions, const Targets& targets) {
    if (instructions.meter && !targets.has(*instructions.meter))
        return format("meter:{}", instructions.meter->value());
    if (instructions.go_to && !targets.has(*instructions.go_to)) return "goto_table";
    for (const auto* list : {&instructions.apply, &instructions.write})
        if (*list)
            if (auto word = stray_word(**list, targets)) return *word;
    return {};
}

/// What a flow-mod may carry and a flow entry has not.
std::optional<FlowTextError> ignored_word(const FlowMod& flow, std::string_view text) {
    const auto fault = [&](std::string_view name, std::string_view word) {
        return fault_at(text,
                        format("{}: selects flows to delete, a configured flow has none", name),
                        "leave it out", word);
    };
    if (flow.out_port != port::kAny) return fault("out_port", "out_port=");
    if (flow.out_group != group::kAny) return fault("out_group", "out_group=");
    if (flow.cookie_mask != FlowMod{}.cookie_mask) return fault("cookie mask", "cookie=");
    return std::nullopt;
}

}  // namespace

EntryJudge::EntryJudge(const ConfiguredTargets& has, PortByName ports) : ports_(std::move(ports)) {
    for (const std::string& text : has.groups) {
        constexpr std::string_view kId = "group_id=";
        if (auto parsed = parse_group(text, ports_))
            has_.groups[parsed->group] = std::move(parsed->buckets);
        else if (const auto id = parse_number(
                     text.starts_with(kId)
                         ? std::string_view(text).substr(kId.size(), text.find(',') - kId.size())
                         : std::string_view()))
            has_.groups.try_emplace(GroupId(static_cast<std::uint32_t>(*id)));
    }
    for (const std::uint32_t meter : has.meters) has_.meters.insert(MeterId(meter));
    has_.queues.insert(has.queues.begin(), has.queues.end());
    has_.n_tables = has.n_tables;
}

std::optional<FlowTextError> EntryJudge::flow(std::string_view text) const {
    auto parsed = parse_flow(text, ports_);
    if (!parsed) return std::move(parsed.error());
    return fault_of(*parsed, text);
}

/// What of a flow is judged beyond its syntax.
std::optional<FlowTextError> EntryJudge::fault_of(const FlowMod& flow,
                                                  std::string_view text) const {
    if (auto fault = ignored_word(flow, text)) return fault;
    if (!has_.has(flow.table))
        return fault_at(
            text, format("table {}: the bridge has {} tables", flow.table.value(), has_.n_tables),
            "raise max-tables of the bridge", "table=");
    if (const auto match = check_match(flow.match); !match)
        return FlowTextError{match.error().why, {}, 0, text.size()};
    const Instructions& i = flow.instructions;
    if (const auto checked = check_instructions(i, flow.table, flow.match, has_); !checked)
        return fault_at(text, checked.error().why, {}, stray_word(i, has_));
    return std::nullopt;
}

std::optional<FlowTextError> EntryJudge::group(std::string_view text) const {
    auto parsed = parse_group(text, ports_);
    if (!parsed) return std::move(parsed.error());
    const auto checked = check_group(*parsed, has_);
    if (checked) return std::nullopt;
    std::string word;
    for (const Bucket& bucket : parsed->buckets) {
        if (!word.empty()) break;
        word = stray_word(bucket.actions, has_).value_or("");
        if (word.empty() && bucket.watch_group != group::kAny && !has_.has(bucket.watch_group))
            word = "watch_group";
    }
    return fault_at(text, checked.error().why, {}, word);
}

std::optional<FlowTextError> EntryJudge::meter(std::string_view text) const {
    auto parsed = parse_meter(text);
    if (!parsed) return std::move(parsed.error());
    if (parsed->meter > meter::kMax)
        return FlowTextError{
            "a configured meter is one of flows: 1 to 4294901760", {}, 0, text.size()};
    return std::nullopt;
}

}  // namespace raicho::openflow
