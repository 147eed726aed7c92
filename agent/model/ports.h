// SPDX-License-Identifier: Apache-2.0
// What controllers do with ports and packets: port-mod, packet-out, packet-in (OF 1.3.5 §7.3.4.4,
// §7.3.7, §7.4.1). The ports themselves are the plane's.
#pragma once

#include "agent/model/plane.h"
#include "agent/model/targets.h"
#include "openflow/message.h"

namespace raicho::agent {

/// Applies the port-mod. The port as it is now when its config changed, nothing when it had it
/// already. Errors: PortModFailed bad_port, bad_hw_addr, bad_config, bad_advertise.
[[nodiscard]] openflow::OfResult<std::optional<openflow::PortDesc>> modify_port(
    Plane& plane, const openflow::PortMod& mod);

/// Statistics of a port, or of all with OFPP_ANY. Errors: BadRequest::bad_port.
[[nodiscard]] openflow::OfResult<std::vector<openflow::PortStats>> port_stats(const Plane& plane,
                                                                              PortNo port);

/// Checks and sends. Errors: BadRequest buffer_unknown, bad_port (in_port is neither an existing
/// port nor OFPP_CONTROLLER), bad_packet (shorter than an Ethernet header); BadAction.
[[nodiscard]] openflow::OfResult<void> send_packet(Plane& plane, const openflow::PacketOut& message,
                                                   const Targets& targets);

/// The message of a packet that a worker sent up. Packets are not buffered: buffer_id is
/// OFP_NO_BUFFER and the controller gets the bytes that max_len asked for.
[[nodiscard]] openflow::PacketIn packet_in_message(const PacketInEvent& event,
                                                   const SwitchConfig& config);

}  // namespace raicho::agent
