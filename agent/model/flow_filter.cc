// SPDX-License-Identifier: Apache-2.0
#include "agent/model/flow_filter.h"

#include <algorithm>

namespace raicho::agent {
namespace {

using openflow::ActionList;
using openflow::GroupAction;
using openflow::Instructions;
using openflow::OutputAction;

bool sends_to(const ActionList& actions, const FlowFilter& filter) {
    const auto port_found = [&](const openflow::Action& action) {
        const auto* output = std::get_if<OutputAction>(&action);
        return output != nullptr && output->port == filter.out_port;
    };
    const auto group_found = [&](const openflow::Action& action) {
        const auto* group = std::get_if<GroupAction>(&action);
        return group != nullptr && group->group == filter.out_group;
    };
    return (filter.out_port == port::kAny || std::ranges::any_of(actions, port_found)) &&
           (filter.out_group == openflow::group::kAny || std::ranges::any_of(actions, group_found));
}

/// Both constraints hold over apply and write actions together.
bool sends_to(const Instructions& instructions, const FlowFilter& filter) {
    ActionList all;
    for (const auto* list : {&instructions.apply, &instructions.write})
        if (*list) all.insert(all.end(), (*list)->begin(), (*list)->end());
    return sends_to(all, filter);
}

}  // namespace

FlowFilter filter_of(const openflow::FlowStatsRequest& request) {
    return {request.table, request.cookie, request.cookie_mask, request.out_port,
            request.out_group};
}

FlowFilter filter_of(const openflow::FlowMod& mod) {
    using enum openflow::FlowModCommand;
    FlowFilter filter{mod.table, mod.cookie, mod.cookie_mask};
    if (mod.command == remove || mod.command == remove_strict) {
        filter.out_port = mod.out_port;
        filter.out_group = mod.out_group;
    }
    return filter;
}

bool passes(const FlowFilter& filter, const FlowStore& store, FlowId flow) {
    if (filter.cookie_mask != 0 &&
        ((store.head(flow).cookie ^ filter.cookie) & filter.cookie_mask) != 0)
        return false;
    if (filter.out_port == port::kAny && filter.out_group == openflow::group::kAny) return true;
    return sends_to(store.instructions(flow), filter);
}

void for_each_selected(const FlowStore& store, const FlowFilter& filter,
                       const openflow::Match& match, FunctionRef<bool(FlowId)> visit) {
    store.for_each_within(filter.table, match, [&](FlowId flow) {
        return passes(filter, store, flow) ? visit(flow) : true;
    });
}

}  // namespace raicho::agent
