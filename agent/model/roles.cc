// SPDX-License-Identifier: Apache-2.0
#include "agent/model/roles.h"

#include <utility>
#include <variant>

#include "base/text.h"

namespace raicho::agent {

using openflow::ControllerRole;

openflow::AsyncConfig default_async() {
    constexpr std::uint32_t kPacketIns = 0b111;    // no_match, action, invalid_ttl
    constexpr std::uint32_t kPortChanges = 0b111;  // add, delete, modify
    constexpr std::uint32_t kRemovals = 0b11111;   // timeouts, delete, group and meter delete
    return {.master = {kPacketIns, kPortChanges, kRemovals}, .slave = {0, kPortChanges, 0}};
}

bool wants(const openflow::AsyncConfig& config, ControllerRole role,
           const openflow::Message& message) {
    const openflow::AsyncMask& mask = role == ControllerRole::slave ? config.slave : config.master;
    const auto has = [](std::uint32_t bits, auto reason) {
        return (bits >> std::to_underlying(reason) & 1) != 0;
    };
    if (const auto* m = std::get_if<openflow::PacketIn>(&message))
        return has(mask.packet_in, m->reason);
    if (const auto* m = std::get_if<openflow::PortStatus>(&message))
        return has(mask.port_status, m->reason);
    if (const auto* m = std::get_if<openflow::FlowRemoved>(&message))
        return has(mask.flow_removed, m->reason);
    return true;
}

bool changes(const openflow::Message& message) {
    if (const auto* request = std::get_if<openflow::MultipartRequest>(&message)) {
        const auto* tables = std::get_if<openflow::TableFeaturesRequest>(&request->body);
        return tables != nullptr && !tables->tables.empty();
    }
    return std::holds_alternative<openflow::FlowMod>(message) ||
           std::holds_alternative<openflow::GroupMod>(message) ||
           std::holds_alternative<openflow::MeterMod>(message) ||
           std::holds_alternative<openflow::PortMod>(message) ||
           std::holds_alternative<openflow::TableMod>(message) ||
           std::holds_alternative<openflow::PacketOut>(message) ||
           std::holds_alternative<openflow::SetConfig>(message);
}

openflow::OfResult<void> Generation::see(std::uint64_t id) {
    // A signed distance, so that the counter may wrap (§6.3.5).
    if (newest_ && static_cast<std::int64_t>(id - *newest_) < 0)
        return openflow::ofp_error(openflow::RoleRequestFailed::stale,
                                   format("generation {} is older than {}", id, *newest_));
    newest_ = id;
    return {};
}

}  // namespace raicho::agent
