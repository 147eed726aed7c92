// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/packet_socket.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace raicho::io {
namespace {

constexpr int kReceiveBuffer = 16 << 20;
constexpr int kSendBuffer = 4 << 20;
constexpr unsigned kFanoutIgnoreOutgoing = 0x4000;  // absent from Debian 12's headers

Result<Fd> open_socket() {
    Fd fd(::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) {
        auto error = fail_errno("packet socket", errno);
        if (errno == EPERM || errno == EACCES)
            error.error().hint = "raicho-dataplane needs root or CAP_NET_RAW and CAP_NET_ADMIN";
        return error;
    }
    return fd;
}

Result<void> set_option(const Fd& fd, int option, int value, const char* name) {
    if (::setsockopt(fd.get(), SOL_PACKET, option, &value, sizeof value) != 0)
        return fail_errno(format("packet socket option {}", name), errno);
    return {};
}

/// A buffer beyond net.core.*mem_max where we may, up to it where not.
void set_buffer(const Fd& fd, int forced, int plain, int size) {
    if (::setsockopt(fd.get(), SOL_SOCKET, forced, &size, sizeof size) != 0)
        ::setsockopt(fd.get(), SOL_SOCKET, plain, &size, sizeof size);
}

sockaddr_ll link_address(std::uint32_t ifindex, std::uint16_t protocol) {
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(protocol);
    address.sll_ifindex = static_cast<int>(ifindex);
    return address;
}

Result<void> bind_to(const Fd& fd, const sockaddr_ll& address) {
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail_errno("bind the packet socket", errno);
    return {};
}

}  // namespace

std::optional<VlanTag> stripped_tag(const msghdr& message) noexcept {
    // CMSG_NXTHDR wants a mutable head although it only reads
    auto& mutable_message = const_cast<msghdr&>(message);
    for (const cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr;
         c = CMSG_NXTHDR(&mutable_message, const_cast<cmsghdr*>(c))) {
        if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA) continue;
        tpacket_auxdata aux;
        if (c->cmsg_len < CMSG_LEN(sizeof aux)) continue;
        std::memcpy(&aux, CMSG_DATA(c), sizeof aux);
        if ((aux.tp_status & TP_STATUS_VLAN_VALID) == 0) return std::nullopt;
        const bool has_tpid = (aux.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0;
        return VlanTag{.tpid = has_tpid ? aux.tp_vlan_tpid : std::uint16_t{ETH_P_8021Q},
                       .tci = aux.tp_vlan_tci};
    }
    return std::nullopt;
}

Result<Fd> open_packet_rx(std::uint32_t ifindex, std::uint32_t buffer) {
    TRY_ASSIGN(Fd fd, open_socket());
    TRY(set_option(fd, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR"));
    TRY(set_option(fd, PACKET_AUXDATA, 1, "PACKET_AUXDATA"));
    TRY(set_option(fd, PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING"));
    set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF,
               buffer != 0 ? static_cast<int>(buffer) : kReceiveBuffer);
    packet_mreq promiscuous{};
    promiscuous.mr_ifindex = static_cast<int>(ifindex);
    promiscuous.mr_type = PACKET_MR_PROMISC;
    if (::setsockopt(fd.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous,
                     sizeof promiscuous) != 0)
        return fail_errno("set the interface promiscuous", errno);
    TRY(bind_to(fd, link_address(ifindex, ETH_P_ALL)));
    return fd;
}

Result<Fanout> join_fanout(const Fd& socket, Fanout group) {
    unsigned type = PACKET_FANOUT_HASH | kFanoutIgnoreOutgoing;
    if (group.id == 0) type |= PACKET_FANOUT_FLAG_UNIQUEID;
    const int argument = static_cast<int>(group.id | type << 16);
    TRY(set_option(socket, PACKET_FANOUT, argument, "PACKET_FANOUT"));
    int joined = 0;
    socklen_t size = sizeof joined;
    if (::getsockopt(socket.get(), SOL_PACKET, PACKET_FANOUT, &joined, &size) != 0)
        return fail_errno("packet socket option PACKET_FANOUT", errno);
    return Fanout{static_cast<std::uint16_t>(joined & 0xffff)};
}

Result<Fd> open_packet_tx(std::uint32_t ifindex) {
    TRY_ASSIGN(Fd fd, open_socket());
    TRY(set_option(fd, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR"));
    set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, kSendBuffer);
    TRY(bind_to(fd, link_address(ifindex, 0)));
    return fd;
}

std::uint64_t packet_drops(const Fd& socket) noexcept {
    tpacket_stats stats{};
    socklen_t size = sizeof stats;
    if (::getsockopt(socket.get(), SOL_PACKET, PACKET_STATISTICS, &stats, &size) != 0) return 0;
    return stats.tp_drops;
}

}  // namespace raicho::io
