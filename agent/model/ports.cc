// SPDX-License-Identifier: Apache-2.0
#include "agent/model/ports.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "openflow/target_check.h"

namespace raicho::agent {
namespace {

using openflow::BadRequest;
using openflow::ofp_error;
using openflow::OfResult;
using openflow::PortModFailed;

constexpr std::uint32_t kKnownConfig =
    openflow::port_config::kPortDown | openflow::port_config::kNoRecv |
    openflow::port_config::kNoFwd | openflow::port_config::kNoPacketIn;
constexpr std::size_t kEthernetHeaderSize = 14;

void add_integer(openflow::Match& match, Field field, std::uint64_t value) {
    const bool added = match.add(openflow::exact(field, value));
    ASSERT(added);
}

}  // namespace

OfResult<std::optional<openflow::PortDesc>> modify_port(Plane& plane,
                                                        const openflow::PortMod& mod) {
    std::optional<openflow::PortDesc> port = plane.port(mod.port);
    if (!port)
        return ofp_error(PortModFailed::bad_port,
                         format("port {}: no such port", mod.port.value()));
    // The address proves that the controller means this port and not its successor (§7.3.4.4).
    if (mod.hw_addr != port->hw_addr)
        return ofp_error(PortModFailed::bad_hw_addr,
                         format("port {}: address is {}, not {}", mod.port.value(),
                                to_string(port->hw_addr), to_string(mod.hw_addr)));
    if ((mod.mask & ~kKnownConfig) != 0)
        return ofp_error(PortModFailed::bad_config,
                         format("port {}: cannot change config bits 0x{:x}", mod.port.value(),
                                mod.mask & ~kKnownConfig));
    // Zero leaves the features alone (§7.3.4.4); else only what the port advertises already.
    if (mod.advertise != 0 && mod.advertise != port->advertised)
        return ofp_error(PortModFailed::bad_advertise, format("port {}: cannot advertise 0x{:x}",
                                                              mod.port.value(), mod.advertise));
    const std::uint32_t config = (port->config & ~mod.mask) | (mod.config & mod.mask);
    if (config == port->config) return std::nullopt;
    plane.set_port_config(mod.port, config);
    port->config = config;
    return port;
}

OfResult<std::vector<openflow::PortStats>> port_stats(const Plane& plane, PortNo port) {
    std::vector<openflow::PortStats> all;
    if (port != port::kAny) {
        const std::optional<openflow::PortStats> stats = plane.port_stats(port);
        if (!stats)
            return ofp_error(BadRequest::bad_port, format("port {}: no such port", port.value()));
        all.push_back(*stats);
        return all;
    }
    for (const openflow::PortDesc& desc : plane.ports())
        if (const auto stats = plane.port_stats(desc.port)) all.push_back(*stats);
    return all;
}

OfResult<void> send_packet(Plane& plane, const openflow::PacketOut& message,
                           const Targets& targets) {
    if (message.buffer_id != openflow::kNoBuffer)
        return ofp_error(BadRequest::buffer_unknown,
                         format("buffer {}: packets are not buffered", message.buffer_id));
    if (message.in_port != port::kController && !plane.port(message.in_port))
        return ofp_error(BadRequest::bad_port,
                         format("in_port {}: no such port", message.in_port.value()));
    TRY(openflow::check_actions(message.actions, openflow::ActionPlace::packet_out, targets));
    if (message.data.size() < kEthernetHeaderSize)
        return ofp_error(
            BadRequest::bad_packet,
            format("packet of {} bytes: shorter than an Ethernet header", message.data.size()));
    return plane.packet_out(message.in_port, message.actions, message.data);
}

openflow::PacketIn packet_in_message(const PacketInEvent& event, const SwitchConfig& config) {
    openflow::PacketIn message;
    message.total_len = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(event.total_size, std::numeric_limits<std::uint16_t>::max()));
    message.reason = event.reason;
    message.table = event.table;
    message.cookie = event.cookie;
    add_integer(message.match, Field::in_port, event.in_port.value());
    // §7.4.1: in_phy_port only where it differs, the others only where they are not zero.
    if (event.in_phy_port.value() != 0 && event.in_phy_port != event.in_port)
        add_integer(message.match, Field::in_phy_port, event.in_phy_port.value());
    if (event.metadata != 0) add_integer(message.match, Field::metadata, event.metadata);
    if (event.tunnel_id != 0) add_integer(message.match, Field::tunnel_id, event.tunnel_id);
    // An output action's max_len was applied where the packet was copied. miss_send_len is for
    // packets that no output action sent: those of an invalid TTL (§7.3.2).
    std::size_t size = event.data.size();
    if (event.reason == openflow::PacketInReason::invalid_ttl &&
        config.miss_send_len != openflow::kWholePacket)
        size = std::min<std::size_t>(size, config.miss_send_len);
    message.data.assign(event.data.begin(), event.data.begin() + static_cast<std::ptrdiff_t>(size));
    return message;
}

}  // namespace raicho::agent
