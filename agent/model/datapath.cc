// SPDX-License-Identifier: Apache-2.0
#include "agent/model/datapath.h"

#include <algorithm>
#include <utility>

#include "agent/model/multipart.h"
#include "agent/model/ports.h"
#include "base/error.h"
#include "base/text.h"
#include "openflow/codec.h"

namespace raicho::agent {
namespace {

using namespace openflow;  // NOLINT: nearly every message has its line here

// OFPC_FLOW_STATS, OFPC_TABLE_STATS, OFPC_PORT_STATS (§7.3.1): what is served.
constexpr std::uint32_t kCapabilities = 1 | 2 | 4;
constexpr std::uint16_t kFragDrop = 1;     // OFPC_FRAG_DROP (§7.3.2)
constexpr std::uint16_t kRequestMore = 1;  // OFPMPF_REQ_MORE (§7.3.5)
constexpr std::uint16_t kExperimenterMultipart = 0xffff;

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

bool is_table_full(const OfpError& error) {
    return error.type == ErrorType::flow_mod_failed &&
           error.code == std::to_underlying(FlowModFailed::table_full);
}

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

}  // namespace

Datapath::Datapath(DatapathIdentity identity, FlowStore& store, Plane& plane, Time now)
    : identity_(std::move(identity)),
      store_(store),
      plane_(plane),
      entries_(store, now),
      now_(now) {}

void Datapath::connected(ConnectionId connection, Time now) {
    now_ = std::max(now_, now);
    ASSERT(std::ranges::find(connections_, connection) == connections_.end());
    connections_.push_back(connection);
    sessions_.emplace_back(connection);
}

void Datapath::disconnected(ConnectionId connection, Time now) {
    now_ = std::max(now_, now);
    std::erase(connections_, connection);
    std::erase_if(sessions_, [&](const Session& s) { return s.connection() == connection; });
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
    // Controllers do not repeat a flow-mod: TABLE_FULL is for a table that stays full.
    const bool mod = std::holds_alternative<FlowMod>(message);
    if (mod && !store_.ready()) return hold(session, xid, message, raw);
    const OfResult<void> result = answer(session, xid, message, outbox);
    if (result) return;
    if ((mod && is_table_full(result.error()) && store_.reclaims()) ||
        finds_room_soon(message, result.error()))
        return hold(session, xid, message, raw);
    outbox.refuse(session.connection(), xid, result.error(), raw);
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
    if (!passed(held.until, outbox)) return false;
    return store_.ready() || !std::holds_alternative<FlowMod>(held.held.message);
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

OfResult<void> Datapath::answer(Session& session, std::uint32_t xid, const Message& message,
                                Outbox& outbox) {
    const auto reply = [&](Message body) -> OfResult<void> {
        outbox.send(session.connection(), xid, body);
        return {};
    };
    const auto bad_type = [](std::string why) {
        return ofp_error(BadRequest::bad_type, std::move(why));
    };
    return std::visit(
        Overloaded{
            [&](const EchoRequest& m) { return reply(EchoReply{m.data}); },
            [&](const FeaturesRequest&) {
                return reply(FeaturesReply{.dpid = identity_.dpid,
                                           .n_buffers = 0,
                                           .n_tables = kTables,
                                           .auxiliary_id = 0,
                                           .capabilities = kCapabilities});
            },
            [&](const GetConfigRequest&) {
                const SwitchConfig config = plane_.switch_config();
                return reply(GetConfigReply{config.flags, config.miss_send_len});
            },
            [&](const SetConfig& m) { return configure(m); },
            [&](const FlowMod& m) { return entries_.apply(m, now_); },
            [&](const PacketOut& m) { return send_packet(plane_, m); },
            [&](const PortMod& m) { return port_mod(m, outbox); },
            [&](const MultipartRequest& m) { return answer_multipart(session, xid, m, outbox); },
            [&](const BarrierRequest&) -> OfResult<void> {
                session.begin(barrier(xid));
                return {};
            },
            [&](const Experimenter& m) -> OfResult<void> {
                return ofp_error(BadRequest::bad_experimenter,
                                 format("experimenter 0x{:x}", m.experimenter));
            },
            [&](const Unserved& m) -> OfResult<void> {
                return bad_type(format("message type {}: not served", m.type));
            },
            // The channel's; they want no answer.
            [](const Hello&) -> OfResult<void> { return {}; },
            [](const ErrorMsg&) -> OfResult<void> { return {}; },
            [](const EchoReply&) -> OfResult<void> { return {}; },
            // What only a switch sends.
            [&](const auto&) -> OfResult<void> { return bad_type("not a controller's message"); }},
        message);
}

OfResult<void> Datapath::answer_multipart(Session& session, std::uint32_t xid,
                                          const MultipartRequest& request, Outbox& outbox) {
    // No request that is served spans messages, so there is no buffer for the rest (§7.3.5).
    if ((request.flags & kRequestMore) != 0)
        return ofp_error(BadRequest::multipart_buffer_overflow, "request in parts");
    const auto reply = [&](auto body) -> OfResult<void> {
        outbox.send(session.connection(), xid, MultipartReply{std::move(body)});
        return {};
    };
    return std::visit(
        Overloaded{
            [&](const DescRequest&) { return reply(identity_.desc); },
            [&](const FlowStatsRequest& m) -> OfResult<void> {
                session.begin(FlowDump(session.connection(), xid, m));
                return {};
            },
            [&](const AggregateRequest& m) { return reply(aggregate_stats(store_, m.filter)); },
            [&](const TableStatsRequest&) { return reply(table_stats(store_)); },
            [&](const PortDescRequest&) { return reply(plane_.ports()); },
            [&](const PortStatsRequest& m) -> OfResult<void> {
                if (m.port != port::kAny) {
                    const std::optional<PortStats> stats = plane_.port_stats(m.port);
                    if (!stats)
                        return ofp_error(BadRequest::bad_port,
                                         format("port {}: no such port", m.port.value()));
                    return reply(std::vector<PortStats>{*stats});
                }
                std::vector<PortStats> all;
                for (const PortDesc& desc : plane_.ports())
                    if (const auto stats = plane_.port_stats(desc.port)) all.push_back(*stats);
                return reply(std::move(all));
            },
            [&](const UnservedMultipart& m) -> OfResult<void> {
                if (m.type == std::to_underlying(MultipartType::table_features)) {
                    if (!m.body.empty())
                        return ofp_error(TableFeaturesFailed::eperm, "tables stay as they are");
                    for (MultipartReply& part : table_features(identity_.max_flows))
                        outbox.send(session.connection(), xid, std::move(part));
                    return {};
                }
                if (m.type == kExperimenterMultipart)
                    return ofp_error(BadRequest::bad_experimenter, "experimenter multipart");
                return ofp_error(BadRequest::bad_multipart,
                                 format("multipart type {}: not served", m.type));
            }},
        request.body);
}

OfResult<void> Datapath::configure(const SetConfig& config) {
    // Reassembly is not among our capabilities (§7.3.1), other bits are not defined.
    if (config.flags > kFragDrop)
        return ofp_error(
            SwitchConfigFailed::bad_flags,
            format("config flags 0x{:x}: fragments are passed or dropped only", config.flags));
    plane_.set_switch_config({config.flags, config.miss_send_len});
    return {};
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
    } else if (session.go_on(store_, now_, kDumpSlice, outbox) != FlowDump::Progress::finished) {
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
        outbox.send_all(connections_, *message);
    }
}

void Datapath::packet_in(const PacketInEvent& event, Outbox& outbox) {
    if (connections_.empty()) return;
    outbox.send_all(connections_, packet_in_message(event, plane_.switch_config()));
}

void Datapath::port_changed(PortReason reason, const PortDesc& desc, Outbox& outbox) {
    outbox.send_all(connections_, PortStatus{reason, desc});
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

OfResult<void> Datapath::restore_flow(const FlowHead& head, const Match& match,
                                      const Instructions& instructions) {
    return entries_.restore(head, match, instructions);
}

OfResult<void> Datapath::packet_out(const PacketOut& message) {
    return send_packet(plane_, message);
}

OfResult<void> Datapath::port_mod(const PortMod& mod, Outbox& outbox) {
    TRY_ASSIGN(const std::optional<PortDesc> changed, modify_port(plane_, mod));
    if (changed) port_changed(PortReason::modified, *changed, outbox);
    return {};
}

}  // namespace raicho::agent
