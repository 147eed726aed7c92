// SPDX-License-Identifier: Apache-2.0
#include "agent/model/references.h"

#include <algorithm>

#include "base/error.h"

namespace raicho::agent {
namespace {

template <class Id>
void count_down(std::unordered_map<Id, std::uint32_t>& counts, Id id) {
    const auto found = counts.find(id);
    ASSERT(found != counts.end());
    if (--found->second == 0) counts.erase(found);
}

template <class Id>
std::uint32_t count_of(const std::unordered_map<Id, std::uint32_t>& counts, Id id) {
    const auto found = counts.find(id);
    return found == counts.end() ? 0 : found->second;
}

}  // namespace

bool sends_to(const openflow::Instructions& instructions, GroupId group) {
    const auto found = [&](const std::optional<openflow::ActionList>& list) {
        return list && std::ranges::any_of(*list, [&](const openflow::Action& action) {
                   const auto* to = std::get_if<openflow::GroupAction>(&action);
                   return to != nullptr && to->group == group;
               });
    };
    return found(instructions.apply) || found(instructions.write);
}

void FlowReferences::add(const openflow::Instructions& instructions, std::size_t n) {
    const auto flows = static_cast<std::uint32_t>(n);
    for (const GroupId group : groups_of(instructions)) groups_[group] += flows;
    if (instructions.meter) meters_[*instructions.meter] += flows;
}

void FlowReferences::drop(const openflow::Instructions& instructions) {
    for (const GroupId group : groups_of(instructions)) count_down(groups_, group);
    if (instructions.meter) count_down(meters_, *instructions.meter);
}

std::uint32_t FlowReferences::flows_of(GroupId group) const {
    return count_of(groups_, group);
}

std::uint32_t FlowReferences::flows_of(MeterId meter) const {
    return count_of(meters_, meter);
}

}  // namespace raicho::agent
