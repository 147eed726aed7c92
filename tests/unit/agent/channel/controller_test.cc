// SPDX-License-Identifier: Apache-2.0
// Names, addresses and tries: how a controller is reached, and when again.
#include "agent/channel/controller.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/channel/channel_fixture.h"

namespace raicho::agent {
namespace {

TEST_F(ChannelTest, ResolvesNames) {
    Bridge bridge(loop);
    ScriptedController controller(loop);
    ControllerConfig config = quick(controller.port());
    config.endpoint.host = "localhost";
    ASSERT_TRUE(bridge.channel.add_controller(config));
    ScriptedPeer peer = accept(controller);
    peer.say(kPeerHello);
    EXPECT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
}

TEST_F(ChannelTest, SaysRefusedAndWhenItTriesNext) {
    std::uint16_t port = 0;
    {
        port = ScriptedController(loop).port();
    }  // closed again: nobody listens there now
    Bridge bridge(loop);
    ControllerConfig config = quick(port);
    config.min_backoff = config.max_backoff = 3600 * kSecond;
    ASSERT_TRUE(bridge.channel.add_controller(config));
    ASSERT_TRUE(run_until(loop, [&] {
        return bridge.channel.controllers().at(0).state.find("next try") != std::string::npos;
    }));
    const ControllerView view = bridge.channel.controllers().at(0);
    EXPECT_EQ(view.state, "refused, next try in 3600s");
    EXPECT_EQ(view.last_error, "refused");
    EXPECT_FALSE(view.connected);
}

TEST_F(ChannelTest, ReconnectsUnderANewConnectionNumber) {
    Bridge bridge(loop);
    ScriptedController controller(loop);
    ASSERT_TRUE(bridge.channel.add_controller(quick(controller.port())));
    std::set<ConnectionId> ids;
    for (std::size_t round = 1; round <= 4; ++round) {
        ScriptedPeer peer = accept(controller);
        peer.say(kPeerHello);
        ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == round; }));
        ids.insert(bridge.up.back());
        const ConnectionId old = bridge.up.back();
        peer.close();
        ASSERT_TRUE(run_until(loop, [&] { return bridge.down.size() == round; }));
        EXPECT_EQ(bridge.down.back(), old);
        // An answer that was late for the old connection reaches nobody.
        bridge.channel.send(old, 1, openflow::BarrierReply{});
        EXPECT_FALSE(bridge.channel.writable(old));
    }
    EXPECT_EQ(ids.size(), 4u);
}

TEST_F(ChannelTest, BackOffGrowsToItsLimitAndStartsAnewAfterASession) {
    std::uint16_t port = 0;
    {
        port = ScriptedController(loop).port();
    }
    Bridge bridge(loop);
    const auto begin = std::chrono::steady_clock::now();  // the first try comes with the controller
    ASSERT_TRUE(bridge.channel.add_controller(quick(port)));
    ASSERT_TRUE(run_until(loop, [&] { return bridge.channel.controllers().at(0).attempts >= 6; }));
    // 5 + 10 + 20 + 20 + 20 ms
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(75));
}

TEST_F(ChannelTest, AnAddressThatDoesNotAnswerIsAskedEachBackOff) {
    auto network = std::make_unique<ScriptedNetwork>(loop);
    network->silent = {at("192.0.2.1", 6653)};
    Bridge bridge(loop, {}, std::move(network));
    ControllerConfig config = quick(6653);
    config.endpoint.host = "192.0.2.1";
    config.min_backoff = config.max_backoff = 100 * kMilli;
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(bridge.channel.add_controller(config));
    ASSERT_TRUE(run_until(loop, [&] { return bridge.channel.controllers().at(0).attempts >= 6; }));
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, std::chrono::milliseconds(500));
    EXPECT_LT(took, std::chrono::milliseconds(900)) << "not the pause on top of the try";
    EXPECT_EQ(bridge.channel.controllers().at(0).last_error, "no answer");
}

TEST_F(ChannelTest, ASilentAddressDoesNotKeepFromTheNextOne) {
    ScriptedController next(loop);
    auto network = std::make_unique<ScriptedNetwork>(loop);
    network->addresses = {at("192.0.2.1", 6653), at("192.0.2.2", 6653)};
    network->silent = {network->addresses[0]};
    network->listening = {{network->addresses[1], next.port()}};
    Bridge bridge(loop, {}, std::move(network));
    ControllerConfig config = quick(6653);
    config.endpoint.host = "controller.example";
    config.max_backoff = 200 * kMilli;
    ASSERT_TRUE(bridge.channel.add_controller(config));
    ScriptedPeer peer = accept(next);
    EXPECT_EQ(bridge.channel.controllers().at(0).attempts, 1u);
}

// Both were true at once on a busy machine: the session lived, and another connection was begun.
TEST_F(ChannelTest, AConnectionThatComesWithTheEndOfItsTimeIsTheOnlyOne) {
    ScriptedController controller(loop);
    auto network = std::make_unique<ScriptedNetwork>(loop);
    network->listening = {{at("192.0.2.1", 6653), controller.port()}};
    network->late = std::chrono::milliseconds(25);
    Bridge bridge(loop, {}, std::move(network));
    ControllerConfig config = quick(6653);  // 20 ms for a try
    config.endpoint.host = "192.0.2.1";
    ASSERT_TRUE(bridge.channel.add_controller(config));
    ScriptedPeer peer = accept(controller);
    peer.say(kPeerHello);
    ASSERT_TRUE(run_until(loop, [&] { return bridge.up.size() == 1; }));
    peer.say(kBarrier);
    ASSERT_TRUE(run_until(loop, [&] { return peer.heard_size() == 16 + 8; }));
    EXPECT_TRUE(bridge.channel.controllers().at(0).connected)
        << bridge.channel.controllers().at(0).state;
    EXPECT_EQ(bridge.channel.controllers().at(0).attempts, 1u);
}

TEST_F(ChannelTest, ConnectsFromItsSourceAddress) {
    Bridge bridge(loop);
    ScriptedController controller(loop);
    ControllerConfig config = quick(controller.port());
    config.source = "127.0.0.7";
    ASSERT_TRUE(bridge.channel.add_controller(config));
    EXPECT_EQ(accept(controller).remote(), "127.0.0.7");
}

TEST_F(ChannelTest, ASourceAddressThatIsNotThisHostsIsSaid) {
    Bridge bridge(loop);
    ScriptedController controller(loop);
    for (const char* source : {"192.0.2.77", "2001:db8::77"}) {
        ControllerConfig config = quick(controller.port());
        config.source = source;
        config.min_backoff = config.max_backoff = 3600 * kSecond;
        ASSERT_TRUE(bridge.channel.add_controller(config));
        ASSERT_TRUE(run_until(
            loop, [&] { return !bridge.channel.controllers().at(0).last_error.empty(); }));
        EXPECT_FALSE(controller.take()) << source;
        bridge.channel.remove_controller(config.endpoint);
    }
}

TEST_F(ChannelTest, LooksAtTheOldPortWhenTheNewOneRefuses) {
    ScriptedController old(loop);
    auto network = std::make_unique<ScriptedNetwork>(loop);
    network->listening = {{at("192.0.2.1", kOldOpenFlowPort), old.port()}};
    Bridge bridge(loop, {}, std::move(network));
    ASSERT_TRUE(bridge.channel.add_controller({.endpoint = {"192.0.2.1", kOpenFlowPort}}));
    EXPECT_TRUE(run_until(loop, [&] {
        return bridge.channel.controllers().at(0).state.find(
                   "refused, but port 6633 listens: write tcp:192.0.2.1:6633") != std::string::npos;
    })) << bridge.channel.controllers().at(0).state;
}

}  // namespace
}  // namespace raicho::agent
