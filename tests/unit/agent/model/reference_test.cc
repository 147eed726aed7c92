// SPDX-License-Identifier: Apache-2.0
#include "agent/model/reference.h"

#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

FieldValues tcp_packet() {
    FieldValues packet;
    packet.set(Field::in_port, 1);
    packet.set(Field::eth_type, 0x0800);
    packet.set(Field::ip_proto, 6);
    packet.set(Field::ipv4_dst, 0x0a000001);
    packet.set(Field::tcp_dst, 80);
    return packet;
}

// §5.3: every field of the match has to match, under its mask.
TEST(Reference, EveryFieldHasToMatchUnderItsMask) {
    EXPECT_TRUE(matches(match({}), tcp_packet()));
    EXPECT_TRUE(matches(ipv4_net(0x0a000000, 8), tcp_packet()));
    EXPECT_FALSE(matches(ipv4_net(0x0b000000, 8), tcp_packet()));
    EXPECT_FALSE(matches(match({{Field::in_port, 1}, {Field::eth_type, 0x806}}), tcp_packet()));
}

TEST(Reference, FieldThatThePacketLacksNeverMatches) {
    EXPECT_FALSE(matches(match({{Field::arp_op, 0}}), tcp_packet()));
    FieldValues packet = tcp_packet();
    packet.clear(Field::tcp_dst);
    EXPECT_FALSE(matches(match({{Field::tcp_dst, 80}}), packet));
}

// Table 13.
TEST(Reference, VlanOfAnUntaggedPacketIsNone) {
    FieldValues packet = tcp_packet();
    const Match none = match({{Field::vlan_vid, 0}});
    const Match any = with({}, masked(Field::vlan_vid, 0x1000, 0x1000));
    EXPECT_TRUE(matches(none, packet));
    EXPECT_FALSE(matches(any, packet));
    packet.set(Field::vlan_vid, kVlanPresent | 5u);
    EXPECT_FALSE(matches(none, packet));
    EXPECT_TRUE(matches(any, packet));
}

// §5.3: the highest priority wins.
TEST(Reference, HighestPriorityWinsAndTiesAreAllNamed) {
    ReferenceTable table;
    table.insert(FlowId{1}, 0, match({}));
    table.insert(FlowId{2}, 10, ipv4_net(0x0a000000, 8));
    table.insert(FlowId{3}, 5, ipv4_net(0x0a000000, 24));
    table.insert(FlowId{4}, 10, match({{Field::in_port, 1}}));
    table.insert(FlowId{5}, 99, match({{Field::in_port, 2}}));
    EXPECT_EQ(table.lookup(tcp_packet()), (std::vector{FlowId{2}, FlowId{4}}));
    table.remove(FlowId{2});
    EXPECT_EQ(table.lookup(tcp_packet()), std::vector{FlowId{4}});
    EXPECT_EQ(table.size(), 4u);
}

// §5.4: without a table-miss entry a packet matches nothing.
TEST(Reference, EmptyTableMatchesNothing) {
    EXPECT_TRUE(ReferenceTable{}.lookup(tcp_packet()).empty());
}

}  // namespace
}  // namespace raicho::agent::test
