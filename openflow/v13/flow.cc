// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/text.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow::v13 {
namespace {

constexpr std::uint16_t kFlowFlags = flow_flag::kSendFlowRem | flow_flag::kCheckOverlap |
                                     flow_flag::kResetCounts | flow_flag::kNoPktCounts |
                                     flow_flag::kNoBytCounts;
/// Match and instructions of a flow must fit into one entry of a flow-stats reply.
constexpr std::size_t kMaxFlow =
    kMaxMessage - sizeof(WireHeader) - sizeof(WireMultipart) - sizeof(WireFlowStats);

bool removes(FlowModCommand command) {
    return command == FlowModCommand::remove || command == FlowModCommand::remove_strict;
}

OfResult<void> fill(const WireFlowMod& wire, FlowMod& mod) {
    mod.cookie = wire.cookie.value();
    mod.cookie_mask = wire.cookie_mask.value();
    mod.table = TableId(wire.table);
    if (wire.command > static_cast<std::uint8_t>(FlowModCommand::remove_strict))
        return ofp_error(FlowModFailed::bad_command, format("command {}", wire.command));
    mod.command = static_cast<FlowModCommand>(wire.command);
    mod.idle_timeout = wire.idle_timeout.value();
    mod.hard_timeout = wire.hard_timeout.value();
    mod.priority = wire.priority.value();
    mod.buffer_id = wire.buffer_id.value();
    mod.out_port = PortNo(wire.out_port.value());
    mod.out_group = GroupId(wire.out_group.value());
    mod.flags = wire.flags.value();
    if ((mod.flags & ~kFlowFlags) != 0)
        return ofp_error(FlowModFailed::bad_flags, format("flags 0x{:04x}", mod.flags));
    return {};
}

}  // namespace

OfResult<Message> decode_flow_mod(ByteReader in) {
    OfResult<Message> message(std::in_place, std::in_place_type<FlowMod>);
    auto& mod = std::get<FlowMod>(*message);
    TRY_ASSIGN(const auto wire, pull<WireFlowMod>(in));
    TRY(fill(wire, mod));
    if (in.size() > kMaxFlow) return ofp_error(BadAction::too_many, "flow fits no stats reply");
    TRY(decode_match(in, mod.match));
    TRY(decode_instructions(in.rest(), mod.instructions));
    // §6.4: the instructions of a delete mean nothing.
    if (!removes(mod.command)) TRY(check_instructions(mod.instructions, mod.match));
    return message;
}

void encode(const FlowMod& mod, MessageWriter& out) {
    out.put(WireFlowMod{.cookie = mod.cookie,
                        .cookie_mask = mod.cookie_mask,
                        .table = mod.table.value(),
                        .command = static_cast<std::uint8_t>(mod.command),
                        .idle_timeout = mod.idle_timeout,
                        .hard_timeout = mod.hard_timeout,
                        .priority = mod.priority,
                        .buffer_id = mod.buffer_id,
                        .out_port = mod.out_port.value(),
                        .out_group = mod.out_group.value(),
                        .flags = mod.flags,
                        .pad = {}});
    encode_match(mod.match, out.out());
    encode_instructions(mod.instructions, out.out());
}

OfResult<FlowRemoved> decode_flow_removed(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireFlowRemoved>(in));
    if (wire.reason > static_cast<std::uint8_t>(FlowRemovedReason::meter_delete))
        return ofp_error(BadRequest::bad_type, format("flow-removed reason {}", wire.reason));
    FlowRemoved removed{.cookie = wire.cookie.value(),
                        .priority = wire.priority.value(),
                        .reason = static_cast<FlowRemovedReason>(wire.reason),
                        .table = TableId(wire.table),
                        .duration_sec = wire.duration_sec.value(),
                        .duration_nsec = wire.duration_nsec.value(),
                        .idle_timeout = wire.idle_timeout.value(),
                        .hard_timeout = wire.hard_timeout.value(),
                        .packet_count = wire.packet_count.value(),
                        .byte_count = wire.byte_count.value()};
    TRY(decode_match(in, removed.match));
    if (!in.empty()) return ofp_error(BadRequest::bad_len, "bytes after the match");
    return removed;
}

void encode(const FlowRemoved& removed, MessageWriter& out) {
    out.put(WireFlowRemoved{.cookie = removed.cookie,
                            .priority = removed.priority,
                            .reason = static_cast<std::uint8_t>(removed.reason),
                            .table = removed.table.value(),
                            .duration_sec = removed.duration_sec,
                            .duration_nsec = removed.duration_nsec,
                            .idle_timeout = removed.idle_timeout,
                            .hard_timeout = removed.hard_timeout,
                            .packet_count = removed.packet_count,
                            .byte_count = removed.byte_count});
    encode_match(removed.match, out.out());
}

}  // namespace raicho::openflow::v13
