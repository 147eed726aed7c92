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
#include "openflow/message.h"
#include "openflow/queue.h"
#include "shm/arena.h"

namespace raicho::agent {

/// An egress queue of a port (shm/queue.h). Rates are in bits a second of whole frames without FCS.
struct QueueSpec {
    std::uint32_t id = 0;        // below 0xffffffff, one of a kind in its port
    std::uint16_t priority = 0;  // higher ones are served first
    std::uint16_t weight = 0;    // share among equal priorities, 0 = as its min_bps
    std::uint64_t min_bps = 0;   // guaranteed before any priority, 0 = none
    std::uint64_t max_bps = 0;   // limit, 0 = none
    friend bool operator==(const QueueSpec&, const QueueSpec&) = default;
};

/// What a port shall be.
struct PortSpec {
    BridgeId bridge;
    PortNo number;
    std::string name;
    shm::PortKind kind{};
    std::string device;
    std::uint16_t mtu = 0;     // 0 = leave as it is
    std::uint16_t queues = 0;  // 0 = one a worker
    std::optional<Mac> mac;
    enum class Force : bool { no, yes } force = Force::no;
    enum class Admin : bool { down, up } admin = Admin::up;
    std::vector<QueueSpec> egress;  // at most shm::kPortQueues; none: no queueing at all
    std::uint64_t egress_bps = 0;   // of all of them, 0 = the device's speed
    friend bool operator==(const PortSpec&, const PortSpec&) = default;
};

/// A consistent copy of a port's status row.
struct PortCondition {
    shm::PortHealth health = shm::PortHealth::closed;
    std::uint32_t mtu = 0;
    std::uint32_t speed_mbps = 0;
    std::uint16_t queues = 0;
    Mac mac;
    std::string text;
};

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
    /// Changes mtu, mac, force, admin state, egress queues; the rest must be equal. A queue that
    /// stays keeps its counters.
    void change(PortSlot slot, const PortSpec& spec);
    /// The whole OFPPC_* word; not told as a change.
    void set_config(PortSlot slot, std::uint32_t config);

    /// Attached ports of the bridge in ascending order of numbers.
    [[nodiscard]] std::vector<PortSlot> of_bridge(BridgeId bridge) const;
    [[nodiscard]] std::optional<PortSlot> find(BridgeId bridge, PortNo number) const;
    [[nodiscard]] std::optional<PortSlot> find(BridgeId bridge, std::string_view name) const;
    [[nodiscard]] std::size_t n_attached() const;
    [[nodiscard]] std::size_t n_used() const;

    /// What the row says; kept by a restart.
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
    void write_queues(PortSlot slot, const PortSpec& spec);
    void read_queues(PortSlot slot, PortSpec& spec) const;
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
    TimerId timer_{};
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

/// `up`, `absent: no interface h1-br`, `failed: …`, `no dataplane`.
[[nodiscard]] std::string to_text(const PortCondition& condition);
/// OFPPF_* of a speed (OF 1.3.5 §7.2.1), 0 when unknown.
[[nodiscard]] std::uint32_t port_features(std::uint32_t speed_mbps);

}  // namespace raicho::agent
