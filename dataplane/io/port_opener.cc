// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/port_opener.h"

#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "base/text.h"
#include "dataplane/io/af_packet_port.h"
#include "dataplane/io/null_port.h"
#include "dataplane/io/status_row.h"
#include "dataplane/io/tap_port.h"

namespace raicho::io {
namespace {

/// What ethtool says, 0 when it does not know.
std::uint32_t link_speed(const std::string& interface) {
    const Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ethtool_cmd command{};
    command.cmd = ETHTOOL_GSET;
    ifreq request{};
    std::memcpy(request.ifr_name, interface.data(),
                std::min<std::size_t>(interface.size(), IFNAMSIZ - 1));
    request.ifr_data = reinterpret_cast<char*>(&command);
    if (!fd || ::ioctl(fd.get(), SIOCETHTOOL, &request) != 0) return 0;
    const std::uint32_t speed = command.speed | std::uint32_t{command.speed_hi} << 16;
    return speed == static_cast<std::uint32_t>(SPEED_UNKNOWN) || speed == 0xffff ? 0 : speed;
}

Result<OpenedPort> open_af_packet(OpenContext& context, const PortSettings& settings) {
    const std::string interface = interface_of(settings);
    TRY_ASSIGN(auto link, context.netlink.link(interface));
    if (!link) return OpenedPort{nullptr, absent_state(interface)};
    if (settings.force == PortSettings::Force::no) {
        if (!context.around) {
            TRY_ASSIGN(context.around, look_around(context.netlink));
        }
        TRY(check_interface(*link, *context.around));
    }
    if (settings.mtu != 0 && settings.mtu != link->mtu) {
        if (const auto done = context.netlink.set_mtu(link->ifindex, settings.mtu); !done)
            return fail(format("interface {}: set the MTU to {}: {}", interface, settings.mtu,
                               done.error().text));
        link->mtu = settings.mtu;
    }
    const std::uint16_t queues = std::clamp<std::uint16_t>(settings.queues, 1, context.workers);
    auto port = AfPacketPort::open(link->ifindex, settings.slot, queues, context.workers,
                                   context.rx_buffer);
    if (!port) {
        port.error().text = format("interface {}: {}", interface, port.error().text);
        return std::unexpected(std::move(port.error()));
    }
    return OpenedPort{std::move(*port), state_of(*link)};
}

Result<OpenedPort> open_tap(OpenContext& context, const PortSettings& settings) {
    const std::string interface = interface_of(settings);
    TRY_ASSIGN(const auto addresses,
               parse_interface_addresses(settings.kind == shm::PortKind::local ? settings.device
                                                                               : std::string()));
    TRY_ASSIGN(auto port, TapPort::open(context.netlink, settings, interface, context.rundir,
                                        context.workers));
    TRY_ASSIGN(auto link, context.netlink.link(interface));
    if (!link) return fail(format("tap {}: it went away while it was opened", interface));
    if (settings.mtu != 0 && settings.mtu != link->mtu) {
        if (const auto done = context.netlink.set_mtu(link->ifindex, settings.mtu); !done)
            return fail(format("tap {}: set the MTU to {}: {}", interface, settings.mtu,
                               done.error().text));
        link->mtu = settings.mtu;
    }
    for (InterfaceAddress address : addresses) {
        address.ifindex = link->ifindex;
        const auto done = context.netlink.add_address(address);
        if (done) continue;
        return fail(format("tap {}: add its address: {}", interface, done.error().text),
                    done.error().code == EACCES
                        ? "IPv6 is switched off here (sysctl net.ipv6.conf.all.disable_ipv6)"
                        : "");
    }
    return OpenedPort{std::move(port), state_of(*link)};
}

}  // namespace

PortState state_of(const Link& link) {
    PortState state;
    state.health = link.running ? shm::PortHealth::up : shm::PortHealth::down;
    if (!link.admin_up)
        state.text = format("interface {} is down (ip link set {} up)", link.name, link.name);
    else if (!link.running)
        state.text = format("no carrier on {}", link.name);
    state.ifindex = link.ifindex;
    state.mtu = link.mtu;
    state.mac = link.mac;
    if (link.running) state.speed_mbps = link_speed(link.name);
    return state;
}

PortState absent_state(const std::string& interface) {
    PortState state;
    state.health = shm::PortHealth::absent;
    state.text = format("no interface {}", interface);
    return state;
}

std::string full_text(const Error& error) {
    return error.hint.empty() ? error.text : format("{}; {}", error.text, error.hint);
}

Result<OpenedPort> open_port(OpenContext& context, const PortSettings& settings) {
    using enum shm::PortKind;
    switch (settings.kind) {
        case none: break;
        case af_packet: return open_af_packet(context, settings);
        case tap:
        case local: return open_tap(context, settings);
        case null: {
            PortState state;
            state.health = shm::PortHealth::up;
            state.mtu = settings.mtu;
            return OpenedPort{std::make_unique<NullPort>(), std::move(state)};
        }
        case ethdev: {
            TRY_ASSIGN(auto port, EthdevPort::open(settings, context.buffers, context.workers));
            PortState state = port->state();
            return OpenedPort{std::move(port), std::move(state)};
        }
    }
    return fail(format("port \"{}\": it has no kind", settings.name));
}

}  // namespace raicho::io
