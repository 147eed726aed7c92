// SPDX-License-Identifier: Apache-2.0
// What actions and instructions may name in one datapath as it is now: groups, meters, queues,
// tables.
#pragma once

#include <cstdint>
#include <string>

#include "agent/model/group_store.h"
#include "agent/model/meter_store.h"
#include "agent/model/plane.h"
#include "openflow/targets.h"

namespace raicho::agent {

/// What of the switch a bridge may use.
struct Share {
    std::uint32_t max_flows = ~0u;
    std::size_t n_tables = kTables;
    friend bool operator==(const Share&, const Share&) = default;
};

/// A null pointer: there are none; without a plane every table exists.
struct Targets final : openflow::Targets {
    Targets() = default;
    Targets(const GroupStore* the_groups, const MeterStore* the_meters, const Plane* the_plane)
        : groups(the_groups), meters(the_meters), plane(the_plane) {}

    const GroupStore* groups = nullptr;
    const MeterStore* meters = nullptr;
    const Plane* plane = nullptr;
    Share share{};

    [[nodiscard]] bool has(GroupId group) const override {
        return groups != nullptr && groups->contains(group);
    }
    [[nodiscard]] bool has(MeterId meter) const override {
        return meters != nullptr && meters->contains(meter);
    }
    [[nodiscard]] bool has(TableId table) const override {
        return table.value() < share.n_tables &&
               (plane == nullptr || !plane->table_setup(table).removed);
    }
    /// Of a table that there is not.
    [[nodiscard]] std::string why_no(TableId table) const;
    [[nodiscard]] bool has_queue(std::uint32_t queue) const override {
        return plane != nullptr && plane->has_queue(queue);
    }
    [[nodiscard]] openflow::Buckets buckets(GroupId group) const override {
        return groups->buckets(group);
    }
};

}  // namespace raicho::agent
