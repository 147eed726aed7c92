// SPDX-License-Identifier: Apache-2.0
// Reading of rtnetlink messages, of addresses and of what must not be taken as a port. Messages are
// built with libmnl in the kernel's form.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>

#include <array>
#include <vector>

#include "dataplane/io/interface_guard.h"
#include "dataplane/io/netlink.h"

namespace raicho::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Messages one behind the other, as one datagram brings them.
class Datagram {
  public:
    template <class Head>
    nlmsghdr* add(std::uint16_t type, const Head& head) {
        nlmsghdr* message = mnl_nlmsg_put_header(buffer_.data() + size_);
        message->nlmsg_type = type;
        *static_cast<Head*>(mnl_nlmsg_put_extra_header(message, sizeof head)) = head;
        last_ = message;
        return message;
    }
    void finish() { size_ += last_->nlmsg_len; }
    [[nodiscard]] Bytes bytes() const { return std::as_bytes(std::span(buffer_.data(), size_)); }

  private:
    alignas(nlmsghdr) std::array<char, 4096> buffer_{};
    std::size_t size_ = 0;
    nlmsghdr* last_ = nullptr;
};

void add_link(Datagram& datagram, std::uint16_t type, int index, const char* name, unsigned flags,
              std::uint8_t family = AF_UNSPEC) {
    ifinfomsg head{};
    head.ifi_family = family;
    head.ifi_index = index;
    head.ifi_flags = flags;
    nlmsghdr* message = datagram.add(type, head);
    mnl_attr_put_strz(message, IFLA_IFNAME, name);
    mnl_attr_put_u32(message, IFLA_MTU, 1400);
    const std::array<std::uint8_t, 6> mac{2, 0, 0, 0, 0, 9};
    mnl_attr_put(message, IFLA_ADDRESS, mac.size(), mac.data());
    mnl_attr_put_strz(message, IFLA_IFALIAS, "an alias");
    datagram.finish();
}

TEST(NetlinkLinks, ReadsWhatALinkIsAndThatOneWent) {
    Datagram datagram;
    add_link(datagram, RTM_NEWLINK, 7, "h1-br", IFF_UP | IFF_LOWER_UP);
    add_link(datagram, RTM_NEWLINK, 8, "h2-br", IFF_UP);
    add_link(datagram, RTM_DELLINK, 9, "h3-br", 0);
    const Mac mac{{2, 0, 0, 0, 0, 9}};
    EXPECT_THAT(parse_links(datagram.bytes()),
                ElementsAre(LinkEvent(Link{7, "h1-br", true, true, 1400, mac, "an alias"}),
                            LinkEvent(Link{8, "h2-br", true, false, 1400, mac, "an alias"}),
                            LinkEvent(LinkGone{9, "h3-br"})));
}

/// A link with master, lower device and kind, as far as given.
void add_stacked(Datagram& datagram, int index, std::uint32_t master, std::uint32_t lower,
                 const char* kind, bool lower_elsewhere = false) {
    ifinfomsg head{};
    head.ifi_index = index;
    nlmsghdr* message = datagram.add(RTM_NEWLINK, head);
    mnl_attr_put_strz(message, IFLA_IFNAME, "x");
    if (lower_elsewhere) mnl_attr_put_u32(message, IFLA_LINK_NETNSID, 1);
    if (master != 0) mnl_attr_put_u32(message, IFLA_MASTER, master);
    if (lower != 0) mnl_attr_put_u32(message, IFLA_LINK, lower);
    nlattr* info = mnl_attr_nest_start(message, IFLA_LINKINFO);
    mnl_attr_put_strz(message, IFLA_INFO_KIND, kind);
    mnl_attr_nest_end(message, info);
    datagram.finish();
}

TEST(NetlinkLinks, ReadsWhatALinkLiesOnAndBelongsTo) {
    Datagram datagram;
    add_stacked(datagram, 2, 9, 0, "dummy");
    add_stacked(datagram, 3, 0, 2, "vlan");
    add_stacked(datagram, 4, 0, 5, "veth");           // 5 is its other end
    add_stacked(datagram, 6, 0, 2, "macvlan", true);  // 2 of another namespace
    std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const LinkEvent& event : parse_links(datagram.bytes()))
        seen.emplace_back(std::get<Link>(event).master, std::get<Link>(event).lower);
    EXPECT_THAT(seen, ElementsAre(std::pair(9u, 0u), std::pair(0u, 2u), std::pair(0u, 0u),
                                  std::pair(0u, 0u)));
}

TEST(NetlinkLinks, ABridgesWordAboutItsMemberIsNoLinkEvent) {
    Datagram datagram;
    add_link(datagram, RTM_DELLINK, 7, "h1-br", 0, AF_BRIDGE);
    EXPECT_THAT(parse_links(datagram.bytes()), IsEmpty());
}

TEST(NetlinkLinks, EveryTruncationIsSafe) {
    Datagram datagram;
    add_link(datagram, RTM_NEWLINK, 7, "h1-br", IFF_UP);
    for (std::size_t size = 0; size < datagram.bytes().size(); ++size) {
        // in memory of exactly this size, so that a sanitizer sees a step too far
        const std::vector<std::byte> cut(datagram.bytes().begin(),
                                         datagram.bytes().begin() + static_cast<long>(size));
        EXPECT_THAT(parse_links(cut), IsEmpty());
    }
}

TEST(NetlinkLinks, AMessageTooShortForItsHeadIsSkipped) {
    Datagram datagram;
    datagram.add(RTM_NEWLINK, std::uint32_t{0});
    datagram.finish();
    EXPECT_THAT(parse_links(datagram.bytes()), IsEmpty());
}

TEST(NetlinkAddresses, LocalAddressWinsOverThePeers) {
    Datagram datagram;
    ifaddrmsg head{};
    head.ifa_family = AF_INET;
    head.ifa_prefixlen = 32;
    head.ifa_index = 3;
    nlmsghdr* message = datagram.add(RTM_NEWADDR, head);
    mnl_attr_put_u32(message, IFA_ADDRESS, ::htonl(0x0a000002));
    mnl_attr_put_u32(message, IFA_LOCAL, ::htonl(0x0a000001));
    datagram.finish();
    EXPECT_THAT(parse_addresses(datagram.bytes()),
                ElementsAre(InterfaceAddress{3, {{10, 0, 0, 1}}, 32}));
}

TEST(NetlinkRoutes, FindsDefaultRoutesAlsoOfSeveralPaths) {
    Datagram datagram;
    rtmsg head{};
    head.rtm_family = AF_INET;
    head.rtm_type = RTN_UNICAST;
    head.rtm_table = RT_TABLE_MAIN;
    mnl_attr_put_u32(datagram.add(RTM_NEWROUTE, head), RTA_OIF, 4);
    datagram.finish();
    rtnexthop hops[2]{};
    hops[0].rtnh_len = hops[1].rtnh_len = sizeof(rtnexthop);
    hops[0].rtnh_ifindex = 5;
    hops[1].rtnh_ifindex = 6;
    mnl_attr_put(datagram.add(RTM_NEWROUTE, head), RTA_MULTIPATH, sizeof hops, hops);
    datagram.finish();
    head.rtm_dst_len = 24;
    mnl_attr_put_u32(datagram.add(RTM_NEWROUTE, head), RTA_OIF, 7);
    datagram.finish();
    const auto routes = parse_default_routes(datagram.bytes());
    ASSERT_EQ(routes.size(), 2u);
    EXPECT_THAT(routes[0].ifindexes, ElementsAre(4u));
    EXPECT_THAT(routes[1].ifindexes, ElementsAre(5u, 6u));
}

TEST(InterfaceAddresses, TextsWithAndWithoutPrefix) {
    const auto both = parse_interface_addresses(" 10.0.0.1/24, fd00::1/64");
    ASSERT_TRUE(both);
    ASSERT_EQ(both->size(), 2u);
    EXPECT_EQ((*both)[0], (InterfaceAddress{0, {{10, 0, 0, 1}}, 24}));
    EXPECT_EQ((*both)[1].prefix, 64);
    EXPECT_EQ((*both)[1].address.bytes.size(), 16u);
    EXPECT_EQ(parse_interface_address("192.0.2.1")->prefix, 32);
    EXPECT_EQ(parse_interface_address("fd00::1")->prefix, 128);
    EXPECT_TRUE(parse_interface_addresses("")->empty());
}

TEST(InterfaceAddresses, NonsenseIsQuoted) {
    for (const char* text : {"10.0.0.1/33", "10.0.0/24", "fd00::1/129", "10.0.0.1/0x18", "x/24",
                             "10.0.0.1/", "10.0.0.1/24,,"}) {
        const auto parsed = parse_interface_addresses(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().text, HasSubstr("not an IPv4 or IPv6 address"));
    }
}

TEST(InterfaceGuard, FindsLoginSessionsInProcNetTcp) {
    constexpr const char* kTcp =
        "  sl  local_address rem_address   st tx_queue rx_queue\n"
        "   0: 0100007F:0016 00000000:0000 0A 00000000:00000000\n"   // listens
        "   1: 0101A8C0:0016 0201A8C0:D431 01 00000000:00000000\n"   // 192.168.1.1, established
        "   2: 0201A8C0:01BB 0201A8C0:D431 01 00000000:00000000\n"   // https
        "   3: 0101A8C0:0016 0201A8C0:D431 06 00000000:00000000\n";  // time-wait
    EXPECT_THAT(session_addresses(kTcp, 22), ElementsAre(IpAddress{{192, 168, 1, 1}}));
    constexpr const char* kTcp6 =
        "   0: 0000000000000000FFFF00000101A8C0:0016 0000000000000000FFFF00000201A8C0:D431 01\n"
        "   1: 000000FD000000000000000001000000:0016 000000FD000000000000000002000000:D431 01\n";
    const auto six = session_addresses(kTcp6, 22);
    ASSERT_EQ(six.size(), 2u);
    EXPECT_EQ(six[0], (IpAddress{{192, 168, 1, 1}}));
    EXPECT_EQ(six[1], parse_interface_address("fd00::1")->address);
}

TEST(InterfaceGuard, ReadsTheServersAddressOutOfSshConnection) {
    EXPECT_EQ(ssh_server_address("198.51.100.7 50210 192.0.2.1 22"), (IpAddress{{192, 0, 2, 1}}));
    EXPECT_EQ(ssh_server_address("fe80::2%eth0 50210 fe80::1%eth0 22"),
              parse_interface_address("fe80::1")->address);
    EXPECT_FALSE(ssh_server_address(""));
    EXPECT_FALSE(ssh_server_address("UNKNOWN 65535 UNKNOWN 65535"));
}

TEST(InterfaceGuard, RefusesTheWayInAndTheDefaultRoute) {
    const Link link{.ifindex = 3, .name = "eth0"};
    const std::vector<InterfaceAddress> addresses{{3, {{192, 0, 2, 1}}, 24}};
    const std::vector<IpAddress> here{{{192, 0, 2, 1}}};
    const std::vector<IpAddress> elsewhere{{{192, 0, 2, 2}}};
    EXPECT_THAT(*reason_to_refuse(link, {{}, {}, addresses, here}), HasSubstr("login session"));
    EXPECT_THAT(*reason_to_refuse(link, {{}, {{{3}}}, addresses, elsewhere}),
                HasSubstr("default route"));
    EXPECT_FALSE(reason_to_refuse(link, {{}, {{{4}}}, addresses, elsewhere}));
}

TEST(InterfaceGuard, RefusesWhatLiesBelowTheWayIn) {
    // eth0 and eth1 are members of bond0, bond0.7 goes through the bond and is a member of br-lan;
    // mv0 goes through eth2
    const std::vector<Link> links{{.ifindex = 2, .name = "eth0", .master = 4},
                                  {.ifindex = 3, .name = "eth1", .master = 4},
                                  {.ifindex = 4, .name = "bond0"},
                                  {.ifindex = 5, .name = "bond0.7", .master = 6, .lower = 4},
                                  {.ifindex = 6, .name = "br-lan"},
                                  {.ifindex = 7, .name = "eth2"},
                                  {.ifindex = 8, .name = "mv0", .lower = 7},
                                  {.ifindex = 9, .name = "tap0", .master = 6}};
    const auto reason = [&](std::size_t at, std::uint32_t route) {
        return reason_to_refuse(links[at], {links, {{{route}}}, {}, {}}).value_or("none");
    };
    EXPECT_EQ(reason(0, 4), "it is below bond0, which carries the default route");
    EXPECT_EQ(reason(1, 6), "it is below br-lan, which carries the default route");
    EXPECT_EQ(reason(2, 5), "it is below bond0.7, which carries the default route");
    EXPECT_EQ(reason(5, 8), "it is below mv0, which carries the default route");
    EXPECT_EQ(reason(6, 7), "none") << "what lies above it goes on";
    EXPECT_EQ(reason(5, 6), "none");
    const std::vector<InterfaceAddress> addresses{{6, {{192, 0, 2, 1}}, 24}};
    const std::vector<IpAddress> here{{{192, 0, 2, 1}}};
    EXPECT_EQ(reason_to_refuse(links[0], {links, {}, addresses, here}),
              "it is below br-lan, which carries a login session (SSH)");
}

TEST(InterfaceGuard, LinksThatLieOnEachOtherEndTheSearch) {
    const std::vector<Link> links{{.ifindex = 2, .name = "a", .lower = 3},
                                  {.ifindex = 3, .name = "b", .lower = 2}};
    EXPECT_FALSE(reason_to_refuse(links[0], {links, {}, {}, {}}));
}

}  // namespace
}  // namespace raicho::io
