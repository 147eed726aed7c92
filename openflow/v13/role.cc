// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_role.h"

namespace raicho::openflow::v13 {

OfResult<RoleRequest> decode_role(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireRole>(in));
    const std::uint32_t role = wire.role.value();
    if (role > static_cast<std::uint32_t>(ControllerRole::slave))
        return ofp_error(RoleRequestFailed::bad_role, format("role {}", role));
    return RoleRequest{static_cast<ControllerRole>(role), wire.generation_id.value()};
}

void encode(const RoleRequest& role, MessageWriter& out) {
    out.put(WireRole{static_cast<std::uint32_t>(role.role), {}, role.generation_id});
}

OfResult<AsyncConfig> decode_async(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireAsync>(in));
    const auto mask = [&](std::size_t i) {
        return AsyncMask{wire.packet_in[i].value(), wire.port_status[i].value(),
                         wire.flow_removed[i].value()};
    };
    return AsyncConfig{mask(0), mask(1)};
}

void encode(const AsyncConfig& config, MessageWriter& out) {
    const auto& [master, slave] = config;
    out.put(WireAsync{{master.packet_in, slave.packet_in},
                      {master.port_status, slave.port_status},
                      {master.flow_removed, slave.flow_removed}});
}

}  // namespace raicho::openflow::v13
