// SPDX-License-Identifier: Apache-2.0
#include "agent/model/datapath.h"

#include <algorithm>
#include <utility>

#include "agent/model/ports.h"
#include "base/error.h"
#include "base/text.h"

namespace raicho::agent {
namespace {

using namespace openflow;  // NOLINT: the messages of all kinds

// Work of one tick, so that no single request holds up the loop.
constexpr std::size_t kExpirySlice = 4096;
constexpr std::size_t kRemovedSlice = 4096;
constexpr std::size_t kDumpSlice = 16384;
/// How long a packet-out waits for room in the ring.
constexpr Time kLongestPacketWait = kSecond;
/// What of a waiting message is kept for an error: §7.4.4 asks for at least 64 bytes.
constexpr std::size_t kErrorBytes = 128;

/// What of a message is kept while it waits.
ByteVector kept(Bytes raw) {
    const Bytes first = raw.first(std::min(raw.size(), kErrorBytes));
    return {first.begin(), first.end()};
}

/// Whether it says that there was no room.
bool lacks_room(const OfpError& error) {
    const auto is = [&](auto code) {
        return error.type == ErrorTypeOf<decltype(code)>::value &&
               error.code == std::to_underlying(code);
    };
    return is(FlowModFailed::table_full) || is(GroupModFailed::out_of_groups) ||
           is(GroupModFailed::out_of_buckets) || is(MeterModFailed::out_of_meters);
}

}  // namespace

Datapath::Datapath(DatapathIdentity identity, const Stores& stores, Plane& plane, Time now)
    : identity_(std::move(identity)),
      stores_(stores),
      plane_(plane),
      targets_{&stores.groups, &stores.meters, &plane},
      entries_(stores.flows, targets_, now),
      groups_(stores.groups, entries_, targets_),
      meters_(stores.meters, entries_),
      now_(now) {}

void Datapath::connected(ConnectionId connection, Time now) {
    now_ = std::max(now_, now);
    ASSERT(std::ranges::find(sessions_, connection, &Session::connection) == sessions_.end());
    sessions_.emplace_back(connection, connection, std::uint8_t{0});
}

void Datapath::connected_auxiliary(ConnectionId connection, ConnectionId main,
                                   std::uint8_t auxiliary_id, Time now) {
    now_ = std::max(now_, now);
    ASSERT(!session(main).auxiliary());
    sessions_.emplace_back(connection, main, auxiliary_id);
}

void Datapath::disconnected(ConnectionId connection, Time now) {
    now_ = std::max(now_, now);
    std::erase_if(sessions_, [&](const Session& s) { return s.connection() == connection; });
    ASSERT(std::ranges::find(sessions_, connection, &Session::main) == sessions_.end());
}

std::vector<ConnectionId> Datapath::connections() const {
    std::vector<ConnectionId> main;
    for (const Session& session : sessions_)
        if (!session.auxiliary()) main.push_back(session.connection());
    return main;
}

ControllerRole Datapath::role(ConnectionId connection) const {
    const auto found = std::ranges::find(sessions_, connection, &Session::connection);
    ASSERT(found != sessions_.end());
    return std::ranges::find(sessions_, found->main(), &Session::connection)->role;
}

Session& Datapath::session(ConnectionId connection) {
    const auto found = std::ranges::find(sessions_, connection, &Session::connection);
    ASSERT(found != sessions_.end());
    return *found;
}

bool Datapath::accepts(ConnectionId connection) const {
    const auto found = std::ranges::find(sessions_, connection, &Session::connection);
    return found == sessions_.end() || found->accepts();
}

void Datapath::handle(ConnectionId connection, std::uint32_t xid, const Message& message, Bytes raw,
                      Time now, Outbox& outbox) {
    now_ = std::max(now_, now);
    Session& from = session(connection);
    // Keepalive must not hang on a barrier; an echo has no effect that order could matter to.
    const bool echo = std::holds_alternative<EchoRequest>(message);
    if (echo || !from.blocked())
        serve(from, xid, message, raw, outbox);
    else
        from.wait({xid, message, kept(raw)});
    advance(from, outbox);
}

void Datapath::serve(Session& session, std::uint32_t xid, const Message& message, Bytes raw,
                     Outbox& outbox) {
    const auto refuse = [&](const OfpError& error) {
        outbox.refuse(session.connection(), xid, error, raw);
    };
    if (main_of(session).role == ControllerRole::slave && changes(message))
        return refuse(ofp_error(BadRequest::is_slave, "a slave changes nothing").error());
    // Controllers do not repeat a change: an error is for what stays full.
    if (!ready_for(message)) return hold(session, xid, message, raw);
    const OfResult<void> result = answer(session, xid, message, outbox);
    if (result) return;
    if (room_comes(result.error()) || finds_room_soon(message, result.error()))
        return hold(session, xid, message, raw);
    refuse(result.error());
}

bool Datapath::ready_for(const Message& message) {
    if (std::holds_alternative<FlowMod>(message)) return stores_.flows.ready();
    if (std::holds_alternative<GroupMod>(message)) return stores_.groups.ready();
    if (std::holds_alternative<MeterMod>(message)) return stores_.meters.ready();
    return true;
}

bool Datapath::room_comes(const OfpError& error) const {
    return lacks_room(error) &&
           (stores_.flows.reclaims() || stores_.groups.reclaims() || stores_.meters.reclaims());
}

/// A packet-out is worth a short wait: a controller's burst, not workers that hang.
bool Datapath::finds_room_soon(const Message& message, const OfpError& error) const {
    return std::holds_alternative<PacketOut>(message) && error.type == ErrorType::bad_request &&
           error.code == std::to_underlying(kCannotSend) && plane_.takes_packets();
}

void Datapath::hold(Session& session, std::uint32_t xid, const Message& message, Bytes raw) {
    const bool packet = std::holds_alternative<PacketOut>(message);
    session.begin(HeldMessage{
        {xid, message, kept(raw)}, barrier(xid), packet ? now_ + kLongestPacketWait : kNever});
}

bool Datapath::due(const HeldMessage& held, Outbox& outbox) {
    if (now_ >= held.deadline) return true;
    return passed(held.until, outbox) && ready_for(held.held.message);
}

/// What was on its way back when the message was held has come: now its result stands, unless
/// another connection was quicker to fill the ring. False: held again.
bool Datapath::release(Session& session, Outbox& outbox) {
    HeldMessage message = std::move(*session.held());
    const WaitingMessage& m = message.held;
    const OfResult<void> result = answer(session, m.xid, m.message, outbox);
    if (result) return true;
    if (now_ < message.deadline && finds_room_soon(m.message, result.error())) {
        message.until = barrier(m.xid);
        session.begin(std::move(message));
        return false;
    }
    outbox.refuse(session.connection(), m.xid, result.error(), m.raw);
    return true;
}

/// Goes on with what is under way, then with what waits behind it.
void Datapath::advance(Session& session, Outbox& outbox) {
    for (;;) {
        if (session.occupied() && !finished(session, outbox)) return;
        const std::optional<WaitingMessage> next = session.pop_waiting();
        if (!next) return;
        serve(session, next->xid, next->message, next->raw, outbox);
    }
}

bool Datapath::finished(Session& session, Outbox& outbox) {
    if (const PendingBarrier* pending = session.barrier()) {
        if (!passed(*pending, outbox)) return false;
        outbox.send(session.connection(), pending->xid, BarrierReply{});
    } else if (const HeldMessage* held = session.held()) {
        if (!due(*held, outbox) || !release(session, outbox)) return false;
    } else if (session.go_on(stores_.flows, now_, kDumpSlice, outbox) !=
               FlowDump::Progress::finished) {
        return false;
    }
    session.finish();
    return true;
}

PendingBarrier Datapath::barrier(std::uint32_t xid) {
    return {xid, plane_.barrier_token(), entries_.promised()};
}

bool Datapath::passed(const PendingBarrier& barrier, Outbox& outbox) {
    give_removed(outbox);
    return entries_.given() >= barrier.removals && plane_.barrier_passed(barrier.token);
}

void Datapath::give_removed(Outbox& outbox) {
    for (std::size_t n = 0; n < kRemovedSlice; ++n) {
        const std::optional<FlowRemoved> message = entries_.pop_removed();
        if (!message) return;
        tell(*message, outbox);
    }
}

void Datapath::packet_in(const PacketInEvent& event, Outbox& outbox) {
    if (sessions_.empty()) return;
    tell(packet_in_message(event, plane_.switch_config()), outbox);
}

void Datapath::port_changed(PortReason reason, const PortDesc& desc, Outbox& outbox) {
    tell(PortStatus{reason, desc}, outbox);
}

void Datapath::tell(const Message& message, Outbox& outbox) {
    entitled_.clear();
    for (const Session& session : sessions_)
        if (!session.auxiliary() && wants(session.async, session.role, message))
            entitled_.push_back(session.connection());
    if (!entitled_.empty()) outbox.send_all(entitled_, message);
}

void Datapath::tick(Time now, Outbox& outbox) {
    now_ = std::max(now_, now);
    entries_.expire(now_, kExpirySlice);
    give_removed(outbox);
    // Turn by turn: who is first finds room in the ring of packet-outs.
    ++n_ticks_;
    for (std::size_t i = 0; i < sessions_.size(); ++i)
        advance(sessions_[(n_ticks_ + i) % sessions_.size()], outbox);
}

bool Datapath::wants_poll() const {
    return entries_.given() != entries_.promised() ||
           std::ranges::any_of(sessions_, &Session::wants_poll);
}

OfResult<void> Datapath::flow_mod(const FlowMod& mod, Time now) {
    now_ = std::max(now_, now);
    return entries_.apply(mod, now_);
}

OfResult<void> Datapath::group_mod(const GroupMod& mod, Time now) {
    now_ = std::max(now_, now);
    return groups_.apply(mod, now_);
}

OfResult<void> Datapath::meter_mod(const MeterMod& mod, Time now) {
    now_ = std::max(now_, now);
    return meters_.apply(mod, now_);
}

OfResult<void> Datapath::restore_flow(const FlowHead& head, const Match& match,
                                      const Instructions& instructions) {
    return entries_.restore(head, match, instructions);
}

OfResult<void> Datapath::packet_out(const PacketOut& message) {
    return send_packet(plane_, message, targets_);
}

OfResult<void> Datapath::port_mod(const PortMod& mod, Outbox& outbox) {
    TRY_ASSIGN(const std::optional<PortDesc> changed, modify_port(plane_, mod));
    if (changed) port_changed(PortReason::modified, *changed, outbox);
    return {};
}

}  // namespace raicho::agent
