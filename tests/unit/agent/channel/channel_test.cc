// SPDX-License-Identifier: Apache-2.0
#include "agent/channel/channel.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/agent/channel/channel_fixture.h"

namespace raicho::agent {
namespace {

TEST_F(ChannelTest, ConnectsGreetsAndAnswers) {
    Bridge bridge(loop);
    ScriptedController controller(loop);
    ASSERT_TRUE(bridge.channel.add_controller(quick(controller.port())));
    ScriptedPeer peer = accept(controller);
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    EXPECT_EQ(peer.heard(), "04000010000000010001000800000010");
    EXPECT_EQ(bridge.channel.n_controllers_up(), 1u);
    peer.forget();
    peer.say(kBarrier);
    ASSERT_TRUE(run_until(loop, [&] { return peer.heard_size() == 8; }));
    EXPECT_EQ(peer.heard(), "0415000800000009");
    const ControllerView view = bridge.channel.controllers().at(0);
    EXPECT_TRUE(view.connected);
    EXPECT_TRUE(view.state.starts_with("connected (1.3) for ")) << view.state;
}

TEST_F(ChannelTest, TwoControllersOfOneBridgeLiveSideBySide) {
    Bridge bridge(loop);
    ScriptedController a(loop), b(loop);
    ASSERT_TRUE(bridge.channel.add_controller(quick(a.port())));
    ASSERT_TRUE(bridge.channel.add_controller(quick(b.port())));
    EXPECT_FALSE(bridge.channel.add_controller(quick(b.port()))) << "named twice";
    ScriptedPeer pa = accept(a), pb = accept(b);
    pa.say(kPeerHello);
    pb.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.channel.n_controllers_up() == 2; }));
    pa.close();
    ASSERT_TRUE(run_until(loop, [&] { return bridge.channel.n_controllers_up() == 1; }));
    pb.forget();
    pb.say(kBarrier);
    EXPECT_TRUE(run_until(loop, [&] { return pb.heard_size() == 8; }));
}

TEST_F(ChannelTest, RemovedControllerLosesItsConnection) {
    Bridge bridge(loop);
    ScriptedController controller(loop);
    ASSERT_TRUE(bridge.channel.add_controller(quick(controller.port())));
    ScriptedPeer peer = accept(controller);
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    bridge.channel.remove_controller({"127.0.0.1", controller.port()});
    EXPECT_EQ(bridge.down, bridge.up);
    EXPECT_TRUE(run_until(loop, [&] { return peer.closed(); }));
    EXPECT_EQ(bridge.channel.n_controllers(), 0u);
}

TEST_F(ChannelTest, ListenerTakesConnectionsAndCountsThem) {
    Bridge bridge(loop);
    const std::uint16_t port = listen(bridge);
    ScriptedPeer peer(loop, port);
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    EXPECT_EQ(bridge.channel.listens().at(0).state, "listening, 1 connection");
    EXPECT_EQ(bridge.channel.n_controllers(), 0u);
    EXPECT_EQ(bridge.channel.n_sessions(), 1u);
    bridge.channel.remove_listener({"127.0.0.1", 0});
    EXPECT_EQ(bridge.down.size(), 1u);
    EXPECT_TRUE(run_until(loop, [&] { return peer.closed(); }));
}

TEST_F(ChannelTest, BusyAddressIsAnErrorWithAHint) {
    Bridge bridge(loop);
    const std::uint16_t port = listen(bridge);
    const auto again = bridge.channel.add_listener({.endpoint = {"127.0.0.1", port}});
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().text.find("Address already in use"), std::string::npos);
    EXPECT_NE(again.error().hint, "");
}

TEST_F(ChannelTest, RefusedVersionReachesThePeerBeforeTheClose) {
    Bridge bridge(loop);
    ScriptedPeer peer(loop, listen(bridge));
    peer.say(
        "0100000800000001"
        "0105000800000002");  // HELLO and FEATURES_REQUEST of 1.0
    ASSERT_TRUE(run_until(loop, [&] { return peer.closed(); }));
    EXPECT_EQ(peer.heard().substr(32, 4), "0101") << "behind our HELLO: OFPT_ERROR in 1.0";
    EXPECT_TRUE(bridge.up.empty());
}

TEST_F(ChannelTest, DropsASilentPeerAfterTwoProbeIntervals) {
    Bridge bridge(loop);
    ScriptedPeer peer(loop, listen(bridge, 20 * kMilli));
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    peer.forget();
    ASSERT_TRUE(run_until(loop, [&] { return peer.closed(); }));
    EXPECT_EQ(peer.heard().substr(0, 8), "04020008") << "one echo request came first";
    EXPECT_EQ(peer.heard_size(), 8u);
    EXPECT_EQ(bridge.down.size(), 1u);
}

TEST_F(ChannelTest, DropsPacketInsOfASlowPeerAndServesTheOthers) {
    Bridge bridge(loop);
    const std::uint16_t port = listen(bridge);
    ScriptedPeer slow(loop, port), quick_peer(loop, port);
    slow.say(kPeerHello);
    quick_peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 2; }));
    openflow::PacketIn packet_in;
    packet_in.data.resize(1500);
    std::uint64_t sent = 0;
    const auto dropped = [&] {
        std::uint64_t n = 0;
        for (const ControllerView& view : bridge.channel.controllers())
            n += view.packet_ins_dropped;
        return n;
    };
    std::uint64_t heard = 0;
    ASSERT_TRUE(run_until(loop, [&] {
        for (int i = 0; i < 100; ++i, ++sent) bridge.channel.send_all(bridge.up, packet_in);
        loop.poll();
        heard += quick_peer.heard_size();
        quick_peer.forget();
        return dropped() > 1000;
    }));
    quick_peer.say(kBarrier);
    ASSERT_TRUE(run_until(loop, [&] { return quick_peer.heard().ends_with("0415000800000009"); }));
    EXPECT_EQ(bridge.down.size(), 0u) << "packet-ins never cost a connection";
    heard += quick_peer.heard_size();
    EXPECT_GT(heard, sent * 1500 / 2);
}

TEST_F(ChannelTest, ClosesAPeerThatTakesNoAsynchronousMessages) {
    ConnectionConfig config;
    config.output.async = 1u << 20;
    Bridge bridge(loop, config);
    ScriptedPeer peer(loop, listen(bridge));
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    const openflow::PortStatus status;
    EXPECT_TRUE(run_until(loop, [&] {
        for (int i = 0; i < 10000; ++i) bridge.channel.send_all(bridge.up, status);
        EXPECT_TRUE(bridge.down.empty()) << "never from within a send";
        EXPECT_EQ(bridge.channel.n_sessions(), 1u);
        loop.poll();
        return !bridge.down.empty();
    }));
}

TEST_F(ChannelTest, StopsReadingWhileItsAnswersAreNotTaken) {
    Bridge bridge(loop);
    bridge.reply_size = 60000;
    ScriptedPeer peer(loop, listen(bridge));
    peer.say(kPeerHello);
    std::string many;
    for (int i = 0; i < 400; ++i) many += kFeatures;  // 3 kB of questions, 24 MB of answers
    peer.say(many);
    const auto settled = [&, last = std::size_t{0},
                          since = std::chrono::steady_clock::now()]() mutable {
        const auto now = std::chrono::steady_clock::now();
        if (bridge.from.size() != std::exchange(last, bridge.from.size())) since = now;
        return now - since > std::chrono::milliseconds(100);
    };
    ASSERT_TRUE(run_until(loop, settled));
    EXPECT_LT(bridge.from.size(), 300u);
    EXPECT_GT(bridge.from.size(), 60u);
    // It reads at last: all answers come, none was dropped.
    ASSERT_TRUE(run_until(loop, [&] { return peer.heard_size() == 16 + 400 * 60008; }));
    EXPECT_EQ(bridge.from.size(), 400u);
    EXPECT_GT(bridge.n_drained, 0);
}

TEST_F(ChannelTest, HandsInNothingWhileTheHandlerDoesNotAccept) {
    Bridge bridge(loop);
    ScriptedPeer peer(loop, listen(bridge));
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    bridge.accepting = false;
    peer.say(kBarrier);
    loop.restart();
    loop.run_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(bridge.from.empty());
    bridge.accepting = true;
    bridge.channel.resume();
    EXPECT_TRUE(run_until(loop, [&] { return bridge.from.size() == 1; }));
}

TEST_F(ChannelTest, TwoReasonsToPauseMakeOneReadWhenBothEnd) {
    ConnectionConfig config;
    config.output.pause = config.output.resume = 1u << 20;
    Bridge bridge(loop, config);
    bridge.reply_size = 60000;
    bridge.pauses = true;
    ScriptedPeer peer(loop, listen(bridge));
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    std::string many;
    for (int i = 0; i < 30; ++i) many += kFeatures;
    peer.say(many);
    ASSERT_TRUE(run_until(loop, [&] { return peer.heard_size() == 16 + 30 * 60008; }));
    ASSERT_GT(bridge.n_drained, 0);
    peer.forget();
    // Of two reads into the same space the second would lie over the first one's bytes.
    for (std::size_t i = 0; i < kBarrier.size(); i += 2) {
        peer.say(kBarrier.substr(i, 2));
        loop.restart();
        loop.run_for(std::chrono::milliseconds(2));
    }
    EXPECT_TRUE(run_until(
        loop, [&] { return peer.heard() == "0415000800000009"; }, std::chrono::seconds(2)))
        << peer.heard();
}

TEST_F(ChannelTest, HelloFailedIsShownAsTheLastError) {
    Bridge bridge(loop);
    ScriptedController controller(loop);
    ControllerConfig config = quick(controller.port());
    config.min_backoff = config.max_backoff = 3600 * kSecond;
    ASSERT_TRUE(bridge.channel.add_controller(config));
    ScriptedPeer peer = accept(controller);
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    peer.say(
        "01010012000000010000"
        "0000"
        "6e6f20776179");  // in 1.0: "no way"
    ASSERT_TRUE(run_until(loop, [&] { return bridge.down.size() == 1; }));
    const std::string last = bridge.channel.controllers().at(0).last_error;
    EXPECT_NE(last.find("\"no way\""), std::string::npos) << last;
}

TEST_F(ChannelTest, BusyPeerDoesNotStarveAnother) {
    Bridge bridge(loop);
    const std::uint16_t port = listen(bridge);
    ScriptedPeer busy(loop, port);
    busy.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    ScriptedPeer other(loop, port);
    other.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 2; }));
    std::string flood;
    for (int i = 0; i < 4000; ++i) flood += kFeatures;
    busy.say(flood);
    other.say(kFeatures);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.from.size() >= 4001; }));
    const auto turn = std::ranges::find(bridge.from, bridge.up[1]) - bridge.from.begin();
    EXPECT_LE(turn, 1024) << "its turn comes after a few batches of the busy one";
}

// A session whose messages wait is not read; its peer's death must not wait with them.
TEST_F(ChannelTest, AResetIsNoticedWhileTheHandlerDoesNotAccept) {
    Bridge bridge(loop);
    ScriptedPeer peer(loop, listen(bridge));
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    bridge.accepting = false;
    peer.say(kBarrier);
    loop.restart();
    loop.run_for(std::chrono::milliseconds(20));
    peer.reset();
    EXPECT_TRUE(run_until(loop, [&] { return bridge.down.size() == 1; }));
    EXPECT_TRUE(bridge.from.empty());
}

TEST_F(ChannelTest, APeerThatClosedIsNoticedByAProbeWhileTheHandlerDoesNotAccept) {
    Bridge bridge(loop);
    ScriptedPeer peer(loop, listen(bridge, 20 * kMilli));
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    bridge.accepting = false;
    peer.say(kBarrier);
    peer.forget();  // with nothing unread the close is no reset
    peer.close();
    EXPECT_TRUE(run_until(loop, [&] { return bridge.down.size() == 1; }));
    EXPECT_TRUE(bridge.from.empty());
}

TEST_F(ChannelTest, ARefusedRequestIsShownWithItsReason) {
    Bridge bridge(loop);
    ScriptedPeer peer(loop, listen(bridge));
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    peer.forget();
    bridge.channel.refuse(
        bridge.up[0], 5,
        openflow::ofp_error(openflow::FlowModFailed::bad_timeout, "too long").error(),
        *parse_hex("040e003800000005"));
    ASSERT_TRUE(run_until(loop, [&] { return peer.heard_size() > 0; }));
    EXPECT_EQ(peer.heard(),
              "04010014000000050005"
              "0005"
              "040e003800000005");
    EXPECT_EQ(bridge.channel.controllers().at(0).last_error,
              "refused FLOW_MOD (xid 5): OFPET_FLOW_MOD_FAILED (5), OFPFMFC_BAD_TIMEOUT (5): too "
              "long");
}

}  // namespace
}  // namespace raicho::agent
