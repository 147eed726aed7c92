// SPDX-License-Identifier: Apache-2.0
#include "agent/model/reference_set.h"

#include <algorithm>
#include <utility>

namespace raicho::agent {
namespace {

using namespace openflow;  // NOLINT: the actions

/// The step of §5.10 and the place within it; equal for what replaces each other.
using Place = std::pair<int, std::size_t>;

struct StepOf {
    int operator()(CopyTtlIn) const { return 1; }
    int operator()(PopVlan) const { return 2; }
    int operator()(PopMpls) const { return 2; }
    int operator()(PopPbb) const { return 2; }
    int operator()(PushMpls) const { return 3; }
    int operator()(PushPbb) const { return 4; }
    int operator()(PushVlan) const { return 5; }
    int operator()(CopyTtlOut) const { return 6; }
    int operator()(DecMplsTtl) const { return 7; }
    int operator()(DecNwTtl) const { return 7; }
    int operator()(SetMplsTtl) const { return 8; }
    int operator()(SetNwTtl) const { return 8; }
    int operator()(const SetField&) const { return 9; }  // step 8 too, behind the TTLs
    int operator()(SetQueue) const { return 10; }
    int operator()(GroupAction) const { return 11; }
    int operator()(const OutputAction&) const { return 12; }
};

Place place_of(const Action& action) {
    const auto* set = std::get_if<SetField>(&action);
    const std::size_t within =
        set != nullptr ? static_cast<std::size_t>(set->field) : action.index();
    return {std::visit(StepOf{}, action), within};
}

bool has_group(const ActionList& actions) {
    return std::ranges::any_of(
        actions, [](const Action& action) { return std::holds_alternative<GroupAction>(action); });
}

bool is_output(const Action& action) {
    return std::holds_alternative<OutputAction>(action);
}

}  // namespace

void ReferenceActionSet::write(const ActionList& actions) {
    for (const Action& action : actions) {
        std::erase_if(actions_,
                      [&](const Action& old) { return place_of(old) == place_of(action); });
        actions_.push_back(action);
    }
}

ActionList ReferenceActionSet::ordered() const {
    ActionList actions = actions_;
    if (has_group(actions))
        std::erase_if(actions, is_output);
    else if (std::ranges::none_of(actions, is_output))
        return {};
    std::ranges::sort(actions, {}, place_of);
    return actions;
}

}  // namespace raicho::agent
