// SPDX-License-Identifier: Apache-2.0
// Reading of rtnetlink datagrams: pure functions of the bytes.
#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>

#include <cstring>

#include "base/text.h"
#include "dataplane/io/netlink.h"

namespace raicho::io {
namespace {

/// Calls `take` with each whole message of the datagram.
template <class Take>
void each_message(Bytes datagram, Take take) {
    const auto* at = reinterpret_cast<const nlmsghdr*>(datagram.data());
    int left = static_cast<int>(datagram.size());
    while (mnl_nlmsg_ok(at, left)) {
        take(at);
        at = mnl_nlmsg_next(at, &left);
    }
}

/// Calls `take` with each whole attribute from `begin` to `end`.
template <class Take>
void each_attribute(const void* begin, const void* end, Take take) {
    const auto* at = static_cast<const nlattr*>(begin);
    while (mnl_attr_ok(
        at, static_cast<int>(static_cast<const char*>(end) - reinterpret_cast<const char*>(at)))) {
        take(at);
        at = mnl_attr_next(at);
    }
}

/// The same behind a fixed head of `head_size` bytes.
template <class Take>
void each_attribute(const nlmsghdr* message, std::size_t head_size, Take take) {
    each_attribute(mnl_nlmsg_get_payload_offset(message, head_size),
                   mnl_nlmsg_get_payload_tail(message), take);
}

template <class Head>
const Head* head_of(const nlmsghdr* message) {
    if (mnl_nlmsg_get_payload_len(message) < sizeof(Head)) return nullptr;
    return static_cast<const Head*>(mnl_nlmsg_get_payload(message));
}

std::optional<std::uint32_t> u32_of(const nlattr* attribute) {
    if (mnl_attr_get_payload_len(attribute) < sizeof(std::uint32_t)) return std::nullopt;
    return mnl_attr_get_u32(attribute);
}

/// Whether IFLA_LINKINFO names that kind of link.
bool is_kind(const nlattr* linkinfo, std::string_view kind) {
    const auto* begin = static_cast<const char*>(mnl_attr_get_payload(linkinfo));
    bool is = false;
    each_attribute(begin, begin + mnl_attr_get_payload_len(linkinfo), [&](const nlattr* a) {
        if (mnl_attr_get_type(a) != IFLA_INFO_KIND) return;
        const auto* text = static_cast<const char*>(mnl_attr_get_payload(a));
        is = std::string_view(text, strnlen(text, mnl_attr_get_payload_len(a))) == kind;
    });
    return is;
}

IpAddress address_of(const nlattr* attribute) {
    const auto* bytes = static_cast<const std::uint8_t*>(mnl_attr_get_payload(attribute));
    return {{bytes, bytes + mnl_attr_get_payload_len(attribute)}};
}

void parse_link(const nlmsghdr* message, std::vector<LinkEvent>& out) {
    const auto* head = head_of<ifinfomsg>(message);
    // a bridge port's notifications (AF_BRIDGE) repeat the link without its life
    if (head == nullptr || head->ifi_family != AF_UNSPEC || head->ifi_index <= 0) return;
    Link link;
    link.ifindex = static_cast<std::uint32_t>(head->ifi_index);
    link.admin_up = (head->ifi_flags & IFF_UP) != 0;
    link.running = link.admin_up && (head->ifi_flags & IFF_LOWER_UP) != 0;
    bool lower_is_here = true;
    each_attribute(message, sizeof(ifinfomsg), [&](const nlattr* a) {
        const std::size_t size = mnl_attr_get_payload_len(a);
        const auto* data = static_cast<const char*>(mnl_attr_get_payload(a));
        if (mnl_attr_get_type(a) == IFLA_IFNAME)
            link.name.assign(data, strnlen(data, size));
        else if (mnl_attr_get_type(a) == IFLA_IFALIAS)
            link.alias.assign(data, strnlen(data, size));
        else if (mnl_attr_get_type(a) == IFLA_MTU)
            link.mtu = u32_of(a).value_or(0);
        else if (mnl_attr_get_type(a) == IFLA_MASTER)
            link.master = u32_of(a).value_or(0);
        else if (mnl_attr_get_type(a) == IFLA_LINK)
            link.lower = u32_of(a).value_or(0);
        else if (mnl_attr_get_type(a) == IFLA_LINK_NETNSID ||
                 (mnl_attr_get_type(a) == IFLA_LINKINFO && is_kind(a, "veth")))
            lower_is_here = false;
        else if (mnl_attr_get_type(a) == IFLA_ADDRESS && size == link.mac.bytes.size())
            std::memcpy(link.mac.bytes.data(), data, size);
    });
    if (!lower_is_here || link.lower == link.ifindex) link.lower = 0;
    if (message->nlmsg_type == RTM_DELLINK)
        out.emplace_back(LinkGone{link.ifindex, link.name});
    else
        out.emplace_back(std::move(link));
}

void parse_route(const nlmsghdr* message, std::vector<DefaultRoute>& out) {
    const auto* head = head_of<rtmsg>(message);
    if (head == nullptr || head->rtm_dst_len != 0 || head->rtm_type != RTN_UNICAST) return;
    if (head->rtm_table == RT_TABLE_LOCAL) return;
    DefaultRoute route;
    each_attribute(message, sizeof(rtmsg), [&](const nlattr* a) {
        if (mnl_attr_get_type(a) == RTA_OIF) {
            if (const auto oif = u32_of(a)) route.ifindexes.push_back(*oif);
        } else if (mnl_attr_get_type(a) == RTA_MULTIPATH) {
            const auto* at = static_cast<const char*>(mnl_attr_get_payload(a));
            std::size_t left = mnl_attr_get_payload_len(a);
            rtnexthop hop;
            while (left >= sizeof hop) {
                std::memcpy(&hop, at, sizeof hop);
                if (hop.rtnh_len < sizeof hop || hop.rtnh_len > left) break;
                route.ifindexes.push_back(static_cast<std::uint32_t>(hop.rtnh_ifindex));
                const std::size_t step = (hop.rtnh_len + 3U) & ~std::size_t{3};
                if (step >= left) break;
                at += step;
                left -= step;
            }
        }
    });
    if (!route.ifindexes.empty()) out.push_back(std::move(route));
}

}  // namespace

std::vector<LinkEvent> parse_links(Bytes datagram) {
    std::vector<LinkEvent> out;
    each_message(datagram, [&](const nlmsghdr* message) {
        if (message->nlmsg_type == RTM_NEWLINK || message->nlmsg_type == RTM_DELLINK)
            parse_link(message, out);
    });
    return out;
}

std::vector<InterfaceAddress> parse_addresses(Bytes datagram) {
    std::vector<InterfaceAddress> out;
    each_message(datagram, [&](const nlmsghdr* message) {
        if (message->nlmsg_type != RTM_NEWADDR) return;
        const auto* head = head_of<ifaddrmsg>(message);
        if (head == nullptr) return;
        InterfaceAddress found{
            .ifindex = head->ifa_index, .address = {}, .prefix = head->ifa_prefixlen};
        bool local = false;  // on point-to-point links IFA_ADDRESS is the peer's
        each_attribute(message, sizeof(ifaddrmsg), [&](const nlattr* a) {
            if (mnl_attr_get_type(a) == IFA_LOCAL) {
                found.address = address_of(a);
                local = true;
            } else if (mnl_attr_get_type(a) == IFA_ADDRESS && !local) {
                found.address = address_of(a);
            }
        });
        if (!found.address.bytes.empty()) out.push_back(std::move(found));
    });
    return out;
}

std::vector<DefaultRoute> parse_default_routes(Bytes datagram) {
    std::vector<DefaultRoute> out;
    each_message(datagram, [&](const nlmsghdr* message) {
        if (message->nlmsg_type == RTM_NEWROUTE) parse_route(message, out);
    });
    return out;
}

std::optional<InterfaceAddress> parse_interface_address(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view host = text.substr(0, slash);
    InterfaceAddress parsed;
    if (const auto v4 = parse_ipv4(host))
        parsed.address.bytes.assign(v4->bytes.begin(), v4->bytes.end());
    else if (const auto v6 = parse_ipv6(host))
        parsed.address.bytes.assign(v6->bytes.begin(), v6->bytes.end());
    else
        return std::nullopt;
    const std::uint64_t longest = parsed.address.bytes.size() * 8;
    std::uint64_t prefix = longest;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto number = digits.starts_with("0x") ? std::nullopt : parse_number(digits);
        if (!number || *number > longest) return std::nullopt;
        prefix = *number;
    }
    parsed.prefix = static_cast<std::uint8_t>(prefix);
    return parsed;
}

Result<std::vector<InterfaceAddress>> parse_interface_addresses(std::string_view text) {
    std::vector<InterfaceAddress> out;
    if (trim(text).empty()) return out;
    for (const std::string_view part : split(text, ',')) {
        auto address = parse_interface_address(trim(part));
        if (!address)
            return fail(format("address \"{}\": not an IPv4 or IPv6 address with prefix length",
                               trim(part)),
                        "write it as 10.0.0.1/24 or fd00::1/64");
        out.push_back(std::move(*address));
    }
    return out;
}

}  // namespace raicho::io
