// SPDX-License-Identifier: Apache-2.0
// Keeps the operator connected: an interface that carries the default route or a login session is
// not taken as a switch port unless the port says `force`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "dataplane/io/netlink.h"

namespace raicho::io {

/// Local addresses of established TCP sessions whose local port is `ssh_port`, out of the text of
/// /proc/net/tcp or /proc/net/tcp6; IPv4 addresses mapped into IPv6 come as IPv4.
[[nodiscard]] std::vector<IpAddress> session_addresses(std::string_view proc_net_tcp,
                                                       std::uint16_t ssh_port);

/// The server's address out of $SSH_CONNECTION (`client port server port`).
[[nodiscard]] std::optional<IpAddress> ssh_server_address(std::string_view ssh_connection);

/// What the kernel says of this namespace and who is logged in.
struct Surroundings {
    std::vector<Link> links;
    std::vector<DefaultRoute> routes;
    std::vector<InterfaceAddress> addresses;
    std::vector<IpAddress> sessions;
};
/// Asks the kernel: dumps whose size grows with the number of interfaces.
[[nodiscard]] Result<Surroundings> look_around(Netlink& netlink);

/// Why the interface must be left alone, or nothing. What lies above it counts as its own: the
/// bridge or bond whose member it is, the VLANs and tunnels that go through it. Pure: what the
/// kernel said comes in.
[[nodiscard]] std::optional<std::string> reason_to_refuse(const Link& link,
                                                          const Surroundings& around);

/// An error says why and that `force` overrides.
[[nodiscard]] Result<void> check_interface(const Link& link, const Surroundings& around);

}  // namespace raicho::io
