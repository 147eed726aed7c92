// SPDX-License-Identifier: Apache-2.0
// Echo, features, configuration, and what is not served (OF 1.3.5 §7.3.1, §7.3.2, §7.5, §7.4.4).
#include "agent/model/datapath.h"

#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

using DatapathSession = Bench;

TEST_F(DatapathSession, EchoReturnsItsData) {
    const ByteVector data(5, std::byte{3});
    EXPECT_EQ(answer<EchoReply>(EchoRequest{data}).data, data);
}

TEST_F(DatapathSession, FeaturesAreHonest) {
    const auto features = answer<FeaturesReply>(FeaturesRequest{});
    EXPECT_EQ(features.dpid, Dpid{0x42});
    EXPECT_EQ(features.n_buffers, 0u);
    EXPECT_EQ(features.n_tables, 255);
    EXPECT_EQ(features.auxiliary_id, 0);
    EXPECT_EQ(features.capabilities, 0x4fu);  // flow, table, port, group and queue statistics
    groups.set_limits({0, 0});
    EXPECT_EQ(answer<FeaturesReply>(FeaturesRequest{}).capabilities, 0x47u);
}

TEST_F(DatapathSession, ConfigIsWhatWasSet) {
    EXPECT_EQ(answer<GetConfigReply>(GetConfigRequest{}).miss_send_len, 128);
    EXPECT_EQ(result(SetConfig{1, 0xffff}), "ok");
    EXPECT_EQ(plane.config, (SwitchConfig{1, 0xffff}));
    const auto config = answer<GetConfigReply>(GetConfigRequest{});
    EXPECT_EQ(config.flags, 1);
    EXPECT_EQ(config.miss_send_len, 0xffff);
}

TEST_F(DatapathSession, ReassemblyAndUnknownConfigFlagsAreRefused) {
    for (const std::uint16_t flags : {std::uint16_t{2}, std::uint16_t{3}, std::uint16_t{4}})
        EXPECT_EQ(result(SetConfig{flags, 99}), "OFPSCFC_BAD_FLAGS (0)");
    EXPECT_EQ(plane.config, SwitchConfig{});
}

TEST_F(DatapathSession, MissSendLenThatNoPacketHasIsRefused) {
    EXPECT_EQ(result(SetConfig{0, 0xffe5}), "ok");
    EXPECT_EQ(result(SetConfig{0, 0xffe6}), "OFPSCFC_BAD_LEN (1)");
    EXPECT_EQ(result(SetConfig{0, 0xfffe}), "OFPSCFC_BAD_LEN (1)");
    EXPECT_EQ(result(SetConfig{0, 0xffff}), "ok");
}

TEST_F(DatapathSession, ExperimenterIsRefused) {
    EXPECT_EQ(result(Experimenter{0x2320, 1, {}}), "OFPBRC_BAD_EXPERIMENTER (3)");
}

TEST_F(DatapathSession, WhatOnlyASwitchSendsIsRefused) {
    for (const Message& message :
         {Message{FeaturesReply{}}, Message{GetConfigReply{}}, Message{PacketIn{}},
          Message{FlowRemoved{}}, Message{PortStatus{}}, Message{MultipartReply{}},
          Message{BarrierReply{}}, Message{QueueGetConfigReply{}}, Message{RoleReply{}},
          Message{GetAsyncReply{}}})
        EXPECT_EQ(result(message), "OFPBRC_BAD_TYPE (1)");
}

TEST_F(DatapathSession, MessagesOfTheChannelAreNotAnswered) {
    for (const Message& message : {Message{Hello{}}, Message{ErrorMsg{}}, Message{EchoReply{}}})
        EXPECT_EQ(result(message), "ok");
}

TEST_F(DatapathSession, AnswersGoToWhoAsked) {
    datapath().connected(kBob, now);
    const auto items = ask(FeaturesRequest{}, kBob);
    ASSERT_EQ(items.size(), 1u);
    EXPECT_EQ(items[0].to, kBob);
}

TEST_F(DatapathSession, KnowsItsConnections) {
    datapath().connected(kBob, now);
    EXPECT_TRUE(std::ranges::equal(datapath().connections(), std::vector{kAlice, kBob}));
    datapath().disconnected(kAlice, now);
    EXPECT_TRUE(std::ranges::equal(datapath().connections(), std::vector{kBob}));
    datapath().disconnected(kAlice, now);  // again: nothing
    EXPECT_TRUE(datapath().accepts(kAlice));
}

TEST_F(DatapathSession, FlowsStayWhenControllersGo) {
    tell(add_flow());
    datapath().disconnected(kAlice, now);
    pass(100 * kSecond);
    EXPECT_EQ(store.size(), 1u);
}

TEST_F(DatapathSession, RestartFindsTheFlowsAndTheConfigStillThere) {
    tell(add_flow());
    tell(SetConfig{0, 77});
    restart();
    EXPECT_EQ(store.size(), 1u);
    EXPECT_EQ(answer<GetConfigReply>(GetConfigRequest{}).miss_send_len, 77);
}

}  // namespace
}  // namespace raicho::agent::test
