// SPDX-License-Identifier: Apache-2.0
#include "agent/config/adopt.h"

#include <utility>

namespace raicho::agent::config {

namespace {

/// Whether the dataplane would open the same thing for both: the arena knows device strings only.
bool opens_alike(const dsl::PortConfig& a, const dsl::PortConfig& b) {
    const auto own = [](dsl::DeviceKind kind) {
        return kind == dsl::DeviceKind::af_packet || kind == dsl::DeviceKind::tap ||
               kind == dsl::DeviceKind::null;
    };
    if (own(a.device.kind) != own(b.device.kind)) return false;
    if (own(a.device.kind) && a.device.kind != b.device.kind) return false;
    return dsl::device_string(a) == dsl::device_string(b);
}

}  // namespace

dsl::Config adopted(const dsl::Config& saved, dsl::Config live) {
    live.system = {};
    live.log = {};
    live.agent = saved.agent;
    live.dataplane = saved.dataplane;
    for (dsl::BridgeConfig& b : live.bridges) {
        b.controllers.clear();
        b.listens.clear();
        b.flows.clear();
        const dsl::BridgeConfig* before = saved.find_bridge(b.name);
        if (before == nullptr) continue;
        if (!before->dpid) b.dpid.reset();
        for (dsl::PortConfig& p : b.ports) {
            const dsl::PortConfig* known = before->find_port(p.name);
            if (known == nullptr || !opens_alike(*known, p)) continue;
            p.device = known->device;
            p.queues = known->queues;
        }
    }
    return live;
}

}  // namespace raicho::agent::config
