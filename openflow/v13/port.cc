// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/messages.h"

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

}  // namespace raicho::openflow::v13
