// SPDX-License-Identifier: Apache-2.0
// What each message of a controller does and answers. Neighbour: datapath.cc keeps their order, and
// what waits.
#include <algorithm>
#include <utility>

#include "agent/model/datapath.h"
#include "agent/model/multipart.h"
#include "agent/model/ports.h"
#include "agent/model/queues.h"
#include "base/error.h"
#include "base/text.h"

namespace raicho::agent {
namespace {

using namespace openflow;  // NOLINT: nearly every message has its line here

// OFPC_* (§7.3.1).
constexpr std::uint32_t kFlowTableAndPortStats = 1 | 2 | 4;
constexpr std::uint32_t kGroupStats = 8;
constexpr std::uint32_t kQueueStats = 64;
constexpr std::uint16_t kFragDrop = 1;         // OFPC_FRAG_DROP (§7.3.2)
constexpr std::uint16_t kMaxSendLen = 0xffe5;  // OFPCML_MAX
constexpr std::uint16_t kRequestMore = 1;      // OFPMPF_REQ_MORE (§7.3.5)

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

OfResult<void> check_table(TableId table, const Targets& targets) {
    if (table == kAllTables || targets.has(table)) return {};
    return ofp_error(BadRequest::bad_table_id, targets.why_no(table));
}

std::unexpected<OfpError> unknown_experimenter(const Experimenter& m) {
    return ofp_error(BadRequest::bad_experimenter, format("experimenter 0x{:x}", m.experimenter));
}

}  // namespace

std::uint32_t Datapath::capabilities() const {
    const bool groups = stores_.groups.limits().groups != 0;
    return kFlowTableAndPortStats | kQueueStats | (groups ? kGroupStats : 0);
}

TableAbility Datapath::table_ability() const {
    return {.n_tables = targets_.share.n_tables,
            .max_entries = std::min(identity_.max_flows, targets_.share.max_flows),
            .groups = stores_.groups.limits().groups != 0,
            .meters = stores_.meters.limits().meters != 0};
}

OfResult<void> Datapath::answer(Session& session, std::uint32_t xid, const Message& message,
                                Outbox& outbox) {
    const auto reply = [&](Message body) -> OfResult<void> {
        outbox.send(session.connection(), xid, body);
        return {};
    };
    return std::visit(
        Overloaded{
            [&](const EchoRequest& m) { return reply(EchoReply{m.data}); },
            [&](const FeaturesRequest&) {
                return reply(
                    FeaturesReply{.dpid = identity_.dpid,
                                  .n_buffers = 0,
                                  .n_tables = static_cast<std::uint8_t>(targets_.share.n_tables),
                                  .auxiliary_id = session.auxiliary_id(),
                                  .capabilities = capabilities()});
            },
            [&](const GetConfigRequest&) {
                const SwitchConfig config = plane_.switch_config();
                return reply(GetConfigReply{config.flags, config.miss_send_len});
            },
            [&](const SetConfig& m) { return configure(m); },
            [&](const FlowMod& m) { return entries_.apply(m, now_); },
            [&](const GroupMod& m) { return groups_.apply(m, now_); },
            [&](const MeterMod& m) { return meters_.apply(m, now_); },
            [&](const TableMod& m) { return modify_table(m, targets_); },
            [&](const PacketOut& m) { return send_packet(plane_, m, targets_); },
            [&](const PortMod& m) { return port_mod(m, outbox); },
            [&](const MultipartRequest& m) { return answer_multipart(session, xid, m, outbox); },
            [&](const BarrierRequest&) -> OfResult<void> {
                session.begin(barrier(xid));
                return {};
            },
            [&](const QueueGetConfigRequest& m) -> OfResult<void> {
                TRY_ASSIGN(auto config, queue_config(plane_, m));
                return reply(std::move(config));
            },
            [&](const RoleRequest& m) -> OfResult<void> {
                TRY_ASSIGN(const auto role, take_role(session, m));
                return reply(role);
            },
            [&](const GetAsyncRequest&) { return reply(GetAsyncReply{main_of(session).async}); },
            [&](const SetAsync& m) -> OfResult<void> {
                main_of(session).async = m.config;
                return {};
            },
            [&](const Experimenter& m) -> OfResult<void> { return unknown_experimenter(m); },
            // The channel's; they want no answer.
            [](const Hello&) -> OfResult<void> { return {}; },
            [](const ErrorMsg&) -> OfResult<void> { return {}; },
            [](const EchoReply&) -> OfResult<void> { return {}; },
            // What only a switch sends.
            [&](const auto&) -> OfResult<void> {
                return ofp_error(BadRequest::bad_type, "not a controller's message");
            }},
        message);
}

OfResult<void> Datapath::answer_multipart(Session& session, std::uint32_t xid,
                                          const MultipartRequest& request, Outbox& outbox) {
    if (std::holds_alternative<TableFeaturesRequest>(request.body))
        return answer_tables(session, xid, request, outbox);
    // No other request spans messages, so there is no buffer for the rest (§7.3.5).
    if ((request.flags & kRequestMore) != 0)
        return ofp_error(BadRequest::multipart_buffer_overflow, "request in parts");
    const auto reply = [&](auto body) -> OfResult<void> {
        outbox.send(session.connection(), xid, MultipartReply{std::move(body)});
        return {};
    };
    const auto result = [&](auto body) -> OfResult<void> {
        if (!body) return std::unexpected(std::move(body.error()));
        return reply(std::move(*body));
    };
    return std::visit(
        Overloaded{
            [&](const DescRequest&) { return reply(identity_.desc); },
            [&](const FlowStatsRequest& m) -> OfResult<void> {
                TRY(check_table(m.table, targets_));
                session.begin(FlowDump(session.connection(), xid, m));
                return {};
            },
            [&](const AggregateRequest& m) -> OfResult<void> {
                TRY(check_table(m.filter.table, targets_));
                return reply(aggregate_stats(stores_.flows, m.filter));
            },
            [&](const TableStatsRequest&) { return reply(table_stats(stores_.flows, targets_)); },
            [&](const PortDescRequest&) { return reply(plane_.ports()); },
            [&](const PortStatsRequest& m) { return result(port_stats(plane_, m.port)); },
            [&](const QueueStatsRequest& m) { return result(queue_stats(plane_, m)); },
            [&](const GroupStatsRequest& m) { return reply(groups_.stats(m.group, now_)); },
            [&](const GroupDescRequest&) { return reply(groups_.descs()); },
            [&](const GroupFeaturesRequest&) { return reply(groups_.features()); },
            [&](const MeterStatsRequest& m) { return result(meters_.stats(m.meter, now_)); },
            [&](const MeterConfigRequest& m) { return result(meters_.configs(m.meter)); },
            [&](const MeterFeaturesRequest&) { return reply(meters_.features()); },
            [&](const TableFeaturesRequest&) -> OfResult<void> { return {}; },
            [&](const Experimenter& m) -> OfResult<void> { return unknown_experimenter(m); }},
        request.body);
}

OfResult<void> Datapath::answer_tables(Session& session, std::uint32_t xid,
                                       const MultipartRequest& request, Outbox& outbox) {
    const auto more = (request.flags & kRequestMore) != 0 ? Session::More::yes : Session::More::no;
    TRY_ASSIGN(const auto wanted,
               session.collect(xid, std::get<TableFeaturesRequest>(request.body).tables, more));
    if (!wanted) return {};
    if (!wanted->empty()) {
        TRY(set_table_features(*wanted, table_ability(), plane_));
        entries_.remove_stranded(now_);
    }
    outbox.send(session.connection(), xid, MultipartReply{table_features(table_ability(), plane_)});
    return {};
}

OfResult<void> Datapath::configure(const SetConfig& config) {
    // Reassembly is not among our capabilities (§7.3.1), other bits are not defined.
    if (config.flags > kFragDrop)
        return ofp_error(
            SwitchConfigFailed::bad_flags,
            format("config flags 0x{:x}: fragments are passed or dropped only", config.flags));
    if (config.miss_send_len > kMaxSendLen && config.miss_send_len != kWholePacket)
        return ofp_error(SwitchConfigFailed::bad_len,
                         format("miss_send_len 0x{:x}: at most 0x{:x}, or 0xffff for all",
                                config.miss_send_len, kMaxSendLen));
    plane_.set_switch_config({config.flags, config.miss_send_len});
    return {};
}

OfResult<RoleReply> Datapath::take_role(Session& session, const RoleRequest& request) {
    Session& main = main_of(session);
    using enum ControllerRole;
    if (request.role == master || request.role == slave)
        TRY(generation_.see(request.generation_id));
    if (request.role == master)  // §6.3.5: there is one at most
        for (Session& other : sessions_)
            if (other.role == master) other.role = slave;
    if (request.role != nochange) main.role = request.role;
    return RoleReply{main.role, generation_.newest()};
}

}  // namespace raicho::agent
