// SPDX-License-Identifier: Apache-2.0
// Auxiliary connections (OF 1.3.5 §6.3.6).
#include <algorithm>
#include <set>

#include "tests/unit/agent/channel/channel_fixture.h"

namespace raicho::agent {
namespace {

class AuxiliaryTest : public ChannelTest {
  protected:
    AuxiliaryTest() {
        ControllerConfig config = quick(controller.port());
        config.auxiliary = 2;
        EXPECT_TRUE(bridge.channel.add_controller(config));
        main.emplace(accept(controller));
    }
    /// The auxiliary connections come once the main session is up.
    void come_up() {
        main->say(kPeerHello);
        for (int i = 0; i < 2; ++i) {
            peers.push_back(accept(controller));
            peers.back().say(kPeerHello);
        }
        EXPECT_TRUE(run_until(loop, [&] { return bridge.auxiliary.size() == 2; }));
    }
    Bridge bridge{loop};
    ScriptedController controller{loop};
    std::optional<ScriptedPeer> main;
    std::vector<ScriptedPeer> peers;
};

TEST_F(AuxiliaryTest, ComeAfterTheMainSessionWithTheirNumbers) {
    EXPECT_FALSE(run_until(
        loop, [&] { return controller.take().has_value(); }, std::chrono::milliseconds(30)));
    come_up();
    ASSERT_EQ(bridge.up.size(), 1u);
    std::set<int> numbers;
    for (const auto& auxiliary : bridge.auxiliary) {
        EXPECT_EQ(auxiliary.main, bridge.up[0]);
        numbers.insert(auxiliary.number);
    }
    EXPECT_EQ(numbers, (std::set{1, 2}));
}

TEST_F(AuxiliaryTest, RequestsAreAnsweredWhereTheyCame) {
    come_up();
    peers[0].forget();
    peers[0].say(kBarrier);
    EXPECT_TRUE(run_until(loop, [&] { return peers[0].heard() == "0415000800000009"; }));
    EXPECT_EQ(bridge.from.size(), 1u);
}

TEST_F(AuxiliaryTest, LostOneComesAgain) {
    come_up();
    const ConnectionId lost = bridge.auxiliary[0].id;
    peers[0].close();
    peers[1].close();
    EXPECT_TRUE(run_until(loop, [&] { return bridge.down.size() == 2; }));
    EXPECT_NE(std::ranges::find(bridge.down, lost), bridge.down.end());
    ScriptedPeer again = accept(controller);
    again.say(kPeerHello);
    EXPECT_TRUE(run_until(loop, [&] { return bridge.auxiliary.size() == 3; }));
    EXPECT_EQ(bridge.channel.n_controllers_up(), 1u);
}

TEST_F(AuxiliaryTest, GoWithTheMainConnectionAndBeforeIt) {
    come_up();
    main->close();
    EXPECT_TRUE(run_until(loop, [&] { return bridge.down.size() == 3; }));
    EXPECT_EQ(bridge.down[2], bridge.up[0]);
    EXPECT_TRUE(run_until(loop, [&] { return peers[0].closed() && peers[1].closed(); }));
}

TEST_F(AuxiliaryTest, GoWhenSessionsAreEnded) {
    come_up();
    bridge.channel.end_sessions("the datapath id changed");
    EXPECT_EQ(bridge.down.size(), 3u);
    EXPECT_TRUE(run_until(loop, [&] { return peers[0].closed() && peers[1].closed(); }));
}

TEST_F(ChannelTest, AuxiliaryConnectionsComeFromTheControllersSource) {
    Bridge bridge{loop};
    ScriptedController controller{loop};
    ControllerConfig config = quick(controller.port());
    config.auxiliary = 2;
    config.source = "127.0.0.9";
    ASSERT_TRUE(bridge.channel.add_controller(config));
    ScriptedPeer main = accept(controller);
    EXPECT_EQ(main.remote(), "127.0.0.9");
    main.say(kPeerHello);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(accept(controller).remote(), "127.0.0.9");
    // and again after a loss
    EXPECT_EQ(accept(controller).remote(), "127.0.0.9");
}

}  // namespace
}  // namespace raicho::agent
