// SPDX-License-Identifier: Apache-2.0
// What actions and instructions may name in one datapath as it is now: groups, meters, queues,
// tables. Ports are not here: one that does not exist yet may be named (action_check.h).
#pragma once

#include "agent/model/group_store.h"
#include "agent/model/meter_store.h"
#include "agent/model/plane.h"

namespace raicho::agent {

/// A null pointer: there are none; without a plane every table exists.
struct Targets {
    const GroupStore* groups = nullptr;
    const MeterStore* meters = nullptr;
    const Plane* plane = nullptr;

    [[nodiscard]] bool has(GroupId group) const { return groups && groups->contains(group); }
    [[nodiscard]] bool has(MeterId meter) const { return meters && meters->contains(meter); }
    [[nodiscard]] bool has(TableId table) const {
        return table != kAllTables && (!plane || !plane->table_setup(table).removed);
    }
    /// Whether any port has a queue of that number.
    [[nodiscard]] bool has_queue(std::uint32_t queue) const;
};

}  // namespace raicho::agent
