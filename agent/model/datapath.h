// SPDX-License-Identifier: Apache-2.0
// One OpenFlow datapath (one bridge): what each message of a controller does and answers, expiry,
// and what controllers are told. Sans-I/O: messages, events and the time come as arguments, answers
// go to an Outbox. Not here: bytes and hello (agent/channel), tables (agent/compiler), NICs.
#pragma once

#include <vector>

#include "agent/model/flow_entries.h"
#include "agent/model/flow_store.h"
#include "agent/model/group_entries.h"
#include "agent/model/meter_entries.h"
#include "agent/model/outbox.h"
#include "agent/model/plane.h"
#include "agent/model/session.h"
#include "agent/model/tables.h"
#include "agent/model/targets.h"
#include "agent/model/types.h"

namespace raicho::agent {

/// What a datapath says about itself (OF 1.3.5 §7.3.1, §7.3.5.1).
struct DatapathIdentity {
    Dpid dpid;
    openflow::Desc desc;
    std::uint32_t max_flows = 0;  // what a table could hold, for table-features
};

/// The entries of one datapath.
struct Stores {
    FlowStore& flows;
    GroupStore& groups;
    MeterStore& meters;
};

class Datapath {
  public:
    /// Adopts what `stores` hold already: timeouts of flows run on from their creation and last
    /// packet. Stores and plane outlive the datapath.
    Datapath(DatapathIdentity identity, const Stores& stores, Plane& plane, Time now);
    ~Datapath() = default;
    Datapath(const Datapath&) = delete;
    Datapath& operator=(const Datapath&) = delete;

    /// After the hello exchange of a connection.
    void connected(ConnectionId connection, Time now);
    /// After the hello exchange of an auxiliary connection (1 to 255) of a controller whose main
    /// connection is connected. It carries requests and their answers; role and asynchronous
    /// messages are the main connection's (OF 1.3.5 §6.3.6).
    void connected_auxiliary(ConnectionId connection, ConnectionId main, std::uint8_t auxiliary_id,
                             Time now);
    /// Forgets the connection with all that waits for it. Auxiliary ones are to be closed first.
    void disconnected(ConnectionId connection, Time now);
    /// The main connections.
    [[nodiscard]] std::vector<ConnectionId> connections() const;
    /// Of a connection that is connected.
    [[nodiscard]] openflow::ControllerRole role(ConnectionId connection) const;

    /// One message of a connected controller, `raw` its bytes (for errors; used in the call only).
    /// Answers everything but hello, error and echo reply, which are the channel's. Messages behind
    /// a barrier or a paused multipart reply wait here; echo requests never wait. A flow-mod,
    /// group-mod or meter-mod waits, with all behind it, while its store is not ready, and once for
    /// rows on their way back to it; a packet-out up to a second for room in the ring.
    void handle(ConnectionId connection, std::uint32_t xid, const openflow::Message& message,
                Bytes raw, Time now, Outbox& outbox);
    /// False while enough of this connection's messages wait: stop reading its socket until a
    /// tick() changes it. What was read already may still be handed in.
    [[nodiscard]] bool accepts(ConnectionId connection) const;

    /// A packet for the controllers.
    void packet_in(const PacketInEvent& event, Outbox& outbox);
    /// A port came, went, or changed state by itself (not by port-mod).
    void port_changed(openflow::PortReason reason, const openflow::PortDesc& desc, Outbox& outbox);

    /// Expiry, barriers, flow-removed, paused replies and what waits behind them. Due at
    /// next_tick(), soon (about 100 us) while wants_poll(), and when a connection that was not
    /// writable becomes so.
    void tick(Time now, Outbox& outbox);
    [[nodiscard]] Time next_tick() const { return entries_.next_expiry(); }
    /// A barrier, a flow-mod or a leaving flow waits for workers, or a long reply goes on in
    /// slices.
    [[nodiscard]] bool wants_poll() const;

    /// A flow-mod from the configuration or the shell: the same checks and effects.
    [[nodiscard]] openflow::OfResult<void> flow_mod(const openflow::FlowMod& mod, Time now);
    /// What flow_mod() would answer, short of a lack of room; changes nothing.
    [[nodiscard]] openflow::OfResult<void> test_flow(const openflow::FlowMod& mod) const {
        return entries_.test(mod);
    }
    /// The flows that a modify or delete means.
    [[nodiscard]] std::vector<FlowId> selected(const openflow::FlowMod& mod) const {
        return entries_.selected(mod);
    }
    /// The same for groups and meters.
    [[nodiscard]] openflow::OfResult<void> group_mod(const openflow::GroupMod& mod, Time now);
    [[nodiscard]] openflow::OfResult<void> meter_mod(const openflow::MeterMod& mod, Time now);
    /// Puts back what stood before a flow_mod() that is taken back.
    [[nodiscard]] openflow::OfResult<void> restore_flow(const FlowHead& head,
                                                        const openflow::Match& match,
                                                        const openflow::Instructions& instructions);
    /// A packet-out from the shell.
    [[nodiscard]] openflow::OfResult<void> packet_out(const openflow::PacketOut& message);
    /// A port-mod from the shell; controllers hear of it.
    [[nodiscard]] openflow::OfResult<void> port_mod(const openflow::PortMod& mod, Outbox& outbox);

    /// From now on; what is there stays though it be more.
    void set_share(const Share& share) { targets_.share = share; }

    [[nodiscard]] const DatapathIdentity& identity() const { return identity_; }
    [[nodiscard]] const FlowStore& store() const { return stores_.flows; }
    [[nodiscard]] const GroupEntries& groups() const { return groups_; }
    [[nodiscard]] const MeterEntries& meters() const { return meters_; }

  private:
    [[nodiscard]] Session& session(ConnectionId connection);
    [[nodiscard]] Session& main_of(const Session& session) { return this->session(session.main()); }
    void serve(Session& session, std::uint32_t xid, const openflow::Message& message, Bytes raw,
               Outbox& outbox);
    [[nodiscard]] openflow::OfResult<void> answer(Session& session, std::uint32_t xid,
                                                  const openflow::Message& message, Outbox& outbox);
    [[nodiscard]] openflow::OfResult<void> answer_multipart(
        Session& session, std::uint32_t xid, const openflow::MultipartRequest& request,
        Outbox& outbox);
    [[nodiscard]] openflow::OfResult<void> answer_tables(Session& session, std::uint32_t xid,
                                                         const openflow::MultipartRequest& request,
                                                         Outbox& outbox);
    [[nodiscard]] openflow::OfResult<void> configure(const openflow::SetConfig& config);
    [[nodiscard]] openflow::OfResult<openflow::RoleReply> take_role(
        Session& session, const openflow::RoleRequest& request);
    [[nodiscard]] std::uint32_t capabilities() const;
    [[nodiscard]] TableAbility table_ability() const;
    [[nodiscard]] bool ready_for(const openflow::Message& message);
    [[nodiscard]] bool room_comes(const openflow::OfpError& error) const;
    /// Sends an asynchronous message to every controller that wants it.
    void tell(const openflow::Message& message, Outbox& outbox);
    void advance(Session& session, Outbox& outbox);
    [[nodiscard]] bool finished(Session& session, Outbox& outbox);
    void hold(Session& session, std::uint32_t xid, const openflow::Message& message, Bytes raw);
    [[nodiscard]] bool release(Session& session, Outbox& outbox);
    [[nodiscard]] bool due(const HeldMessage& held, Outbox& outbox);
    [[nodiscard]] bool finds_room_soon(const openflow::Message& message,
                                       const openflow::OfpError& error) const;
    [[nodiscard]] PendingBarrier barrier(std::uint32_t xid);
    [[nodiscard]] bool passed(const PendingBarrier& barrier, Outbox& outbox);
    void give_removed(Outbox& outbox);

    DatapathIdentity identity_;
    Stores stores_;
    Plane& plane_;
    Targets targets_;  // before those that refer to it
    FlowEntries entries_;
    GroupEntries groups_;
    MeterEntries meters_;
    Generation generation_;
    Time now_;
    std::vector<Session> sessions_;
    std::vector<ConnectionId> entitled_;  // of the message under way
    std::size_t n_ticks_ = 0;
};

}  // namespace raicho::agent
