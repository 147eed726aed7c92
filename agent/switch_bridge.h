// SPDX-License-Identifier: Apache-2.0
// One bridge: joins its datapath (what messages mean), its flows in the arena, its plane and its
// channels, keeps the datapath's times and the dataplane's mode. The switch (switch.h) owns it.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <vector>

#include "agent/channel/channel.h"
#include "agent/compiler/arena_flow_store.h"
#include "agent/compiler/arena_group_store.h"
#include "agent/compiler/arena_meter_store.h"
#include "agent/model/datapath.h"
#include "agent/model/fail_mode.h"
#include "agent/plane/plane_link.h"

namespace raicho::agent {

/// What all bridges of a switch share.
struct BridgeContext {
    boost::asio::any_io_executor executor;
    Loop& loop;
    shm::AgentArena& arena;
    ArenaSpace& space;
    PlaneLink& plane;
    ConnectionNumbers& numbers;
    std::string version;
};

class Bridge final : private ChannelHandler {
  public:
    enum class Origin : std::uint8_t { made, adopted };

    /// Takes the record `id`, whose name and dpid are written. An adopted bridge keeps its mode
    /// until a named controller is back or has had time to come back.
    Bridge(BridgeContext& context, BridgeId id, FailMode mode, Origin origin);
    ~Bridge();
    Bridge(const Bridge&) = delete;
    Bridge& operator=(const Bridge&) = delete;

    [[nodiscard]] BridgeId id() const { return id_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] FailMode fail_mode() const { return fail_mode_; }
    void set_fail_mode(FailMode mode);
    /// What the bridge may use. Error: it uses more than that now, with the numbers.
    [[nodiscard]] Result<void> set_share(const Share& share);
    /// How its tables are searched where their flows allow it; none: as suits each.
    void set_template(shm::Template wanted) { store_.set_template(wanted); }
    /// Flows that are there and do not count in the share until the next call.
    void lend_room(std::vector<FlowId> leaving);
    /// Whether a controller, or a person like one, has sent what may change flows, groups, meters.
    [[nodiscard]] bool changed_by_others() const { return changed_by_others_; }
    void note_change_by_others() { changed_by_others_ = true; }
    /// Sessions end and begin anew: a controller knows a datapath by its id.
    void set_dpid(Dpid dpid);

    [[nodiscard]] Channel& channel() { return *channel_; }
    [[nodiscard]] const Channel& channel() const { return *channel_; }
    [[nodiscard]] Datapath& datapath() { return *datapath_; }
    [[nodiscard]] const Datapath& datapath() const { return *datapath_; }
    [[nodiscard]] const Plane& plane() const { return *plane_; }
    [[nodiscard]] const ArenaFlowStore& flows() const { return store_; }
    [[nodiscard]] const GroupStore& groups() const { return groups_; }
    [[nodiscard]] const shm::BridgeRecord& record() const {
        return std::as_const(context_.arena).bridge(id_);
    }

    void packet_in(const PacketInEvent& event);
    void port_changed(openflow::PortReason reason, const openflow::PortDesc& desc);
    [[nodiscard]] openflow::OfResult<void> flow_mod(const openflow::FlowMod& mod);
    [[nodiscard]] openflow::OfResult<void> change(const openflow::GroupMod& mod);
    [[nodiscard]] openflow::OfResult<void> change(const openflow::MeterMod& mod);
    /// About once a second: harvest of counters.
    void tend();
    /// Ends all sessions, removes the flows and the record's mode: nothing forwards any more.
    void retire();

  private:
    void session_up(ConnectionId connection) override;
    void auxiliary_up(ConnectionId connection, ConnectionId main,
                      std::uint8_t auxiliary_id) override;
    void session_down(ConnectionId connection) override;
    void message(ConnectionId connection, std::uint32_t xid, const openflow::Message& message,
                 Bytes raw) override;
    [[nodiscard]] bool accepts(ConnectionId connection) const override;
    void drained(ConnectionId connection) override;
    void controllers_changed() override;

    [[nodiscard]] std::unique_ptr<Datapath> make_datapath();
    void touch();
    void settle();
    void update_mode();
    template <class Counts>
    [[nodiscard]] std::size_t n_staying(TableId table, const Counts& counts) const;
    /// Its share with the room that is lent.
    [[nodiscard]] Share lent_share() const;

    BridgeContext& context_;
    BridgeId id_;
    std::string name_;
    FailMode fail_mode_;
    Share share_{};
    std::vector<FlowId> leaving_{};  // sorted; see lend_room()
    bool changed_by_others_;
    bool mode_held_;
    ArenaFlowStore store_;
    ArenaGroupStore groups_;
    ArenaMeterStore meters_;
    std::unique_ptr<Plane> plane_;
    std::unique_ptr<Datapath> datapath_;
    std::unique_ptr<Channel> channel_;
    bool touched_ = false;
    unsigned n_polls_ = 0;
    TimerId tick_timer_{};
    TimerId hold_timer_{};
};

}  // namespace raicho::agent
