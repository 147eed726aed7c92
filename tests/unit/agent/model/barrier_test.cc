// SPDX-License-Identifier: Apache-2.0
// The barrier tells the truth (OF 1.3.5 §6.2, §7.3.8) and holds up nobody else.
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

class DatapathBarrier : public Bench {
  protected:
    DatapathBarrier() { datapath().connected(kBob, now); }

    static std::string kind(const FakeOutbox::Item& item) {
        if (std::holds_alternative<BarrierReply>(item.message)) return format("B{}", item.xid);
        if (std::holds_alternative<FeaturesReply>(item.message)) return format("F{}", item.xid);
        if (std::holds_alternative<EchoReply>(item.message)) return format("E{}", item.xid);
        if (std::holds_alternative<FlowRemoved>(item.message)) return "R";
        if (std::holds_alternative<ErrorMsg>(item.message)) return format("X{}", item.xid);
        if (std::holds_alternative<MultipartReply>(item.message)) return format("M{}", item.xid);
        return "?";
    }
    /// What `to` got, in order: B barrier reply, F features, E echo, R flow-removed, X error.
    std::string got(ConnectionId to = kAlice) {
        std::string all;
        for (const auto& item : outbox.items)
            if (item.to == to) all += kind(item) + " ";
        return all;
    }
};

TEST_F(DatapathBarrier, IsAnsweredAtOnceWhenNothingIsPending) {
    tell(BarrierRequest{}, kAlice, 5);
    EXPECT_EQ(got(), "B5 ");
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathBarrier, WaitsForThePlaneWithoutBlocking) {
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 5);
    pass(kSecond);
    EXPECT_EQ(got(), "");
    EXPECT_TRUE(datapath().wants_poll());
    plane.passed = 1;
    pass(1);
    EXPECT_EQ(got(), "B5 ");
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathBarrier, MarksThePlaneAfterWhatCameBefore) {
    plane.passed = 0;
    tell(add_flow());
    tell(PacketOut{.actions = {}, .data = ByteVector(60)});
    EXPECT_EQ(plane.tokens, 0u);
    tell(BarrierRequest{});
    EXPECT_EQ(plane.tokens, 1u);
    EXPECT_EQ(plane.sent.size(), 1u);
}

TEST_F(DatapathBarrier, MessagesBehindItWaitAndKeepTheirOrder) {
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 1);
    tell(FeaturesRequest{}, kAlice, 2);
    tell(add_flow(), kAlice, 3);
    tell(BarrierRequest{}, kAlice, 4);
    tell(FeaturesRequest{}, kAlice, 5);
    EXPECT_EQ(got(), "");
    EXPECT_EQ(store.size(), 0u);
    plane.passed = 1;
    pass(1);
    EXPECT_EQ(got(), "B1 F2 ");
    EXPECT_EQ(store.size(), 1u);
    plane.passed = 2;
    pass(1);
    EXPECT_EQ(got(), "B1 F2 B4 F5 ");
}

TEST_F(DatapathBarrier, OtherConnectionsGoOn) {
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 1);
    tell(FeaturesRequest{}, kBob, 2);
    tell(add_flow(), kBob, 3);
    EXPECT_EQ(got(kBob), "F2 ");
    EXPECT_EQ(store.size(), 1u);
}

// Keepalive does not hang on the workers.
TEST_F(DatapathBarrier, EchoIsAnsweredMeanwhile) {
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 1);
    tell(EchoRequest{}, kAlice, 2);
    EXPECT_EQ(got(), "E2 ");
}

TEST_F(DatapathBarrier, FlowRemovedOfEarlierDeletesComesFirst) {
    FlowMod mod = add_flow();
    mod.flags = flow_flag::kSendFlowRem;
    tell(mod);
    store.set_grace(VectorFlowStore::Grace::held);
    tell(flow(FlowModCommand::remove));
    tell(BarrierRequest{}, kAlice, 1);
    pass(1);
    EXPECT_EQ(got(), "");
    store.set_grace(VectorFlowStore::Grace::passes);
    pass(1);
    EXPECT_EQ(got(), "R B1 ");
}

TEST_F(DatapathBarrier, FlowRemovedThatHasSettledComesFirstEvenWithoutATick) {
    FlowMod mod = add_flow();
    mod.flags = flow_flag::kSendFlowRem;
    tell(mod);
    tell(flow(FlowModCommand::remove));
    tell(BarrierRequest{}, kAlice, 1);
    EXPECT_EQ(got(), "R B1 ");
}

TEST_F(DatapathBarrier, LaterDeletesOfOthersDoNotHoldItUp) {
    FlowMod mod = add_flow();
    mod.flags = flow_flag::kSendFlowRem;
    tell(mod);
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 1);
    store.set_grace(VectorFlowStore::Grace::held);
    tell(flow(FlowModCommand::remove), kBob, 2);
    plane.passed = 1;
    pass(1);
    EXPECT_EQ(got(), "B1 ");
}

TEST_F(DatapathBarrier, WaitingMessageKeepsItsBytesForItsError) {
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 1);
    tell(Experimenter{0x2320, 1, {}}, kAlice, 2);
    plane.passed = 1;
    pass(1);
    EXPECT_EQ(got(), "B1 X2 ");
    const auto errors = sent<ErrorMsg>();
    EXPECT_EQ(errors.at(0).data, ByteVector(16, std::byte{0x5a}));
}

TEST_F(DatapathBarrier, EndOfTheConnectionForgetsWhatWaits) {
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 1);
    tell(add_flow(), kAlice, 2);
    datapath().disconnected(kAlice, now);
    plane.passed = 1;
    pass(1);
    EXPECT_EQ(got(), "");
    EXPECT_EQ(store.size(), 0u);
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathBarrier, FloodBehindItStopsTheReading) {
    plane.passed = 0;
    tell(BarrierRequest{}, kAlice, 1);
    for (std::size_t n = 0; n < Session::kMaxWaiting; ++n) {
        EXPECT_TRUE(datapath().accepts(kAlice));
        tell(FeaturesRequest{}, kAlice, 2);
    }
    EXPECT_FALSE(datapath().accepts(kAlice));
    EXPECT_TRUE(datapath().accepts(kBob));
    tell(FeaturesRequest{}, kAlice, 3);  // read before the reading stopped: not lost
    plane.passed = 1;
    pass(1);
    EXPECT_EQ(sent<FeaturesReply>().size(), Session::kMaxWaiting + 1);
    EXPECT_TRUE(datapath().accepts(kAlice));
}

// §6.2: a reply under way counts as work before the barrier.
TEST_F(DatapathBarrier, WaitsForALongReplyBeforeIt) {
    tell(add_flow());
    outbox.full.insert(kAlice);
    tell(MultipartRequest{0, FlowStatsRequest{}}, kAlice, 1);
    tell(BarrierRequest{}, kAlice, 2);
    EXPECT_EQ(got(), "");
    outbox.full.clear();
    pass(1);
    EXPECT_EQ(got(), "M1 B2 ");
}

}  // namespace
}  // namespace raicho::agent::test
