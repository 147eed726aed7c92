// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/text.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_packet.h"

namespace raicho::openflow::v13 {

OfResult<PacketIn> decode_packet_in(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WirePacketIn>(in));
    if (wire.reason > static_cast<std::uint8_t>(PacketInReason::invalid_ttl))
        return ofp_error(BadRequest::bad_type, format("packet-in reason {}", wire.reason));
    PacketIn packet{.buffer_id = wire.buffer_id.value(),
                    .total_len = wire.total_len.value(),
                    .reason = static_cast<PacketInReason>(wire.reason),
                    .table = TableId(wire.table),
                    .cookie = wire.cookie.value()};
    TRY(decode_match(in, packet.match));
    if (!in.take(kPacketInPad)) return ofp_error(BadRequest::bad_len, "packet-in ends early");
    packet.data = copy_of(in.rest());
    return packet;
}

void encode(const PacketIn& packet, MessageWriter& out) {
    out.put(WirePacketIn{packet.buffer_id, packet.total_len,
                         static_cast<std::uint8_t>(packet.reason), packet.table.value(),
                         packet.cookie});
    encode_match(packet.match, out.out());
    out.out().zeros(kPacketInPad);
    out.put_tail(packet.data);
}

OfResult<PacketOut> decode_packet_out(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WirePacketOut>(in));
    const auto actions = in.take(wire.actions_len.value());
    if (!actions) return ofp_error(BadRequest::bad_len, "packet-out: actions_len is too long");
    PacketOut packet{.buffer_id = wire.buffer_id.value(), .in_port = PortNo(wire.in_port.value())};
    TRY(decode_actions(*actions, packet.actions));
    for (const Action& action : packet.actions) TRY(check_action(action));
    packet.data = copy_of(in.rest());
    return packet;
}

void encode(const PacketOut& packet, MessageWriter& out) {
    const std::size_t start = out.out().offset();
    out.put(WirePacketOut{packet.buffer_id, packet.in_port.value(), std::uint16_t{0}, {}});
    encode_actions(packet.actions, out.out());
    const std::size_t size = out.out().offset() - start - sizeof(WirePacketOut);
    out.out().patch<std::uint16_t>(start + offsetof(WirePacketOut, actions_len),
                                   static_cast<std::uint16_t>(size));
    out.put_tail(packet.data);
}

}  // namespace raicho::openflow::v13
