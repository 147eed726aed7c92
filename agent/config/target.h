// SPDX-License-Identifier: Apache-2.0
// What a commit acts on: the live switch as the commit engine sees it. Implemented by
// agent/switch (and by a fake in the tests); knows nothing of texts, plans or order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "dsl/model/config.h"
#include "openflow/message.h"

namespace raicho::agent::config {

/// The slot of a port that is open outside every bridge, or why it could not be opened.
using PortPrepared = std::function<void(Result<PortSlot>)>;

/// Takes back what was done.
using Undo = std::function<void()>;

/// What became of a group or meter that the configuration no longer has.
enum class Removal : std::uint8_t { gone, in_use };

/// All calls and callbacks run on the agent's loop. Fallible calls change nothing when they fail.
/// Every PortConfig that arrives here has its number. The engine runs one commit at a time and
/// calls in this order: fallible steps first, each with an inverse; then what cannot fail.
class Target {
  public:
    virtual ~Target() = default;

    /// What lives already (adopted from the arena): bridges with the settings, the attached ports
    /// (device as af_packet, tap, null or ethdev with what is opened, number, mtu, admin, force)
    /// and the local interface that the arena knows; no connections, no flows.
    [[nodiscard]] virtual dsl::Config live() const = 0;

    /// Whether anybody but a commit may have changed flows, groups or meters of the bridge.
    [[nodiscard]] virtual bool changed_by_others(std::string_view bridge) const = 0;
    /// Whether the bridge has the entry as it is given here, command add.
    [[nodiscard]] virtual bool has_flow(std::string_view bridge,
                                        const openflow::FlowMod& flow) const = 0;
    [[nodiscard]] virtual bool has_group(std::string_view bridge,
                                         const openflow::GroupMod& group) const = 0;
    [[nodiscard]] virtual bool has_meter(std::string_view bridge,
                                         const openflow::MeterMod& meter) const = 0;

    /// Creates an empty bridge from its own settings (name, dpid, fail mode, MAC table, its share
    /// of flows and tables, their template); ports, local, controllers, listens and entries follow
    /// by their own calls. `fail_mode` is always set; a dpid may for the time of the commit still
    /// belong to a bridge that will be deleted.
    [[nodiscard]] virtual Result<void> create_bridge(const dsl::BridgeConfig& bridge) = 0;
    /// Deletes the bridge with everything that is in it.
    virtual void delete_bridge(std::string_view bridge) = 0;
    /// Until the next call the flows of `leaving` are not counted in the bridge's share: the commit
    /// will remove them when it is certain, and then calls with none.
    virtual void lend_room(std::string_view bridge,
                           const std::vector<const openflow::FlowMod*>& leaving) = 0;
    /// Changes own settings (dpid, effective fail mode, MAC table, share, template); fails when the
    /// bridge uses more than its new share.
    [[nodiscard]] virtual Result<void> change_bridge(const dsl::BridgeConfig& before,
                                                     const dsl::BridgeConfig& after) = 0;

    /// Opens the port's device outside every bridge and calls `done` once, now or later. Name and
    /// number may still belong to a live port, which remove_port() then takes away before attach.
    /// An interface that does not exist is no failure: the port is absent until it appears.
    virtual void prepare_port(std::string_view bridge, const dsl::PortConfig& port,
                              PortPrepared done) = 0;
    /// The same for the bridge's own interface (OFPP_LOCAL).
    virtual void prepare_local(std::string_view bridge, const dsl::LocalConfig& local,
                               PortPrepared done) = 0;
    /// Puts a prepared port into the bridge it was prepared for; fails when its number is taken,
    /// then it stays prepared.
    [[nodiscard]] virtual Result<void> attach_port(PortSlot slot) = 0;
    /// Closes a prepared port that was not attached.
    virtual void abort_port(PortSlot slot) = 0;
    /// Takes an attached port out of its bridge and closes it.
    virtual void remove_port(std::string_view bridge, std::string_view port) = 0;
    virtual void remove_local(std::string_view bridge) = 0;
    /// Changes what a port can be changed in while it forwards (mtu, admin state, description,
    /// force, VLANs, policer, egress queues); name, number, device and queues are equal.
    [[nodiscard]] virtual Result<void> change_port(std::string_view bridge,
                                                   const dsl::PortConfig& before,
                                                   const dsl::PortConfig& after) = 0;
    [[nodiscard]] virtual Result<void> change_local(std::string_view bridge,
                                                    const dsl::LocalConfig& before,
                                                    const dsl::LocalConfig& after) = 0;

    /// The static entries of the bridge's MAC table, all of them; one whose port is not attached is
    /// left out. Fails when the table is full where one belongs; then some may be missing.
    [[nodiscard]] virtual Result<void> set_static_macs(std::string_view bridge,
                                                       std::span<const dsl::StaticMac> entries) = 0;

    /// Begins to connect; a controller that does not answer is no failure.
    [[nodiscard]] virtual Result<void> add_controller(std::string_view bridge,
                                                      const dsl::ControllerConfig& controller) = 0;
    virtual void remove_controller(std::string_view bridge,
                                   const dsl::ControllerConfig& controller) = 0;
    /// Changes probe and back-off of a live controller, or connects it anew from another source
    /// address; host and port are equal.
    virtual void change_controller(std::string_view bridge, const dsl::ControllerConfig& before,
                                   const dsl::ControllerConfig& after) = 0;
    /// Binds and listens; fails when the address cannot be bound.
    [[nodiscard]] virtual Result<void> add_listen(std::string_view bridge,
                                                  const dsl::ListenConfig& listen) = 0;
    virtual void remove_listen(std::string_view bridge, const dsl::ListenConfig& listen) = 0;

    /// Calls `ready` once, now or later, when flows can be added: no worker holds what an earlier
    /// agent left, and the room of flows deleted before is free again.
    virtual void when_flows_ready(std::function<void()> ready) = 0;
    /// Calls `go_on` in a later turn of the loop, after what waits there.
    virtual void soon(std::function<void()> go_on) = 0;
    /// An entry from the configuration, command add; replaces an identical one. Undo leaves what
    /// stood there before: nothing, or an entry whose age and counters go on.
    [[nodiscard]] virtual Result<Undo> add_flow(std::string_view bridge,
                                                const openflow::FlowMod& flow) = 0;
    /// `flow` with command remove_strict. An entry that a controller has changed or added in its
    /// place stays.
    virtual void remove_flow(std::string_view bridge, const openflow::FlowMod& flow) = 0;

    /// A group from the configuration, added, or changed where there is one of its number. Undo
    /// leaves what stood there before.
    [[nodiscard]] virtual Result<Undo> set_group(std::string_view bridge,
                                                 const openflow::GroupMod& group) = 0;
    /// One that is not as `group` says belongs to a controller now: it stays. So does one that is
    /// in use.
    virtual Removal remove_group(std::string_view bridge, const openflow::GroupMod& group) = 0;
    /// The same for a meter.
    [[nodiscard]] virtual Result<Undo> set_meter(std::string_view bridge,
                                                 const openflow::MeterMod& meter) = 0;
    virtual Removal remove_meter(std::string_view bridge, const openflow::MeterMod& meter) = 0;

    /// System name, log, and the dataplane's settings for its next start. `before` are the
    /// settings in force.
    [[nodiscard]] virtual Result<void> change_settings(const dsl::Config& before,
                                                       const dsl::Config& after) = 0;
};

}  // namespace raicho::agent::config
