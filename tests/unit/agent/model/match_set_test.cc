// SPDX-License-Identifier: Apache-2.0
#include "agent/model/match_set.h"

#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

// §6.4: "identical match fields".
TEST(MatchSet, OrderOfFieldsDoesNotMatter) {
    EXPECT_TRUE(same_match(match({{Field::in_port, 1}, {Field::eth_type, 0x800}}),
                           match({{Field::eth_type, 0x800}, {Field::in_port, 1}})));
    EXPECT_FALSE(same_match(match({{Field::in_port, 1}}), match({{Field::in_port, 2}})));
    EXPECT_FALSE(same_match(match({{Field::in_port, 1}}), match({})));
}

TEST(MatchSet, AllOnesMaskIsNoMaskAndAllZeroMaskIsNoField) {
    const Match plain = match({{Field::eth_type, 0x800}, {Field::ipv4_dst, 0x0a000001}});
    EXPECT_TRUE(same_match(plain, ipv4_net(0x0a000001, 32)));
    EXPECT_TRUE(same_match(match({{Field::eth_type, 0x800}}), ipv4_net(0, 0)));
    EXPECT_EQ(canonical(ipv4_net(0x0a000001, 32)), plain);
    EXPECT_EQ(canonical(ipv4_net(0, 0)), match({{Field::eth_type, 0x800}}));
}

TEST(MatchSet, CanonicalSortsFieldsAndClearsBitsOutsideTheMask) {
    Match unsorted = match({{Field::eth_type, 0x800}, {Field::in_port, 3}});
    const Match messy = with(unsorted, masked(Field::ipv4_dst, 0x0a0000ff, 0xffffff00));
    const Match tidy = with(match({{Field::in_port, 3}, {Field::eth_type, 0x800}}),
                            masked(Field::ipv4_dst, 0x0a000000, 0xffffff00));
    EXPECT_EQ(canonical(messy), tidy);
}

// §6.4: non-strict commands mean entries that are equal or more specific.
TEST(MatchSet, WithinIsEqualOrMoreSpecific) {
    const Match host = match({{Field::eth_type, 0x800}, {Field::ipv4_dst, 0x0a000001}});
    EXPECT_TRUE(within(host, host));
    EXPECT_TRUE(within(host, ipv4_net(0x0a000000, 8)));
    EXPECT_FALSE(within(ipv4_net(0x0a000000, 8), host));
    EXPECT_TRUE(within(ipv4_net(0x0a000000, 16), ipv4_net(0x0a000000, 8)));
    EXPECT_FALSE(within(ipv4_net(0x0b000000, 16), ipv4_net(0x0a000000, 8)));
    EXPECT_TRUE(within(host, match({})));
    EXPECT_FALSE(within(match({}), host));
    EXPECT_FALSE(within(host, match({{Field::in_port, 1}})));
}

TEST(MatchSet, WithinComparesWideFields) {
    MatchField net{Field::ipv6_dst, HasMask::yes, {}, {}};
    net.value.bytes[0] = net.mask.bytes[0] = std::byte{0xfe};
    net.value.bytes[15] = net.mask.bytes[15] = std::byte{1};
    const Match ip6 = match({{Field::eth_type, 0x86dd}});
    MatchField host{Field::ipv6_dst, HasMask::no, net.value, exact_mask(Field::ipv6_dst)};
    EXPECT_TRUE(within(with(ip6, host), with(ip6, net)));
    host.value.bytes[15] = std::byte{2};
    EXPECT_FALSE(within(with(ip6, host), with(ip6, net)));
}

// §6.4: "a single packet may match both".
TEST(MatchSet, OverlapLooksAtCommonBits) {
    EXPECT_TRUE(overlaps(match({}), match({})));
    EXPECT_TRUE(overlaps(match({{Field::in_port, 1}}), match({{Field::eth_type, 0x800}})));
    EXPECT_FALSE(overlaps(match({{Field::in_port, 1}}), match({{Field::in_port, 2}})));
    EXPECT_TRUE(overlaps(ipv4_net(0x0a000000, 8), ipv4_net(0x0a010000, 16)));
    EXPECT_FALSE(overlaps(ipv4_net(0x0a000000, 16), ipv4_net(0x0a010000, 16)));
    EXPECT_TRUE(overlaps(ipv4_net(0x0a000000, 8, Field::ipv4_src), ipv4_net(0x0b000000, 8)));
}

TEST(MatchSet, DifferentPrerequisitesNeverOverlap) {
    EXPECT_FALSE(
        overlaps(match({{Field::eth_type, 0x806}, {Field::arp_op, 1}}), ipv4_net(0x0a000000, 8)));
}

// Table 13: no packet has bits of a VLAN number but no tag.
TEST(MatchSet, NoTagDoesNotOverlapBitsOfAVlanNumber) {
    const Match no_tag = match({{Field::vlan_vid, 0}});
    const Match any_tag = with({}, masked(Field::vlan_vid, 0x1000, 0x1000));
    const Match number = with({}, masked(Field::vlan_vid, 0x0005, 0x0fff));
    const Match absent = with({}, masked(Field::vlan_vid, 0, 0x1000));
    EXPECT_FALSE(overlaps(no_tag, any_tag));
    EXPECT_TRUE(overlaps(any_tag, number));
    EXPECT_FALSE(overlaps(absent, number));
    EXPECT_FALSE(overlaps(no_tag, number));
    EXPECT_TRUE(overlaps(no_tag, absent));
}

}  // namespace
}  // namespace raicho::agent::test
