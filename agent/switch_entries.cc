// SPDX-License-Identifier: Apache-2.0
// The switch's views of groups, meters and queues. Neighbour: switch_views.cc has the rest.
#include "agent/switch.h"

namespace raicho::agent {

std::vector<GroupView> Switch::groups(std::string_view bridge) const {
    std::vector<GroupView> views;
    const Bridge* b = find(bridge);
    if (b == nullptr) return views;
    const GroupEntries& groups = b->datapath().groups();
    std::vector<openflow::GroupDesc> descs = groups.descs();
    std::vector<openflow::GroupStats> stats = groups.stats(openflow::group::kAll, loop_.now());
    for (std::size_t i = 0; i < descs.size(); ++i)  // both in ascending order
        views.push_back({std::move(descs[i]), std::move(stats.at(i))});
    return views;
}

std::vector<MeterView> Switch::meters(std::string_view bridge) const {
    std::vector<MeterView> views;
    const Bridge* b = find(bridge);
    if (b == nullptr) return views;
    const MeterEntries& meters = b->datapath().meters();
    auto configs = meters.configs(openflow::meter::kAll);
    auto stats = meters.stats(openflow::meter::kAll, loop_.now());
    if (!configs || !stats) return views;  // never: kAll is no unknown meter
    for (std::size_t i = 0; i < configs->size(); ++i)
        views.push_back({std::move((*configs)[i]), std::move(stats->at(i))});
    return views;
}

std::vector<QueueView> Switch::queues(std::string_view bridge) const {
    std::vector<QueueView> views;
    const Bridge* b = find(bridge);
    if (b == nullptr) return views;
    for (const openflow::PortDesc& port : b->plane().ports())
        for (const openflow::QueueDesc& queue : b->plane().queues(port.port))
            views.push_back(
                {port.name, queue,
                 b->plane().queue_stats(port.port, queue.queue).value_or(openflow::QueueStats{})});
    return views;
}

}  // namespace raicho::agent
