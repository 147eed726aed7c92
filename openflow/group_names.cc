// SPDX-License-Identifier: Apache-2.0
#include "openflow/group_names.h"

#include <algorithm>

namespace raicho::openflow {
namespace {

void collect(const ActionList& actions, std::vector<GroupId>& into) {
    for (const Action& action : actions)
        if (const auto* to = std::get_if<GroupAction>(&action);
            to != nullptr && std::ranges::find(into, to->group) == into.end())
            into.push_back(to->group);
}

}  // namespace

std::vector<GroupId> groups_of(const ActionList& actions) {
    std::vector<GroupId> groups;
    collect(actions, groups);
    return groups;
}

std::vector<GroupId> groups_of(const Instructions& instructions) {
    std::vector<GroupId> groups;
    for (const auto* list : {&instructions.apply, &instructions.write})
        if (*list) collect(**list, groups);
    return groups;
}

std::vector<GroupId> sent_to(const Buckets& buckets) {
    std::vector<GroupId> groups;
    for (const Bucket& bucket : buckets)
        for (const GroupId group : groups_of(bucket.actions))
            if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
    return groups;
}

std::vector<GroupId> named_by(const Buckets& buckets) {
    std::vector<GroupId> groups = sent_to(buckets);
    for (const Bucket& bucket : buckets)
        if (bucket.watch_group != group::kAny) groups.push_back(bucket.watch_group);
    return groups;
}

}  // namespace raicho::openflow
