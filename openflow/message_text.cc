// SPDX-License-Identifier: Apache-2.0
// The printed form of messages: one line, the specification's names.
#include "base/text.h"
#include "openflow/message_parts.h"
#include "openflow/text.h"
#include "openflow/v13/wire.h"

namespace raicho::openflow {
namespace {

using v13::MessageType;

std::string_view name_of(MessageType type) {
    return v13::kMessageRows[static_cast<std::size_t>(type)].name;
}

constexpr std::array<std::string_view, 5> kCommands{"ADD", "MODIFY", "MODIFY_STRICT", "DELETE",
                                                    "DELETE_STRICT"};
constexpr std::array<std::string_view, 3> kModCommands{"ADD", "MODIFY", "DELETE"};
constexpr std::array<std::string_view, 4> kRoles{"nochange", "equal", "master", "slave"};
constexpr std::array<std::string_view, 3> kPacketInReasons{"no_match", "action", "invalid_ttl"};
constexpr std::array<std::string_view, 5> kRemovedReasons{"idle_timeout", "hard_timeout", "delete",
                                                          "group_delete", "meter_delete"};
constexpr std::array<std::string_view, 3> kPortReasons{"add", "delete", "modify"};
constexpr std::array<std::string_view, 5> kFlowFlags{
    "send_flow_rem", "check_overlap", "reset_counts", "no_packet_counts", "no_byte_counts"};

std::string buffer_text(std::uint32_t buffer) {
    return buffer == kNoBuffer ? "none" : format("{}", buffer);
}

std::string flow_mod_text(const FlowMod& m) {
    std::string text =
        word(kCommands, static_cast<std::size_t>(m.command)) +
        format(" table={},priority={},cookie=0x{:x}", table_text(m.table), m.priority, m.cookie);
    if (m.cookie_mask != 0) text += format("/0x{:x}", m.cookie_mask);
    if (m.idle_timeout != 0) text += format(",idle_timeout={}", m.idle_timeout);
    if (m.hard_timeout != 0) text += format(",hard_timeout={}", m.hard_timeout);
    if (m.buffer_id != kNoBuffer) text += format(",buffer={}", m.buffer_id);
    const bool removes =
        m.command == FlowModCommand::remove || m.command == FlowModCommand::remove_strict;
    if (removes && m.out_port != port::kAny) text += format(",out_port={}", to_text(m.out_port));
    if (removes && m.out_group != group::kAny) text += format(",out_group={}", m.out_group.value());
    for (std::size_t i = 0; i < kFlowFlags.size(); ++i)
        if ((m.flags >> i & 1) != 0) text += format(",{}", kFlowFlags[i]);
    text += and_match(m.match);
    return removes ? text : text + format(" actions={}", to_text(m.instructions));
}

/// The type's name and what stands behind it.
struct Line {
    std::string name;
    std::string rest{};
};
Line line(MessageType type, std::string rest = {}) {
    return {std::string(name_of(type)), std::move(rest)};
}

std::string error_text(const ErrorMsg& m) {
    std::string text = format("{} {}", error_type_name(m.type), error_code_name(m.type, m.code));
    if (m.data.empty()) return text;
    if (m.type == static_cast<std::uint16_t>(ErrorType::hello_failed)) {
        const auto* chars = reinterpret_cast<const char*>(m.data.data());
        return text + format(" data={}", quoted({chars, m.data.size()}));
    }
    return text + format(" data={}", data_text(m.data));
}

std::string hello_text(const Hello& m) {
    if (!m.bitmap) return {};
    std::string versions;
    for (unsigned i = 0; i < 64; ++i)
        if ((*m.bitmap >> i & 1) != 0) versions += format("{}{}", versions.empty() ? "" : ",", i);
    return format("versions={}", versions.empty() ? "none" : versions);
}

std::string packet_in_text(const PacketIn& m) {
    return format("reason={},table={},cookie=0x{:x},buffer={},total_len={}{} data={}",
                  word(kPacketInReasons, static_cast<std::size_t>(m.reason)), m.table.value(),
                  m.cookie, buffer_text(m.buffer_id), m.total_len, and_match(m.match),
                  data_text(m.data));
}

std::string flow_removed_text(const FlowRemoved& m) {
    return format(
        "reason={},table={},priority={},cookie=0x{:x},duration={}.{:09}s,"
        "idle_timeout={},hard_timeout={},packet_count={},byte_count={}{}",
        word(kRemovedReasons, static_cast<std::size_t>(m.reason)), m.table.value(), m.priority,
        m.cookie, m.duration_sec, m.duration_nsec, m.idle_timeout, m.hard_timeout, m.packet_count,
        m.byte_count, and_match(m.match));
}

std::string packet_out_text(const PacketOut& m) {
    std::string actions;
    for (const Action& action : m.actions)
        actions += format("{}{}", actions.empty() ? "" : ",", to_text(action));
    return format("buffer={},in_port={} actions={} data={}", buffer_text(m.buffer_id),
                  to_text(m.in_port), actions.empty() ? "drop" : actions, data_text(m.data));
}

std::string group_mod_text(const GroupMod& m) {
    const std::string command = word(kModCommands, static_cast<std::size_t>(m.command));
    if (m.command == GroupModCommand::remove && m.buckets.empty())
        return format("{} group_id={}", command, to_text(m.group));
    return format("{} {}", command, to_text(GroupDesc{m.type, m.group, m.buckets}));
}

std::string queue_text(const QueueDesc& q) {
    std::string text = format("port={},queue={}", to_text(q.port), q.queue);
    if (q.min_rate) text += format(",min_rate={}", *q.min_rate);
    if (q.max_rate) text += format(",max_rate={}", *q.max_rate);
    return text;
}

std::string role_text(ControllerRole role, std::uint64_t generation_id) {
    return format("role={},generation_id=0x{:x}", word(kRoles, static_cast<std::size_t>(role)),
                  generation_id);
}

std::string async_text(const AsyncConfig& config) {
    const auto text = [](const AsyncMask& mask) {
        return format("{{packet_in=0x{:x},port_status=0x{:x},flow_removed=0x{:x}}}", mask.packet_in,
                      mask.port_status, mask.flow_removed);
    };
    return format("master={},slave={}", text(config.master), text(config.slave));
}

struct MessageText {
    Line operator()(const Hello& m) const { return line(MessageType::hello, hello_text(m)); }
    Line operator()(const ErrorMsg& m) const { return line(MessageType::error, error_text(m)); }
    Line operator()(const EchoRequest& m) const {
        return line(MessageType::echo_request, data_text(m.data));
    }
    Line operator()(const EchoReply& m) const {
        return line(MessageType::echo_reply, data_text(m.data));
    }
    Line operator()(const Experimenter& m) const {
        return line(MessageType::experimenter,
                    format("experimenter=0x{:x},exp_type=0x{:x} data={}", m.experimenter,
                           m.exp_type, data_text(m.data)));
    }
    Line operator()(const FeaturesRequest&) const { return line(MessageType::features_request); }
    Line operator()(const FeaturesReply& m) const {
        return line(
            MessageType::features_reply,
            format("dpid=0x{:016x},n_buffers={},n_tables={},auxiliary_id={},"
                   "capabilities=0x{:x}",
                   m.dpid.value(), m.n_buffers, m.n_tables, m.auxiliary_id, m.capabilities));
    }
    Line operator()(const GetConfigRequest&) const { return line(MessageType::get_config_request); }
    Line operator()(const GetConfigReply& m) const {
        return line(MessageType::get_config_reply,
                    format("flags=0x{:x},miss_send_len={}", m.flags, m.miss_send_len));
    }
    Line operator()(const SetConfig& m) const {
        return line(MessageType::set_config,
                    format("flags=0x{:x},miss_send_len={}", m.flags, m.miss_send_len));
    }
    Line operator()(const PacketIn& m) const {
        return line(MessageType::packet_in, packet_in_text(m));
    }
    Line operator()(const FlowRemoved& m) const {
        return line(MessageType::flow_removed, flow_removed_text(m));
    }
    Line operator()(const PortStatus& m) const {
        return line(MessageType::port_status,
                    format("reason={} {}", word(kPortReasons, static_cast<std::size_t>(m.reason)),
                           port_text(m.desc)));
    }
    Line operator()(const PacketOut& m) const {
        return line(MessageType::packet_out, packet_out_text(m));
    }
    Line operator()(const FlowMod& m) const {
        return line(MessageType::flow_mod, flow_mod_text(m));
    }
    Line operator()(const PortMod& m) const {
        return line(MessageType::port_mod,
                    format("port={},hw_addr={},config=0x{:x},mask=0x{:x},advertise=0x{:x}",
                           to_text(m.port), to_string(m.hw_addr), m.config, m.mask, m.advertise));
    }
    Line operator()(const MultipartRequest& m) const {
        const std::string flags = m.flags == 0 ? "" : format("flags=0x{:x} ", m.flags);
        return line(MessageType::multipart_request, flags + body_text(m));
    }
    Line operator()(const MultipartReply& m) const {
        return line(MessageType::multipart_reply,
                    (m.more == ReplyMore::yes ? "more " : "") + body_text(m));
    }
    Line operator()(const BarrierRequest&) const { return line(MessageType::barrier_request); }
    Line operator()(const BarrierReply&) const { return line(MessageType::barrier_reply); }
    Line operator()(const GroupMod& m) const {
        return line(MessageType::group_mod, group_mod_text(m));
    }
    Line operator()(const MeterMod& m) const {
        return line(MessageType::meter_mod,
                    format("{} {}", word(kModCommands, static_cast<std::size_t>(m.command)),
                           to_text(MeterConfig{m.flags, m.meter, m.bands})));
    }
    Line operator()(const TableMod& m) const {
        return line(MessageType::table_mod,
                    format("table={},config=0x{:x}", table_text(m.table), m.config));
    }
    Line operator()(const QueueGetConfigRequest& m) const {
        return line(MessageType::queue_get_config_request, format("port={}", to_text(m.port)));
    }
    Line operator()(const QueueGetConfigReply& m) const {
        std::string text = format("port={}", to_text(m.port));
        for (const QueueDesc& queue : m.queues) text += format(" {{{}}}", queue_text(queue));
        return line(MessageType::queue_get_config_reply, std::move(text));
    }
    Line operator()(const RoleRequest& m) const {
        return line(MessageType::role_request, role_text(m.role, m.generation_id));
    }
    Line operator()(const RoleReply& m) const {
        return line(MessageType::role_reply, role_text(m.role, m.generation_id));
    }
    Line operator()(const GetAsyncRequest&) const { return line(MessageType::get_async_request); }
    Line operator()(const GetAsyncReply& m) const {
        return line(MessageType::get_async_reply, async_text(m.config));
    }
    Line operator()(const SetAsync& m) const {
        return line(MessageType::set_async, async_text(m.config));
    }
};

std::string join(const Line& l, std::string_view xid) {
    std::string text = l.name;
    for (const std::string_view part : {xid, std::string_view(l.rest)})
        if (!part.empty()) text += format(" {}", part);
    return text;
}

}  // namespace

std::string to_text(const Message& message) {
    return join(std::visit(MessageText{}, message), {});
}

std::string to_text(const Message& message, std::uint32_t xid) {
    return join(std::visit(MessageText{}, message), format("xid=0x{:x}", xid));
}

std::string message_type_name(std::uint8_t type) {
    if (type < v13::kMessageTypes) return std::string(v13::kMessageRows[type].name);
    return format("message type {}", type);
}

}  // namespace raicho::openflow
