// SPDX-License-Identifier: Apache-2.0
#include "agent/model/flow_store.h"

#include "agent/model/match_set.h"
#include "agent/model/references.h"

namespace raicho::agent {

void FlowStore::for_each(TableId table, FunctionRef<bool(FlowId)> visit) const {
    for (std::optional<FlowId> flow = next(FlowId{0}, table); flow;
         flow = next(FlowId{flow->value() + 1}, table))
        if (!visit(*flow)) return;
}

void FlowStore::for_each_within(TableId table, const openflow::Match& request,
                                FunctionRef<bool(FlowId)> visit) const {
    if (request.empty()) return for_each(table, visit);
    for_each(table, [&](FlowId flow) { return within(match(flow), request) ? visit(flow) : true; });
}

std::optional<FlowId> FlowStore::find_overlap(TableId table, std::uint16_t priority,
                                              const openflow::Match& match) const {
    std::optional<FlowId> found;
    for_each(table, [&](FlowId flow) {
        if (head(flow).priority == priority && overlaps(this->match(flow), match)) found = flow;
        return !found;
    });
    return found;
}

void FlowStore::for_each_using(GroupId group, FunctionRef<bool(FlowId)> visit) const {
    for_each(kAllTables,
             [&](FlowId flow) { return sends_to(instructions(flow), group) ? visit(flow) : true; });
}

void FlowStore::for_each_using(MeterId meter, FunctionRef<bool(FlowId)> visit) const {
    for_each(kAllTables,
             [&](FlowId flow) { return instructions(flow).meter == meter ? visit(flow) : true; });
}

}  // namespace raicho::agent
