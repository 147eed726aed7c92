// SPDX-License-Identifier: Apache-2.0
#include "agent/model/reference_groups.h"

#include <algorithm>

namespace raicho::agent {

using openflow::Bucket;
using openflow::GroupType;

bool ReferenceGroups::live(GroupType type, const Bucket& bucket, const LivePorts& ports) const {
    const bool watches_port = bucket.watch_port != port::kAny;
    const bool watches_group = bucket.watch_group != openflow::group::kAny;
    if (watches_port || watches_group)
        return (watches_port && ports.contains(bucket.watch_port)) ||
               (watches_group && live(bucket.watch_group, ports));
    if (type == GroupType::fast_failover) return true;
    const openflow::OutputAction* last = nullptr;
    for (const openflow::Action& action : bucket.actions) {
        if (const auto* group = std::get_if<openflow::GroupAction>(&action))
            return live(group->group, ports);
        if (const auto* output = std::get_if<openflow::OutputAction>(&action)) last = output;
    }
    const bool device = last != nullptr && (last->port <= port::kMax || last->port == port::kLocal);
    return !device || ports.contains(last->port);
}

bool ReferenceGroups::live(GroupId group, const LivePorts& ports) const {
    const auto found = groups_.find(group);
    return found != groups_.end() &&
           std::ranges::any_of(found->second.buckets, [&](const Bucket& bucket) {
               return live(found->second.type, bucket, ports);
           });
}

std::vector<std::vector<std::size_t>> ReferenceGroups::choices(GroupId group,
                                                               const LivePorts& ports) const {
    std::vector<std::vector<std::size_t>> choices;
    const auto found = groups_.find(group);
    if (found == groups_.end()) return choices;
    const auto& [type, buckets] = found->second;
    const bool weighted =
        std::ranges::any_of(buckets, [](const Bucket& bucket) { return bucket.weight != 0; });
    switch (type) {
        case GroupType::all:
        case GroupType::indirect: {
            std::vector<std::size_t> all(buckets.size());
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
            if (!all.empty()) choices.push_back(std::move(all));
            break;
        }
        case GroupType::select:
            for (std::size_t i = 0; i < buckets.size(); ++i)
                if ((buckets[i].weight != 0 || !weighted) && live(type, buckets[i], ports))
                    choices.push_back({i});
            break;
        case GroupType::fast_failover:
            for (std::size_t i = 0; i < buckets.size() && choices.empty(); ++i)
                if (live(type, buckets[i], ports)) choices.push_back({i});
            break;
    }
    return choices;
}

}  // namespace raicho::agent
