// SPDX-License-Identifier: Apache-2.0
// The forwarding plane as the agent sees it: one arena, one dataplane. Takes packet-ins out of the
// rings, puts packet-outs in, knows when a barrier has passed, and keeps the ports. Gives each
// bridge its Plane. Flow tables are not here (agent/compiler).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/model/plane.h"
#include "agent/plane/control_client.h"
#include "agent/plane/port_rows.h"
#include "shm/arena.h"

namespace raicho::agent {

class PlaneLink {
  public:
    struct Events {
        std::function<void(BridgeId, const PacketInEvent&)> packet_in;
        std::function<void(BridgeId, openflow::PortReason, const openflow::PortDesc&)> port_changed;
        /// The dataplane came or went.
        std::function<void()> dataplane_changed;
    };
    /// `loop` and `arena` outlive the link.
    [[nodiscard]] static Result<std::unique_ptr<PlaneLink>> open(Loop& loop, shm::AgentArena& arena,
                                                                 const std::string& rundir,
                                                                 Events events);
    ~PlaneLink();
    PlaneLink(const PlaneLink&) = delete;
    PlaneLink& operator=(const PlaneLink&) = delete;

    /// The Plane of a bridge; must not outlive the link.
    [[nodiscard]] std::unique_ptr<Plane> bridge(BridgeId id);

    [[nodiscard]] PortRows& ports() { return *ports_; }
    [[nodiscard]] const PortRows& ports() const { return *ports_; }
    [[nodiscard]] const ControlClient& control() const { return *control_; }
    [[nodiscard]] ControlClient& control() { return *control_; }
    /// Packet-ins taken from a worker since the agent's start.
    [[nodiscard]] std::uint64_t packet_ins(WorkerId worker) const {
        return n_packet_ins_.at(worker.value());
    }

  private:
    class BridgePlane;
    struct Barrier {
        std::uint64_t id;
        shm::GraceToken grace;
        std::uint64_t position;
    };

    PlaneLink(Loop& loop, shm::AgentArena& arena, Events events);
    void drain();
    [[nodiscard]] bool hand_in(std::span<const std::byte> record);
    void lost();
    [[nodiscard]] openflow::OfResult<void> packet_out(BridgeId bridge, PortNo in_port,
                                                      const openflow::ActionList& actions,
                                                      Bytes frame);
    [[nodiscard]] bool dataplane_there() const;
    [[nodiscard]] BarrierToken barrier_token();
    [[nodiscard]] bool barrier_passed(BarrierToken token);

    Loop& loop_;
    shm::AgentArena& arena_;
    Events events_;
    std::vector<shm::RingConsumer> packet_ins_;
    std::vector<std::uint64_t> n_packet_ins_;
    shm::RingProducer packet_outs_;
    std::unique_ptr<ControlClient> control_;
    std::unique_ptr<PortRows> ports_;
    std::uint64_t last_barrier_ = 0;
    std::uint64_t passed_barrier_ = 0;
    std::deque<Barrier> barriers_;
    std::size_t next_ring_ = 0;
    TimerId drain_timer_{};
    TimerId lost_timer_{};
};

}  // namespace raicho::agent
