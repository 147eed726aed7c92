// SPDX-License-Identifier: Apache-2.0
#include "supervisor/stray_taps.h"

#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/handle.h"
#include "base/text.h"

namespace raicho::supervisor {

namespace {

constexpr std::size_t kAnswerSize = 64 * 1024;

struct Request {
    nlmsghdr head;
    ifinfomsg link;
};

Request request(std::uint16_t type, int flags, int index) {
    Request r{};
    r.head.nlmsg_len = sizeof r;
    r.head.nlmsg_type = type;
    r.head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    r.link.ifi_index = index;
    return r;
}

std::string_view text_of(const rtattr* attribute) {
    const std::string_view all(static_cast<const char*>(RTA_DATA(attribute)),
                               static_cast<std::size_t>(RTA_PAYLOAD(attribute)));
    return all.substr(0, all.find('\0'));
}

struct Link {
    int index = 0;
    std::string name;
    std::string alias;
};

/// NLMSG_DATA, which casts as C does.
template <class Body>
const Body* body_of(const nlmsghdr* message) {
    static_assert(sizeof(nlmsghdr) % NLMSG_ALIGNTO == 0);
    return reinterpret_cast<const Body*>(message + 1);
}

Link link_of(const nlmsghdr* message) {
    const auto* head = body_of<ifinfomsg>(message);
    Link link{head->ifi_index, {}, {}};
    auto left = static_cast<unsigned>(IFLA_PAYLOAD(message));
    for (const rtattr* a = IFLA_RTA(head); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
        if (a->rta_type == IFLA_IFNAME) link.name = text_of(a);
        if (a->rta_type == IFLA_IFALIAS) link.alias = text_of(a);
    }
    return link;
}

/// Sends the request and takes the answers; an error that the kernel says is one.
Result<std::vector<Link>> ask(const Fd& socket, const Request& r) {
    if (::send(socket.get(), &r, sizeof r, 0) < 0) return fail_errno("netlink", errno);
    std::vector<Link> links;
    alignas(nlmsghdr) std::array<char, kAnswerSize> answer{};
    for (;;) {
        const ssize_t size = ::recv(socket.get(), answer.data(), answer.size(), 0);
        if (size < 0) return fail_errno("netlink", errno);
        auto left = static_cast<unsigned>(size);
        for (const auto* m = reinterpret_cast<const nlmsghdr*>(answer.data()); NLMSG_OK(m, left);
             m = NLMSG_NEXT(m, left)) {
            if (m->nlmsg_type == NLMSG_DONE) return links;
            if (m->nlmsg_type == NLMSG_ERROR) {
                const int code = -body_of<nlmsgerr>(m)->error;
                if (code != 0) return fail_errno("netlink", code);
                return links;
            }
            if (m->nlmsg_type == RTM_NEWLINK) links.push_back(link_of(m));
        }
    }
}

}  // namespace

Result<std::vector<StrayTap>> remove_stray_taps(const std::string& rundir) {
    const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (!socket) return fail_errno("netlink", errno);
    TRY_ASSIGN(const std::vector<Link> links, ask(socket, request(RTM_GETLINK, NLM_F_DUMP, 0)));
    std::vector<StrayTap> strays;
    for (const Link& link : links) {
        if (link.alias != format("raicho {}", rundir)) continue;
        auto done = ask(socket, request(RTM_DELLINK, NLM_F_ACK, link.index));
        StrayTap& stray = strays.emplace_back(StrayTap{link.name, {}});
        if (!done) stray.removed = std::unexpected(std::move(done.error()));
    }
    return strays;
}

}  // namespace raicho::supervisor
