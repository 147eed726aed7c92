// SPDX-License-Identifier: Apache-2.0
// What actions and instructions may name: the groups, meters, queues and tables that there are. A
// datapath has its own (agent/model/targets.h), a configuration the ones it says (entry_judge.h).
// Ports are not here: one that does not exist yet may be named (target_check.h).
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "openflow/group.h"

namespace raicho::openflow {

class Targets {
  public:
    virtual ~Targets() = default;

    [[nodiscard]] virtual bool has(GroupId group) const = 0;
    [[nodiscard]] virtual bool has(MeterId meter) const = 0;
    /// A table of the pipeline.
    [[nodiscard]] virtual bool has(TableId table) const = 0;
    /// Whether any port has a queue of that number.
    [[nodiscard]] virtual bool has_queue(std::uint32_t queue) const = 0;
    /// Of a group that there is.
    [[nodiscard]] virtual Buckets buckets(GroupId group) const = 0;

  protected:
    Targets() = default;
    Targets(const Targets&) = default;
    Targets& operator=(const Targets&) = default;
};

}  // namespace raicho::openflow
