// SPDX-License-Identifier: Apache-2.0
// OpenFlow port numbers for ports whose user gave none (house.md, "OpenFlow port numbers").
#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "dsl/model/config.h"

namespace raicho::dsl {

namespace {

void assign(BridgeConfig& bridge, const BridgeConfig* live) {
    std::set<PortNo> taken;
    std::vector<PortConfig*> open;
    for (PortConfig& p : bridge.ports) {
        if (p.number)
            taken.insert(*p.number);
        else
            open.push_back(&p);
    }
    if (open.empty()) return;
    std::unordered_map<std::string_view, const PortConfig*> known;
    if (live != nullptr)
        for (const PortConfig& p : live->ports) known.emplace(p.name, &p);
    // Live ports first, so that a new one never takes the number of one that stays.
    for (PortConfig*& p : open) {
        const auto before = known.find(p->name);
        if (before == known.end() || before->second->device != p->device) continue;
        if (!before->second->number || !taken.insert(*before->second->number).second) continue;
        p->number = before->second->number;
        p = nullptr;
    }
    std::erase(open, nullptr);
    std::ranges::sort(open, [](const PortConfig* a, const PortConfig* b) {
        return natural_less(a->name, b->name);
    });
    std::uint32_t next = 1;
    for (PortConfig* p : open) {
        while (!taken.insert(PortNo(next)).second) ++next;
        p->number = PortNo(next);
    }
}

}  // namespace

void assign_port_numbers(Config& config, const Config& live) {
    for (BridgeConfig& bridge : config.bridges) assign(bridge, live.find_bridge(bridge.name));
}

}  // namespace raicho::dsl
