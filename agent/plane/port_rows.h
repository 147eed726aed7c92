// SPDX-License-Identifier: Apache-2.0
// The ports of all bridges: writes what is wanted into the arena, has it opened and closed, reads
// what became of it, and tells when an OpenFlow port description changed. Rows outlive the agent:
// a new one adopts them. Life of a slot: free -> prepared -> attached -> closing -> free; a slot is
// used again only after a grace period and the dataplane's close.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/plane/control_client.h"
#include "agent/plane/port_spec.h"
#include "openflow/message.h"
#include "openflow/queue.h"
#include "shm/arena.h"

namespace raicho::agent {

class PortRows {
  public:
    /// A description of an attached port came, changed by itself, or went.
    using Changed = std::function<void(PortSlot, openflow::PortReason, const openflow::PortDesc&)>;
    using Done = ControlClient::Done;

    /// Adopts what is attached; what was only prepared is taken back. All outlive the rows.
    PortRows(Loop& loop, shm::AgentArena& arena, ControlClient& control, Changed changed);
    ~PortRows();
    PortRows(const PortRows&) = delete;
    PortRows& operator=(const PortRows&) = delete;

    /// Takes a slot and has the device opened outside every bridge; `done` is called later. On a
    /// failure the slot is given back already. Errors: no slot is free, a text is too long.
    [[nodiscard]] Result<PortSlot> prepare(const PortSpec& spec, Done done);
    /// Error: its number is taken in the bridge.
    [[nodiscard]] Result<void> attach(PortSlot slot);
    /// Closes a prepared port.
    void abort(PortSlot slot);
    /// Takes an attached port out of its bridge and closes it.
    void remove(PortSlot slot);
    /// Changes mtu, mac, force, admin state, VLANs, policer, egress queues and the addresses of a
    /// local port; the rest must be equal.
    /// A queue that stays keeps its counters. Workers go on all the while.
    void change(PortSlot slot, const PortSpec& spec);
    /// The whole OFPPC_* word; not told as a change.
    void set_config(PortSlot slot, std::uint32_t config);

    /// Attached ports of the bridge in ascending order of numbers.
    [[nodiscard]] std::vector<PortSlot> of_bridge(BridgeId bridge) const;
    [[nodiscard]] std::optional<PortSlot> find(BridgeId bridge, PortNo number) const;
    [[nodiscard]] std::optional<PortSlot> find(BridgeId bridge, std::string_view name) const;
    [[nodiscard]] std::size_t n_attached() const;
    [[nodiscard]] std::size_t n_used() const;

    /// What the row says, without the policer; kept by a restart.
    [[nodiscard]] PortSpec spec(PortSlot slot) const;
    [[nodiscard]] std::uint32_t config(PortSlot slot) const;
    [[nodiscard]] Time attached_at(PortSlot slot) const;
    /// `closed` while there is no dataplane to vouch for it.
    [[nodiscard]] PortCondition condition(PortSlot slot) const;
    [[nodiscard]] openflow::PortDesc desc(PortSlot slot) const;
    [[nodiscard]] openflow::PortStats stats(PortSlot slot) const;

    /// Egress queues in ascending order of numbers; the rates in 1/10 of a percent of the port's
    /// speed (OF 1.3.5 §7.2.2.1), absent where there is none or the speed is not known.
    [[nodiscard]] std::vector<openflow::QueueDesc> queues(PortSlot slot) const;
    /// Whether a port of the bridge that is prepared or attached has it.
    [[nodiscard]] bool has_queue(BridgeId bridge, std::uint32_t queue) const;
    /// Nothing when the port has no such queue.
    [[nodiscard]] std::optional<openflow::QueueStats> queue_stats(PortSlot slot,
                                                                  std::uint32_t queue) const;

    /// A dataplane came: asks for what it lacks, closes what it has too much.
    void dataplane_attached();
    /// Whether status rows mean anything: false some time after the dataplane was lost.
    enum class Vouched : bool { no, yes };
    void set_vouched(Vouched vouched);
    /// Status rows changed; kNoSlot = any. Tells what changed.
    void refresh(PortSlot slot);

  private:
    enum class Life : std::uint8_t { free, prepared, attached, closing };

    [[nodiscard]] bool valid(std::size_t slot) const { return slot < life_.size(); }
    void write(PortSlot slot, const PortSpec& spec);
    void write_changeable(PortSlot slot, const PortSpec& spec);
    void write_traffic(PortSlot slot, const PortSpec& spec);
    void read_traffic(PortSlot slot, PortSpec& spec) const;
    void open_when_free(PortSlot slot, Done opened);
    void open_waiting(PortSlot holder);
    void close(PortSlot slot);
    void finish_close(PortSlot slot);
    void poll_grace();
    void forget_addresses(PortSlot slot);
    void wake_workers() const;

    Loop& loop_;
    shm::AgentArena& arena_;
    ControlClient& control_;
    Changed changed_;
    Vouched vouched_ = Vouched::no;
    std::vector<Life> life_;
    std::vector<std::optional<openflow::PortDesc>> told_;  // of attached ports
    struct Closing {
        PortSlot slot;
        shm::GraceToken grace;
    };
    std::vector<Closing> closing_;  // waiting for their grace period
    struct Waiting {
        PortSlot holder;  // that closes
        PortSlot slot;
        Done opened;
    };
    std::vector<Waiting> waiting_;  // to be opened
    TimerId timer_{};
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

/// `up`, `absent: no interface h1-br`, `failed: …`, `no dataplane`.
[[nodiscard]] std::string to_text(const PortCondition& condition);
/// OFPPF_* of a speed (OF 1.3.5 §7.2.1), 0 when unknown.
[[nodiscard]] std::uint32_t port_features(std::uint32_t speed_mbps);

}  // namespace raicho::agent
