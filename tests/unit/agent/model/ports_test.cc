// SPDX-License-Identifier: Apache-2.0
// Port-mod, port-status, packet-out and packet-in (OF 1.3.5 §7.3.4.4, §7.4.3, §7.3.7, §7.4.1).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

class DatapathPortMod : public Bench {
  protected:
    PortMod mod(std::uint32_t config, std::uint32_t mask) {
        return {PortNo{2}, Mac{{2, 0, 0, 0, 0, 2}}, config, mask, 0};
    }
    std::uint32_t config() { return plane.port(PortNo{2})->config; }
};

TEST_F(DatapathPortMod, ChangesTheMaskedBitsAndTellsEverybody) {
    datapath().connected(kBob, now);
    const auto items = ask(mod(~0u, port_config::kNoRecv | port_config::kNoFwd));
    EXPECT_EQ(config(), port_config::kNoRecv | port_config::kNoFwd);
    ASSERT_EQ(items.size(), 2u);
    EXPECT_EQ(items[1].to, kBob);
    EXPECT_EQ(items[0].xid, 0u);
    const auto& status = std::get<PortStatus>(items[0].message);
    EXPECT_EQ(status.reason, PortReason::modified);
    EXPECT_EQ(status.desc, *plane.port(PortNo{2}));
    tell(mod(0, port_config::kNoFwd));
    EXPECT_EQ(config(), port_config::kNoRecv);
}

TEST_F(DatapathPortMod, WithoutAChangeNobodyIsTold) {
    EXPECT_EQ(result(mod(port_config::kPortDown, 0)), "ok");
    EXPECT_EQ(config(), 0u);
}

TEST_F(DatapathPortMod, UnknownPortIsRefused) {
    PortMod message = mod(1, 1);
    message.port = PortNo{9};
    EXPECT_EQ(result(message), "OFPPMFC_BAD_PORT (0)");
}

TEST_F(DatapathPortMod, WrongAddressIsRefused) {
    PortMod message = mod(1, 1);
    message.hw_addr.bytes[5] = 9;
    EXPECT_EQ(result(message), "OFPPMFC_BAD_HW_ADDR (1)");
    EXPECT_EQ(config(), 0u);
}

TEST_F(DatapathPortMod, UnknownConfigBitsAreRefused) {
    EXPECT_EQ(result(mod(2, 3)), "OFPPMFC_BAD_CONFIG (2)");
    EXPECT_EQ(config(), 0u);
}

TEST_F(DatapathPortMod, FeaturesThatThePortDoesNotAdvertiseAreRefused) {
    PortMod message = mod(1, 1);
    message.advertise = 1;
    EXPECT_EQ(result(message), "OFPPMFC_BAD_ADVERTISE (3)");
    EXPECT_EQ(config(), 0u);
}

using DatapathPortStatus = Bench;

TEST_F(DatapathPortStatus, EachControllerHearsOfEachChange) {
    datapath().connected(kBob, now);
    PortDesc desc = *plane.port(PortNo{1});
    desc.state = port_state::kLinkDown;
    for (const PortReason reason : {PortReason::added, PortReason::removed, PortReason::modified}) {
        outbox.items.clear();
        datapath().port_changed(reason, desc, outbox);
        ASSERT_EQ(sent<PortStatus>().size(), 2u);
        EXPECT_EQ(sent<PortStatus>()[1].reason, reason);
        EXPECT_EQ(sent<PortStatus>()[1].desc, desc);
    }
}

class DatapathPacketOut : public Bench {
  protected:
    static PacketOut out(PortNo port, PortNo in_port = port::kController) {
        PacketOut message;
        message.in_port = in_port;
        message.actions = {OutputAction{port, 0}};
        message.data = ByteVector(60, std::byte{1});
        return message;
    }
};

TEST_F(DatapathPacketOut, GoesToThePlaneWhole) {
    EXPECT_EQ(result(out(PortNo{2}, PortNo{1})), "ok");
    ASSERT_EQ(plane.sent.size(), 1u);
    EXPECT_EQ(plane.sent[0].in_port, PortNo{1});
    EXPECT_EQ(plane.sent[0].actions, (ActionList{OutputAction{PortNo{2}, 0}}));
    EXPECT_EQ(plane.sent[0].frame, ByteVector(60, std::byte{1}));
}

TEST_F(DatapathPacketOut, EachReservedPortAndTableIsTaken) {
    for (const PortNo port : {port::kInPort, port::kTable, port::kNormal, port::kFlood, port::kAll,
                              port::kController, port::kLocal, PortNo{2}})
        EXPECT_EQ(result(out(port, PortNo{1})), "ok") << port.value();
    EXPECT_EQ(plane.sent.size(), 8u);
}

TEST_F(DatapathPacketOut, WithoutActionsThePacketIsDropped) {
    PacketOut message = out(PortNo{1});
    message.actions.clear();
    EXPECT_EQ(result(message), "ok");
    EXPECT_TRUE(plane.sent.at(0).actions.empty());
}

TEST_F(DatapathPacketOut, IngressIsAPortOrTheController) {
    EXPECT_EQ(result(out(PortNo{2}, port::kLocal)), "ok");
    for (const PortNo in_port : {PortNo{0}, PortNo{9}, port::kAny, port::kInPort, port::kTable,
                                 port::kNormal, port::kFlood, port::kAll})
        EXPECT_EQ(result(out(PortNo{2}, in_port)), "OFPBRC_BAD_PORT (11)") << in_port.value();
}

// §7.4.4.2: none is lost without a word.
TEST_F(DatapathPacketOut, WaitsForRoomInTheRingWithAllBehindIt) {
    plane.room = 1;
    tell(out(PortNo{1}));
    plane.passed = 0;
    for (int i = 0; i < 3; ++i) tell(out(PortNo{2}));
    tell(FeaturesRequest{});
    pass(1);
    EXPECT_EQ(plane.sent.size(), 1u);
    EXPECT_TRUE(outbox.items.empty());
    EXPECT_TRUE(datapath().wants_poll());
    plane.room = 3;
    plane.passed = 1;
    pass(1);  // two find room, the last one waits again
    EXPECT_EQ(plane.sent.size(), 3u);
    EXPECT_TRUE(outbox.items.empty());
    plane.room = 9;
    plane.passed = 2;
    pass(1);
    EXPECT_EQ(plane.sent.size(), 4u);
    EXPECT_EQ(sent<FeaturesReply>().size(), 1u);
    EXPECT_TRUE(sent<ErrorMsg>().empty());
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathPacketOut, IsRefusedWhenTheRingStaysFullForASecond) {
    plane.room = 0;
    plane.passed = 0;
    tell(out(PortNo{1}), kAlice, 5);
    pass(kSecond - 1);
    EXPECT_TRUE(outbox.items.empty());
    pass(1);
    const auto errors = sent<ErrorMsg>();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(error_code_name(errors[0].type, errors[0].code), "OFPBRC_EPERM (5)");
    EXPECT_EQ(outbox.items[0].xid, 5u);
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathPacketOut, IsRefusedAtOnceWhenNobodyEmptiesTheRing) {
    plane.room = 0;
    plane.dataplane = false;
    EXPECT_EQ(result(out(PortNo{1})), "OFPBRC_EPERM (5)");
}

TEST_F(DatapathPacketOut, TwoConnectionsThatFillTheRingTakeTurns) {
    datapath().connected(kBob, now);
    plane.room = 0;
    for (int i = 0; i < 20; ++i) {
        tell(out(PortNo{1}), kAlice);
        tell(out(PortNo{2}), kBob);
    }
    for (int i = 0; i < 10; ++i) {  // the ring has room for one at a time
        plane.room = plane.sent.size() + 1;
        pass(1);
    }
    std::size_t bobs = 0;
    for (const auto& s : plane.sent)
        bobs += std::get<OutputAction>(s.actions.at(0)).port == PortNo{2} ? 1u : 0u;
    ASSERT_EQ(plane.sent.size(), 10u);
    EXPECT_EQ(bobs, 5u);
}

TEST_F(DatapathPacketOut, BadActionsAreRefused) {
    EXPECT_EQ(result(out(port::kAny)), "OFPBAC_BAD_OUT_PORT (4)");
    EXPECT_EQ(result(out(PortNo{0})), "OFPBAC_BAD_OUT_PORT (4)");
    PacketOut message = out(PortNo{1});
    message.actions.push_back(GroupAction{GroupId{1}});
    EXPECT_EQ(result(message), "OFPBAC_BAD_OUT_GROUP (9)");
    EXPECT_TRUE(plane.sent.empty());
}

// §7.3.7: what the packet is shows only in the packet; there is no match to be inconsistent with.
TEST_F(DatapathPacketOut, SetFieldNeedsNoMatch) {
    PacketOut message = out(PortNo{1});
    message.actions.insert(message.actions.begin(),
                           SetField{Field::tcp_dst, field_value(Field::tcp_dst, 80)});
    EXPECT_EQ(result(message), "ok");
}

TEST_F(DatapathPacketOut, UnknownBufferIsRefused) {
    PacketOut message = out(PortNo{1});
    message.buffer_id = 1;
    EXPECT_EQ(result(message), "OFPBRC_BUFFER_UNKNOWN (8)");
}

TEST_F(DatapathPacketOut, LessThanAnEthernetHeaderIsRefused) {
    PacketOut message = out(PortNo{1});
    message.data.resize(13);
    EXPECT_EQ(result(message), "OFPBRC_BAD_PACKET (12)");
    message.data.resize(14);
    EXPECT_EQ(result(message), "ok");
}

TEST_F(DatapathPacketOut, FromTheOperatorItIsCheckedTheSame) {
    EXPECT_TRUE(datapath().packet_out(out(PortNo{1})));
    EXPECT_FALSE(datapath().packet_out(out(port::kAny)));
}

class DatapathPacketIn : public Bench {
  protected:
    PacketInEvent event;
    ByteVector frame = ByteVector(128, std::byte{7});

    DatapathPacketIn() {
        event.reason = PacketInReason::action;
        event.table = TableId{3};
        event.cookie = 0x77;
        event.in_port = PortNo{1};
        event.total_size = 1500;
        event.data = frame;
    }
    PacketIn message() {
        outbox.items.clear();
        datapath().packet_in(event, outbox);
        return sent<PacketIn>().at(0);
    }
};

TEST_F(DatapathPacketIn, TellsEachControllerAllOfThePacket) {
    datapath().connected(kBob, now);
    const PacketIn in = message();
    ASSERT_EQ(outbox.items.size(), 2u);
    EXPECT_EQ(outbox.items[1].to, kBob);
    EXPECT_EQ(outbox.items[1].xid, 0u);
    EXPECT_EQ(in.buffer_id, kNoBuffer);
    EXPECT_EQ(in.total_len, 1500);
    EXPECT_EQ(in.reason, PacketInReason::action);
    EXPECT_EQ(in.table, TableId{3});
    EXPECT_EQ(in.cookie, 0x77u);
    EXPECT_EQ(in.match, match({{Field::in_port, 1}}));
    EXPECT_EQ(in.data, frame);
}

TEST_F(DatapathPacketIn, ContextIsToldWhereItIsNotZero) {
    event.metadata = 5;
    event.tunnel_id = 6;
    event.in_phy_port = PortNo{1};
    EXPECT_EQ(message().match,
              match({{Field::in_port, 1}, {Field::metadata, 5}, {Field::tunnel_id, 6}}));
    event.in_phy_port = PortNo{2};
    EXPECT_EQ(message().match, match({{Field::in_port, 1},
                                      {Field::in_phy_port, 2},
                                      {Field::metadata, 5},
                                      {Field::tunnel_id, 6}}));
}

// §7.3.2: miss_send_len is for packets that no output action sent.
TEST_F(DatapathPacketIn, MissSendLenCutsInvalidTtlOnly) {
    plane.config.miss_send_len = 64;
    EXPECT_EQ(message().data.size(), 128u);
    event.reason = PacketInReason::no_match;
    EXPECT_EQ(message().data.size(), 128u);
    event.reason = PacketInReason::invalid_ttl;
    EXPECT_EQ(message().data.size(), 64u);
    EXPECT_EQ(message().total_len, 1500);
    plane.config.miss_send_len = kWholePacket;
    EXPECT_EQ(message().data.size(), 128u);
    plane.config.miss_send_len = 0;
    EXPECT_EQ(message().data.size(), 0u);
}

TEST_F(DatapathPacketIn, TotalLengthThatDoesNotFitIsTheLargestThatDoes) {
    event.total_size = 65550;
    EXPECT_EQ(message().total_len, 65535);
}

TEST_F(DatapathPacketIn, WithoutControllersNothingIsSent) {
    datapath().disconnected(kAlice, now);
    datapath().packet_in(event, outbox);
    EXPECT_TRUE(outbox.items.empty());
}

}  // namespace
}  // namespace raicho::agent::test
