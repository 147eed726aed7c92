// SPDX-License-Identifier: Apache-2.0
#include "shell/flow_facts.h"

#include <algorithm>
#include <variant>

#include "openflow/text.h"

namespace raicho::shell {

namespace {

void add_actions(const openflow::ActionList& actions, dsl::FlowFacts& facts) {
    for (const openflow::Action& action : actions) {
        if (std::holds_alternative<openflow::GroupAction>(action)) facts.every_port = true;
        const auto* output = std::get_if<openflow::OutputAction>(&action);
        if (output == nullptr) continue;
        facts.ports.push_back(output->port);
        if (output->port == port::kNormal || output->port == port::kFlood ||
            output->port == port::kAll)
            facts.every_port = true;
    }
}

}  // namespace

dsl::FlowFactsOf flow_facts() {
    return
        [](std::string_view text, const dsl::PortByName& ports) -> std::optional<dsl::FlowFacts> {
            const auto flow = openflow::parse_flow(text, ports);
            if (!flow) return std::nullopt;
            dsl::FlowFacts facts;
            facts.table = flow->table.value();
            facts.priority = flow->priority;
            for (const openflow::MatchField& f : flow->match.fields()) {
                facts.match.push_back({f.field, f.value, f.mask});
                if (f.field == Field::in_port)
                    facts.ports.emplace_back(
                        static_cast<std::uint32_t>(openflow::to_integer(f.field, f.value)));
            }
            std::ranges::sort(facts.match, {}, &dsl::FlowFacts::Matched::field);
            const openflow::Instructions& i = flow->instructions;
            if (i.go_to) facts.goto_table = i.go_to->value();
            if (i.apply) add_actions(*i.apply, facts);
            if (i.write) add_actions(*i.write, facts);
            return facts;
        };
}

}  // namespace raicho::shell
