// SPDX-License-Identifier: Apache-2.0
// What the model asks of the forwarding plane of its bridge, and what the plane tells it.
// Production: agent/plane over the arena; tests: a fake. One Plane belongs to one bridge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/model/types.h"
#include "base/bytes.h"
#include "openflow/action.h"
#include "openflow/error.h"
#include "openflow/message.h"

namespace raicho::agent {

/// A point in the stream of changes and packet-outs; tokens of one plane grow.
using BarrierToken = Id<struct BarrierTokenTag, std::uint64_t>;

/// OFPT_SET_CONFIG's values (OF 1.3.5 §7.3.2).
struct SwitchConfig {
    std::uint16_t flags = 0;  // OFPC_FRAG_*
    std::uint16_t miss_send_len = 128;
    friend bool operator==(const SwitchConfig&, const SwitchConfig&) = default;
};

/// What a flow table was set up to be by table features (OF 1.3.5 §7.3.5.5).
struct TableSetup {
    bool removed = false;           // taken out of the pipeline: no flow can be in it
    std::string name;               // at most 31 bytes
    std::uint32_t max_entries = 0;  // 0 = as many as the switch can hold
    friend bool operator==(const TableSetup&, const TableSetup&) = default;
};

/// A packet that a worker sent to the controllers.
struct PacketInEvent {
    /// no_match also for the output action of a table-miss entry (OF 1.3.5 §5.4).
    openflow::PacketInReason reason{};
    TableId table;
    std::uint64_t cookie = ~0ull;  // all ones: no flow
    PortNo in_port;
    PortNo in_phy_port;  // 0 or equal to in_port: not told
    std::uint64_t metadata = 0;
    std::uint64_t tunnel_id = 0;
    std::uint32_t total_size = 0;  // the whole frame
    Bytes data;                    // what the action's max_len (or miss_send_len) left of it
};

/// The error of a packet-out that finds no room or no dataplane. OF 1.3.5 §7.4.4.2 has no code for
/// it; OFPBRC_EPERM blames neither the packet, the port nor a buffer id.
inline constexpr openflow::BadRequest kCannotSend = openflow::BadRequest::eperm;

class Plane {
  public:
    virtual ~Plane() = default;

    /// Ports of the bridge in ascending order of numbers, LOCAL included, with their OFPPC_*
    /// config and OFPPS_* state.
    [[nodiscard]] virtual std::vector<openflow::PortDesc> ports() const = 0;
    [[nodiscard]] virtual std::optional<openflow::PortDesc> port(PortNo number) const = 0;
    [[nodiscard]] virtual std::optional<openflow::PortStats> port_stats(PortNo number) const = 0;
    /// The whole OFPPC_* word of a port that exists. Raises no port_changed(): the model tells the
    /// controllers itself.
    virtual void set_port_config(PortNo number, std::uint32_t config) = 0;

    /// Queues of the port in ascending order of numbers, as the configuration says; rates in 1/10
    /// of a percent of the port's speed.
    [[nodiscard]] virtual std::vector<openflow::QueueDesc> queues(PortNo number) const = 0;
    /// Whether a port of the bridge has a queue of that number; one that is open and about to be
    /// attached counts, so that flows may come before it.
    [[nodiscard]] virtual bool has_queue(std::uint32_t queue) const = 0;
    /// Nothing when the port has no such queue.
    [[nodiscard]] virtual std::optional<openflow::QueueStats> queue_stats(
        PortNo number, std::uint32_t queue) const = 0;

    /// Lies in the arena, so it survives the agent.
    [[nodiscard]] virtual TableSetup table_setup(TableId table) const = 0;
    virtual void set_table_setup(TableId table, const TableSetup& setup) = 0;

    /// Lies in the arena, so it survives the agent.
    [[nodiscard]] virtual SwitchConfig switch_config() const = 0;
    virtual void set_switch_config(SwitchConfig config) = 0;

    /// Sends `frame` through `actions`; in_port is an existing port or OFPP_CONTROLLER, the actions
    /// are checked. Errors: BadAction for what cannot be compiled, kCannotSend when the workers are
    /// behind or not there (then nothing was sent).
    [[nodiscard]] virtual openflow::OfResult<void> packet_out(PortNo in_port,
                                                              const openflow::ActionList& actions,
                                                              Bytes frame) = 0;

    /// Whether a full ring may have room soon: there is a dataplane to empty it.
    [[nodiscard]] virtual bool takes_packets() const = 0;

    /// Marks now: all that the store published and all packet-outs so far.
    [[nodiscard]] virtual BarrierToken barrier_token() = 0;
    /// Every online worker has passed a quiescent state and consumed the packet-outs before the
    /// mark; true at once without a dataplane. Never blocks.
    [[nodiscard]] virtual bool barrier_passed(BarrierToken token) const = 0;
};

}  // namespace raicho::agent
