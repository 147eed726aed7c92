// SPDX-License-Identifier: Apache-2.0
// What the API asks of the switch for a person who acts like a controller: flows, groups and meters
// by hand, and restarts of its parts. Tests give a fake; agent/switch_operator.h is the production
// one.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "openflow/error.h"
#include "openflow/message.h"

namespace raicho::agent::api {

/// What a group-mod or meter-mod did.
struct EntriesChanged {
    std::size_t entries = 0;  // groups or meters that it modified or deleted
    std::size_t flows = 0;    // flows that went with them
};

class OperatorDoor {
  public:
    virtual ~OperatorDoor() = default;

    /// A flow-mod, with the answer that a controller would get: how many flows it replaced,
    /// modified or deleted. The bridge exists.
    [[nodiscard]] virtual openflow::OfResult<std::size_t> flow_mod(
        std::string_view bridge, const openflow::FlowMod& mod) = 0;
    /// The same without doing it.
    [[nodiscard]] virtual openflow::OfResult<std::size_t> test_flow(
        std::string_view bridge, const openflow::FlowMod& mod) const = 0;

    /// A group-mod or meter-mod, likewise.
    [[nodiscard]] virtual openflow::OfResult<EntriesChanged> entry_mod(
        std::string_view bridge, const openflow::GroupMod& mod) = 0;
    [[nodiscard]] virtual openflow::OfResult<EntriesChanged> entry_mod(
        std::string_view bridge, const openflow::MeterMod& mod) = 0;

    /// Ends the OpenFlow connections of a bridge, of all for an empty name; how many there were.
    virtual std::size_t restart_controllers(std::string_view bridge) = 0;
    /// Tells the dataplane to stop; whoever watches over it starts it again.
    [[nodiscard]] virtual Result<void> restart_dataplane() = 0;
    /// Soon after the call the agent begins anew, on the same arena.
    virtual void restart_agent() = 0;
};

}  // namespace raicho::agent::api
