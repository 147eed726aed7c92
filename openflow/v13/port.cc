// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow::v13 {

PortDesc port_of(const WirePort& wire) {
    return {.port = PortNo(wire.port.value()),
            .hw_addr = Mac{wire.hw_addr},
            .name = text_of(wire.name),
            .config = wire.config.value(),
            .state = wire.state.value(),
            .curr = wire.curr.value(),
            .advertised = wire.advertised.value(),
            .supported = wire.supported.value(),
            .peer = wire.peer.value(),
            .curr_speed = wire.curr_speed.value(),
            .max_speed = wire.max_speed.value()};
}

WirePort wire_of(const PortDesc& port) {
    return {.port = port.port.value(),
            .pad = {},
            .hw_addr = port.hw_addr.bytes,
            .pad2 = {},
            .name = chars_of<16>(port.name),
            .config = port.config,
            .state = port.state,
            .curr = port.curr,
            .advertised = port.advertised,
            .supported = port.supported,
            .peer = port.peer,
            .curr_speed = port.curr_speed,
            .max_speed = port.max_speed};
}

OfResult<PortMod> decode_port_mod(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WirePortMod>(in));
    return PortMod{.port = PortNo(wire.port.value()),
                   .hw_addr = Mac{wire.hw_addr},
                   .config = wire.config.value(),
                   .mask = wire.mask.value(),
                   .advertise = wire.advertise.value()};
}

void encode(const PortMod& mod, MessageWriter& out) {
    out.put(WirePortMod{.port = mod.port.value(),
                        .pad = {},
                        .hw_addr = mod.hw_addr.bytes,
                        .pad2 = {},
                        .config = mod.config,
                        .mask = mod.mask,
                        .advertise = mod.advertise,
                        .pad3 = {}});
}

OfResult<PortStatus> decode_port_status(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WirePortStatus>(in));
    if (wire.reason > static_cast<std::uint8_t>(PortReason::modified))
        return ofp_error(BadRequest::bad_type, format("port-status reason {}", wire.reason));
    return PortStatus{static_cast<PortReason>(wire.reason), port_of(wire.desc)};
}

void encode(const PortStatus& status, MessageWriter& out) {
    out.put(WirePortStatus{static_cast<std::uint8_t>(status.reason), {}, wire_of(status.desc)});
}

OfResult<PortStats> decode_entry(ByteReader& in, EntryOf<PortStats>) {
    TRY_ASSIGN(const auto wire, pull<WirePortStats>(in));
    return PortStats{.port = PortNo(wire.port.value()),
                     .rx_packets = wire.rx_packets.value(),
                     .tx_packets = wire.tx_packets.value(),
                     .rx_bytes = wire.rx_bytes.value(),
                     .tx_bytes = wire.tx_bytes.value(),
                     .rx_dropped = wire.rx_dropped.value(),
                     .tx_dropped = wire.tx_dropped.value(),
                     .rx_errors = wire.rx_errors.value(),
                     .tx_errors = wire.tx_errors.value(),
                     .rx_frame_err = wire.rx_frame_err.value(),
                     .rx_over_err = wire.rx_over_err.value(),
                     .rx_crc_err = wire.rx_crc_err.value(),
                     .collisions = wire.collisions.value(),
                     .duration_sec = wire.duration_sec.value(),
                     .duration_nsec = wire.duration_nsec.value()};
}

void encode_entry(const PortStats& stats, ByteWriter& out) {
    out.put(WirePortStats{.port = stats.port.value(),
                          .pad = {},
                          .rx_packets = stats.rx_packets,
                          .tx_packets = stats.tx_packets,
                          .rx_bytes = stats.rx_bytes,
                          .tx_bytes = stats.tx_bytes,
                          .rx_dropped = stats.rx_dropped,
                          .tx_dropped = stats.tx_dropped,
                          .rx_errors = stats.rx_errors,
                          .tx_errors = stats.tx_errors,
                          .rx_frame_err = stats.rx_frame_err,
                          .rx_over_err = stats.rx_over_err,
                          .rx_crc_err = stats.rx_crc_err,
                          .collisions = stats.collisions,
                          .duration_sec = stats.duration_sec,
                          .duration_nsec = stats.duration_nsec});
}

OfResult<PortDesc> decode_entry(ByteReader& in, EntryOf<PortDesc>) {
    TRY_ASSIGN(const auto wire, pull<WirePort>(in));
    return port_of(wire);
}

void encode_entry(const PortDesc& port, ByteWriter& out) {
    out.put(wire_of(port));
}

}  // namespace raicho::openflow::v13
