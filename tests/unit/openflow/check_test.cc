// SPDX-License-Identifier: Apache-2.0
// What a flow's actions may rely on (OF 1.3.5 §5.10, §5.12); the match's rules are in the vectors.
#include <gtest/gtest.h>

#include "openflow/text.h"
#include "tests/unit/openflow/vector_file.h"

namespace raicho::openflow {
namespace {

Match match_of(std::initializer_list<MatchField> fields) {
    Match match;
    for (const MatchField& field : fields) EXPECT_TRUE(match.add(field));
    return match;
}
const Match kAnything;
const Match kIpv4 = match_of({exact(Field::eth_type, 0x0800)});
const Match kTcp = match_of({exact(Field::eth_type, 0x0800), exact(Field::ip_proto, 6)});

SetField set(Field field, std::uint64_t value) {
    return {field, field_value(field, value)};
}
const SetField kVlan = set(Field::vlan_vid, kVlanPresent | 5);
constexpr std::string_view kInconsistent = "OFPET_BAD_ACTION OFPBAC_MATCH_INCONSISTENT";

std::string refusal(const OfResult<void>& checked) {
    return checked ? "" : names_of(checked.error());
}
std::string apply(ActionList actions, const Match& match) {
    return refusal(check_actions(actions, match));
}

TEST(CheckActions, PrerequisiteComesFromTheMatch) {
    EXPECT_EQ(apply({set(Field::ipv4_dst, 1)}, kAnything), kInconsistent);
    EXPECT_EQ(apply({set(Field::ipv4_dst, 1)}, kIpv4), "");
    EXPECT_EQ(apply({set(Field::tcp_dst, 1)}, kIpv4), kInconsistent);
    EXPECT_EQ(apply({set(Field::tcp_dst, 1)}, kTcp), "");
    EXPECT_EQ(apply({set(Field::eth_dst, 1)}, kAnything), "");
}

TEST(CheckActions, PrerequisiteComesFromAnEarlierPush) {
    EXPECT_EQ(apply({kVlan}, kAnything), "") << "vlan_vid has no prerequisite in table 12";
    EXPECT_EQ(apply({set(Field::vlan_pcp, 3)}, kAnything), kInconsistent);
    EXPECT_EQ(apply({PushVlan{}, set(Field::vlan_pcp, 3)}, kAnything), "");
    EXPECT_EQ(apply({set(Field::vlan_pcp, 3), PushVlan{}}, kAnything), kInconsistent);
    EXPECT_EQ(apply({PushMpls{}, set(Field::mpls_label, 3)}, kAnything), "");
    EXPECT_EQ(apply({PushPbb{}, set(Field::pbb_isid, 3)}, kAnything), "");
}

TEST(CheckActions, PushHidesWhatWasMatched) {
    EXPECT_EQ(apply({PushMpls{}, set(Field::ipv4_dst, 1)}, kIpv4), kInconsistent);
    EXPECT_EQ(apply({PushVlan{}, PushPbb{}, set(Field::vlan_pcp, 1)}, kIpv4), kInconsistent);
}

TEST(CheckActions, WhatAPopUncoversMayBeAnything) {
    EXPECT_EQ(apply({PopPbb{}, set(Field::tcp_dst, 1)}, kAnything), "");
    EXPECT_EQ(apply({PopVlan{}, set(Field::vlan_pcp, 1)}, kAnything), "");
    EXPECT_EQ(apply({PopMpls{0x0800}, set(Field::udp_dst, 1)}, kAnything), "");
    EXPECT_EQ(apply({PopMpls{0x0806}, set(Field::udp_dst, 1)}, kAnything), kInconsistent);
}

TEST(CheckActions, SetFieldChangesWhatFollows) {
    EXPECT_EQ(apply({set(Field::ip_proto, 17), set(Field::udp_dst, 1)}, kTcp), "");
    EXPECT_EQ(apply({set(Field::ip_proto, 17), set(Field::tcp_dst, 1)}, kTcp), kInconsistent);
    EXPECT_EQ(apply({set(Field::eth_type, 0x0806), set(Field::arp_op, 1)}, kTcp), "");
    const Match icmpv6 = match_of({exact(Field::eth_type, 0x86dd), exact(Field::ip_proto, 58)});
    EXPECT_EQ(apply({set(Field::icmpv6_type, 136), SetField{Field::ipv6_nd_tll, {}}}, icmpv6), "");
    EXPECT_EQ(apply({set(Field::icmpv6_type, 135), SetField{Field::ipv6_nd_tll, {}}}, icmpv6),
              kInconsistent);
}

TEST(CheckInstructions, TheActionSetPushesBeforeItSets) {
    Instructions instructions;
    instructions.write = ActionList{set(Field::vlan_pcp, 3), PushVlan{}};
    EXPECT_EQ(refusal(check_instructions(instructions, kAnything)), "");
    instructions.write = ActionList{set(Field::vlan_pcp, 3)};
    EXPECT_EQ(refusal(check_instructions(instructions, kAnything)), kInconsistent);
    instructions.apply = ActionList{PushVlan{}};
    EXPECT_EQ(refusal(check_instructions(instructions, kAnything)), "");
}

TEST(CheckMatch, AnyBitThatMustBeOneSaysThereIsATag) {
    const MatchField present{Field::vlan_vid, HasMask::yes, field_value(Field::vlan_vid, 0x1000),
                             field_value(Field::vlan_vid, 0x1000)};
    const MatchField nothing{Field::vlan_vid, HasMask::yes, field_value(Field::vlan_vid, 0),
                             field_value(Field::vlan_vid, 0x0fff)};
    EXPECT_EQ(refusal(check_match(match_of({present, exact(Field::vlan_pcp, 1)}))), "");
    EXPECT_EQ(refusal(check_match(match_of({nothing, exact(Field::vlan_pcp, 1)}))),
              "OFPET_BAD_MATCH OFPBMC_BAD_PREREQ");
}

}  // namespace
}  // namespace raicho::openflow
