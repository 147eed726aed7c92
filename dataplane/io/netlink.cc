// SPDX-License-Identifier: Apache-2.0
// The sockets of rtnetlink: requests with their answers, and the notifications of links.
#include "dataplane/io/netlink.h"

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace raicho::io {
namespace {

constexpr std::size_t kDatagramSize = 64 * 1024;
constexpr int kDumpTries = 20;
constexpr std::size_t kLongestAlias = 255;  // IFALIASZ - 1

Result<Fd> open_socket(std::uint32_t groups, int extra_flags) {
    Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | extra_flags, NETLINK_ROUTE));
    if (!fd) return fail_errno("netlink socket", errno);
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fail_errno("bind the netlink socket", errno);
    return fd;
}

/// A request under construction in its own buffer.
struct Request {
    alignas(nlmsghdr) std::array<char, 512> buffer{};
    nlmsghdr* head = mnl_nlmsg_put_header(buffer.data());

    Request() = default;
    Request(const Request&) = delete;  // `head` points into this object
    Request& operator=(const Request&) = delete;

    template <class Family>
    Family* start(std::uint16_t type, std::uint16_t flags) {
        head->nlmsg_type = type;
        head->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
        return static_cast<Family*>(mnl_nlmsg_put_extra_header(head, sizeof(Family)));
    }
    [[nodiscard]] Bytes bytes() const {
        return std::as_bytes(std::span(buffer.data(), head->nlmsg_len));
    }
};

/// Repeats a dump during which the tables changed: it may lack rows.
template <class Dump>
Result<void> until_whole(Dump dump) {
    for (int tries = 1;; ++tries) {
        auto done = dump();
        if (done || done.error().code != EINTR || tries == kDumpTries) return done;
    }
}

std::vector<Link> only_links(std::vector<LinkEvent> events) {
    std::vector<Link> out;
    for (LinkEvent& event : events)
        if (auto* link = std::get_if<Link>(&event)) out.push_back(std::move(*link));
    return out;
}

}  // namespace

Result<Netlink> Netlink::open() {
    TRY_ASSIGN(Fd fd, open_socket(0, 0));
    return Netlink(std::move(fd));
}

Result<void> Netlink::transact(Bytes request, const std::function<void(Bytes)>& take) {
    std::vector<std::byte> copy(request.begin(), request.end());
    auto* head = reinterpret_cast<nlmsghdr*>(copy.data());
    head->nlmsg_seq = ++sequence_;
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    if (::sendto(fd_.get(), copy.data(), copy.size(), 0, reinterpret_cast<const sockaddr*>(&kernel),
                 sizeof kernel) < 0)
        return fail_errno("netlink request", errno);
    std::vector<std::byte> answer(kDatagramSize);
    bool interrupted = false;
    for (;;) {
        const ssize_t size = ::recv(fd_.get(), answer.data(), answer.size(), 0);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return fail_errno("netlink answer", errno);
        const Bytes datagram(answer.data(), static_cast<std::size_t>(size));
        const auto* at = reinterpret_cast<const nlmsghdr*>(datagram.data());
        int left = static_cast<int>(size);
        bool multi = false;
        bool ours = false;
        for (; mnl_nlmsg_ok(at, left); at = mnl_nlmsg_next(at, &left)) {
            if (at->nlmsg_seq != sequence_) continue;
            ours = true;
            interrupted = interrupted || (at->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
            multi = multi || (at->nlmsg_flags & NLM_F_MULTI) != 0;
            if (at->nlmsg_type == NLMSG_DONE) {
                take(datagram);  // it may hold the last rows as well
                if (interrupted)
                    return std::unexpected(Error{"netlink: changed meanwhile", {}, EINTR});
                return {};
            }
            if (at->nlmsg_type == NLMSG_ERROR) {
                if (mnl_nlmsg_get_payload_len(at) < sizeof(nlmsgerr))
                    return fail("netlink answer: shorter than its head");
                const int code = static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(at))->error;
                if (code == 0) return {};
                return fail_errno("netlink", -code);
            }
        }
        if (!ours) continue;  // late, of a request that failed
        take(datagram);
        if (!multi && (head->nlmsg_flags & NLM_F_ACK) == 0) return {};
    }
}

Result<std::vector<Link>> Netlink::links() {
    Request request;
    request.start<ifinfomsg>(RTM_GETLINK, NLM_F_DUMP)->ifi_family = AF_UNSPEC;
    std::vector<Link> out;
    TRY(until_whole([&] {
        out.clear();
        return transact(request.bytes(), [&](Bytes datagram) {
            for (Link& link : only_links(parse_links(datagram))) out.push_back(std::move(link));
        });
    }));
    return out;
}

Result<std::optional<Link>> Netlink::link(std::string_view name) {
    if (name.empty() || name.size() >= IFNAMSIZ) return std::optional<Link>();
    Request request;
    request.start<ifinfomsg>(RTM_GETLINK, 0)->ifi_family = AF_UNSPEC;
    mnl_attr_put_strz(request.head, IFLA_IFNAME, std::string(name).c_str());
    std::optional<Link> out;
    const auto done = transact(request.bytes(), [&](Bytes datagram) {
        auto found = only_links(parse_links(datagram));
        if (!found.empty()) out = std::move(found.front());
    });
    if (!done && done.error().code != ENODEV) return std::unexpected(done.error());
    return out;
}

Result<std::vector<InterfaceAddress>> Netlink::addresses() {
    Request request;
    request.start<ifaddrmsg>(RTM_GETADDR, NLM_F_DUMP)->ifa_family = AF_UNSPEC;
    std::vector<InterfaceAddress> out;
    TRY(until_whole([&] {
        out.clear();
        return transact(request.bytes(), [&](Bytes datagram) {
            for (InterfaceAddress& address : parse_addresses(datagram))
                out.push_back(std::move(address));
        });
    }));
    return out;
}

Result<std::vector<DefaultRoute>> Netlink::default_routes() {
    Request request;
    request.start<rtmsg>(RTM_GETROUTE, NLM_F_DUMP)->rtm_family = AF_UNSPEC;
    std::vector<DefaultRoute> out;
    TRY(until_whole([&] {
        out.clear();
        return transact(request.bytes(), [&](Bytes datagram) {
            for (DefaultRoute& route : parse_default_routes(datagram))
                out.push_back(std::move(route));
        });
    }));
    return out;
}

Result<void> Netlink::set_up(std::uint32_t ifindex) {
    Request request;
    auto* head = request.start<ifinfomsg>(RTM_NEWLINK, NLM_F_ACK);
    head->ifi_index = static_cast<int>(ifindex);
    head->ifi_flags = IFF_UP;
    head->ifi_change = IFF_UP;
    return transact(request.bytes(), [](Bytes) {});
}

Result<void> Netlink::set_mtu(std::uint32_t ifindex, std::uint32_t mtu) {
    Request request;
    request.start<ifinfomsg>(RTM_NEWLINK, NLM_F_ACK)->ifi_index = static_cast<int>(ifindex);
    mnl_attr_put_u32(request.head, IFLA_MTU, mtu);
    return transact(request.bytes(), [](Bytes) {});
}

Result<void> Netlink::set_mac(std::uint32_t ifindex, const Mac& mac) {
    Request request;
    request.start<ifinfomsg>(RTM_NEWLINK, NLM_F_ACK)->ifi_index = static_cast<int>(ifindex);
    mnl_attr_put(request.head, IFLA_ADDRESS, mac.bytes.size(), mac.bytes.data());
    return transact(request.bytes(), [](Bytes) {});
}

Result<void> Netlink::set_alias(std::uint32_t ifindex, std::string_view alias) {
    Request request;
    request.start<ifinfomsg>(RTM_NEWLINK, NLM_F_ACK)->ifi_index = static_cast<int>(ifindex);
    mnl_attr_put(request.head, IFLA_IFALIAS, std::min(alias.size(), kLongestAlias), alias.data());
    return transact(request.bytes(), [](Bytes) {});
}

Result<void> Netlink::promote_secondaries(std::uint32_t ifindex) {
    Request request;
    request.start<ifinfomsg>(RTM_NEWLINK, NLM_F_ACK)->ifi_index = static_cast<int>(ifindex);
    nlattr* families = mnl_attr_nest_start(request.head, IFLA_AF_SPEC);
    nlattr* family = mnl_attr_nest_start(request.head, AF_INET);
    nlattr* settings = mnl_attr_nest_start(request.head, IFLA_INET_CONF);
    mnl_attr_put_u32(request.head, IPV4_DEVCONF_PROMOTE_SECONDARIES, 1);
    mnl_attr_nest_end(request.head, settings);
    mnl_attr_nest_end(request.head, family);
    mnl_attr_nest_end(request.head, families);
    return transact(request.bytes(), [](Bytes) {});
}

Result<void> Netlink::delete_link(std::uint32_t ifindex) {
    Request request;
    request.start<ifinfomsg>(RTM_DELLINK, NLM_F_ACK)->ifi_index = static_cast<int>(ifindex);
    return transact(request.bytes(), [](Bytes) {});
}

namespace {

void fill_address(Request& request, const InterfaceAddress& address, std::uint16_t type,
                  std::uint16_t flags) {
    auto* head = request.start<ifaddrmsg>(type, static_cast<std::uint16_t>(NLM_F_ACK | flags));
    head->ifa_family = address.address.bytes.size() == 4 ? AF_INET : AF_INET6;
    head->ifa_prefixlen = address.prefix;
    head->ifa_index = address.ifindex;
    mnl_attr_put(request.head, IFA_LOCAL, address.address.bytes.size(),
                 address.address.bytes.data());
    mnl_attr_put(request.head, IFA_ADDRESS, address.address.bytes.size(),
                 address.address.bytes.data());
}

}  // namespace

Result<void> Netlink::add_address(const InterfaceAddress& address) {
    Request request;
    fill_address(request, address, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
    auto done = transact(request.bytes(), [](Bytes) {});
    if (!done && done.error().code == EEXIST) return {};
    return done;
}

Result<void> Netlink::delete_address(const InterfaceAddress& address) {
    Request request;
    fill_address(request, address, RTM_DELADDR, 0);
    return transact(request.bytes(), [](Bytes) {});
}

Result<LinkMonitor> LinkMonitor::open() {
    TRY_ASSIGN(Fd fd, open_socket(RTMGRP_LINK, SOCK_NONBLOCK));
    const int size = 1 << 20;
    if (::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    return LinkMonitor(std::move(fd));
}

LinkMonitor::Outcome LinkMonitor::receive(const std::function<void(const LinkEvent&)>& take) {
    std::vector<std::byte> datagram(kDatagramSize);
    Outcome outcome = Outcome::complete;
    for (;;) {
        const ssize_t size = ::recv(fd_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno == ENOBUFS) {
            outcome = Outcome::overrun;
            continue;
        }
        if (size <= 0) return outcome;
        for (const LinkEvent& event :
             parse_links({datagram.data(), static_cast<std::size_t>(size)}))
            take(event);
    }
}

}  // namespace raicho::io
