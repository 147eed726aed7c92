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
        b.max_flows = before->max_flows;
        b.max_tables = before->max_tables;
        b.table_template = before->table_template;
        b.mac_statics = before->mac_statics;
        for (dsl::PortConfig& p : b.ports) {
            const dsl::PortConfig* known = before->find_port(p.name);
            if (known == nullptr || !opens_alike(*known, p)) continue;
            p.device = known->device;
            p.queues = known->queues;
            // The arena knows no descriptions and these in its own way; a start tells them anew.
            p.description = known->description;
            p.vlan = known->vlan;
            p.policer = known->policer;
            p.egress = known->egress;
            p.max_rate_bps = known->max_rate_bps;
        }
    }
    return live;
}

}  // namespace raicho::agent::config
