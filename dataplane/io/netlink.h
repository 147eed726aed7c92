// SPDX-License-Identifier: Apache-2.0
// What the dataplane asks of and tells the kernel about network interfaces (rtnetlink): links that
// come, go and change, addresses, the few settings we make. Not the packets (af_packet_port.h), not
// the decision whether an interface may be taken (interface_guard.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/addr.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/handle.h"

namespace raicho::io {

/// One network interface of this network namespace as the kernel last told it.
struct Link {
    std::uint32_t ifindex = 0;
    std::string name;
    bool admin_up = false;
    /// Administratively up with a carrier.
    bool running = false;
    std::uint32_t mtu = 0;
    Mac mac;
    std::string alias{};  // free text; taps we made carry one (tap_port.h)
    /// The bridge, bond or the like whose member it is; 0 = none.
    std::uint32_t master = 0;
    /// The link of this namespace that its packets go through (VLAN, macvlan, tunnel); 0 = none.
    /// Not the other end of a veth pair.
    std::uint32_t lower = 0;
    friend bool operator==(const Link&, const Link&) = default;
};

/// A link that was deleted or moved to another network namespace.
struct LinkGone {
    std::uint32_t ifindex = 0;
    std::string name;
    friend bool operator==(const LinkGone&, const LinkGone&) = default;
};

using LinkEvent = std::variant<Link, LinkGone>;

/// IPv4 or IPv6 address; `bytes` are 4 or 16 in network order.
struct IpAddress {
    std::vector<std::uint8_t> bytes;
    friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

struct InterfaceAddress {
    std::uint32_t ifindex = 0;
    IpAddress address;
    std::uint8_t prefix = 0;
    friend bool operator==(const InterfaceAddress&, const InterfaceAddress&) = default;
};

/// A route to 0.0.0.0/0 or ::/0; several interfaces when it is a multipath route.
struct DefaultRoute {
    std::vector<std::uint32_t> ifindexes;
};

/// What one datagram of rtnetlink says about links; other messages are skipped, damaged ones end
/// the walk.
[[nodiscard]] std::vector<LinkEvent> parse_links(Bytes datagram);
[[nodiscard]] std::vector<InterfaceAddress> parse_addresses(Bytes datagram);
[[nodiscard]] std::vector<DefaultRoute> parse_default_routes(Bytes datagram);

/// `10.0.0.1/24`, `fe80::1/64`; without a prefix length 32 or 128. ifindex is left 0.
[[nodiscard]] std::optional<InterfaceAddress> parse_interface_address(std::string_view text);
/// `10.0.0.1/24,fe80::1/64`, blanks around the parts allowed; empty text gives an empty list.
[[nodiscard]] Result<std::vector<InterfaceAddress>> parse_interface_addresses(
    std::string_view text);

/// Requests to the kernel, one at a time, each answered before the call returns.
class Netlink {
  public:
    static Result<Netlink> open();

    [[nodiscard]] Result<std::vector<Link>> links();
    /// The interface of that name, nothing when there is none.
    [[nodiscard]] Result<std::optional<Link>> link(std::string_view name);
    [[nodiscard]] Result<std::vector<InterfaceAddress>> addresses();
    [[nodiscard]] Result<std::vector<DefaultRoute>> default_routes();

    [[nodiscard]] Result<void> set_up(std::uint32_t ifindex);
    [[nodiscard]] Result<void> set_mtu(std::uint32_t ifindex, std::uint32_t mtu);
    [[nodiscard]] Result<void> set_mac(std::uint32_t ifindex, const Mac& mac);
    [[nodiscard]] Result<void> set_alias(std::uint32_t ifindex, std::string_view alias);
    /// The removal of an IPv4 address takes no other one of its subnet along.
    [[nodiscard]] Result<void> promote_secondaries(std::uint32_t ifindex);
    [[nodiscard]] Result<void> delete_link(std::uint32_t ifindex);
    /// Adds the address; one that is there already is no error.
    [[nodiscard]] Result<void> add_address(const InterfaceAddress& address);
    [[nodiscard]] Result<void> delete_address(const InterfaceAddress& address);

  private:
    explicit Netlink(Fd fd) : fd_(std::move(fd)) {}
    /// Sends a request and hands every datagram of the answer to `take`.
    Result<void> transact(Bytes request, const std::function<void(Bytes)>& take);

    Fd fd_;
    std::uint32_t sequence_ = 0;
};

/// Notifications of links. After an overrun of the socket `receive` says so and the owner reads
/// all links anew.
class LinkMonitor {
  public:
    static Result<LinkMonitor> open();

    [[nodiscard]] int fd() const { return fd_.get(); }
    enum class Outcome : std::uint8_t { complete, overrun };
    /// Takes everything that waits; never blocks.
    Outcome receive(const std::function<void(const LinkEvent&)>& take);

  private:
    explicit LinkMonitor(Fd fd) : fd_(std::move(fd)) {}
    Fd fd_;
};

}  // namespace raicho::io
