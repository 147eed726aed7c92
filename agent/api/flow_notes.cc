// SPDX-License-Identifier: Apache-2.0
#include "agent/api/flow_notes.h"

#include <algorithm>
#include <set>

#include "agent/model/flow_store.h"
#include "agent/model/match_set.h"
#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent::api {

namespace {

std::string priority_and_match(std::uint16_t priority, const openflow::Match& match) {
    const std::string text = openflow::to_text(match);
    return format("priority={}{}{}", priority, text.empty() ? "" : ",", text);
}

/// Physical ports that the actions send to.
std::set<PortNo> output_ports(const openflow::Instructions& instructions) {
    std::set<PortNo> ports;
    for (const auto* list : {&instructions.apply, &instructions.write}) {
        if (!*list) continue;
        for (const openflow::Action& action : **list)
            if (const auto* output = std::get_if<openflow::OutputAction>(&action))
                if (output->port <= port::kMax) ports.insert(output->port);
    }
    return ports;
}

void note_ports(std::vector<std::string>& notes, const SwitchView& view, std::string_view bridge,
                const openflow::FlowMod& mod) {
    const std::vector<PortView> ports = view.ports(bridge);
    for (const PortNo wanted : output_ports(mod.instructions))
        if (std::ranges::find(ports, wanted, &PortView::number) == ports.end())
            notes.push_back(
                format("port {} is not there yet: packets to it are dropped", wanted.value()));
}

/// A flow of a greater priority that takes every packet of this one.
void note_shadow(std::vector<std::string>& notes, const FlowStore& store,
                 const openflow::FlowMod& mod) {
    std::size_t left = 65'536;
    store.for_each(mod.table, [&](FlowId flow) {
        const FlowHead head = store.head(flow);
        if (head.priority > mod.priority) {
            const openflow::Match match = store.match(flow);
            if (within(mod.match, match)) {
                notes.push_back(format("no packet will come to it: {} takes them all",
                                       priority_and_match(head.priority, match)));
                return false;
            }
        }
        return --left > 0;
    });
}

}  // namespace

std::string flow_text(const openflow::FlowMod& mod) {
    return format("table={},{} actions={}", mod.table.value(),
                  priority_and_match(mod.priority, mod.match), openflow::to_text(mod.instructions));
}

std::vector<std::string> flow_notes(const SwitchView& view, std::string_view bridge,
                                    const openflow::FlowMod& mod) {
    std::vector<std::string> notes;
    note_ports(notes, view, bridge, mod);
    const FlowStore* store = view.flows(bridge);
    if (store == nullptr) return notes;
    if (const auto old = store->find_strict(mod.table, mod.priority, mod.match))
        notes.push_back(format("replaces the flow that stands there, {} packets so far, actions={}",
                               with_thousands(store->counts(*old).packets),
                               openflow::to_text(store->instructions(*old))));
    note_shadow(notes, *store, mod);
    return notes;
}

}  // namespace raicho::agent::api
