// SPDX-License-Identifier: Apache-2.0
// What a person at the prompt hears of the agent: restarts, controllers, commits of others.
#include "shell/watch.h"

#include <gmock/gmock.h>

#include "tests/unit/shell/live_api.h"

namespace raicho::shell {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WatchTest : public LiveApi {
  protected:
    WatchTest() { watch_.take(*agent_.get("/api/v1/summary")); }
    std::vector<std::string> news() { return watch_.news(kPatience); }
    /// Changes what the switch says of itself while nobody asks.
    template <class Change>
    void meanwhile(Change change) {
        stop();
        change();
        start();
    }
    static constexpr std::chrono::milliseconds kPatience{2000};
    Watch watch_{agent_};
};

TEST_F(WatchTest, NothingIsNewsWhileNothingHappens) {
    EXPECT_THAT(news(), IsEmpty());
    EXPECT_EQ(watch_.name(), "lab");
    EXPECT_TRUE(watch_.reachable());
}

TEST_F(WatchTest, AnAgentThatDoesNotAnswerIsNewsOnce) {
    stop();
    EXPECT_THAT(news(), ElementsAre(HasSubstr("the agent cannot be reached")));
    EXPECT_FALSE(watch_.reachable());
    EXPECT_THAT(news(), IsEmpty());
    start();
    EXPECT_THAT(news(), ElementsAre("the agent answers again"));
    EXPECT_THAT(news(), IsEmpty());
}

TEST_F(WatchTest, WhatTheCommandSaidIsNotSaidAgain) {
    watch_.lost();
    stop();
    EXPECT_THAT(news(), IsEmpty());
    start();
    EXPECT_THAT(news(), ElementsAre("the agent answers again"));
}

TEST_F(WatchTest, ARestartIsNewsWithItsAge) {
    meanwhile([this] { view_.uptime = 3 * agent::kSecond; });
    EXPECT_THAT(news(), ElementsAre("the agent was restarted 3s ago (fresh)"));
}

TEST_F(WatchTest, ControllersThatComeAndGoAreNews) {
    meanwhile([this] { view_.bridge_list[0].n_controllers_connected = 1; });
    EXPECT_THAT(news(), ElementsAre("br0: a controller has come (1 of 1 connected)"));
    meanwhile([this] { view_.bridge_list[0].n_controllers_connected = 0; });
    EXPECT_THAT(news(), ElementsAre("br0: a controller was lost (0 of 1 connected)"));
}

TEST_F(WatchTest, CommitsOfOthersAreNewsAndOwnOnesAreNot) {
    EXPECT_THAT(watch_.commits(1), IsEmpty());
    const auto commit = [this](const std::string& text, const std::string& comment) {
        agent::config::CommitOrder order;
        order.author.user = "alice";
        order.comment = comment;
        config_.engine.load_text(
            text, "t", order, [](const agent::config::CommitOutcome& done) { EXPECT_TRUE(done); });
    };
    meanwhile([&] { commit("bridge br0", "no port any more"); });
    EXPECT_THAT(watch_.commits(2), ElementsAre("alice committed revision 2: no port any more"));
    EXPECT_THAT(watch_.commits(2), IsEmpty());
    meanwhile([&] { commit("bridge br1", ""); });
    watch_.committed(3);
    EXPECT_THAT(watch_.commits(3), IsEmpty());
}

// --- monitor -----------------------------------------------------------------------------------

class MonitorTest : public LiveApi {};

TEST_F(MonitorTest, PortsAreShownSoManyTimesWithTheirRates) {
    const std::string shown = run("monitor ports br0 every 1 times 2");
    EXPECT_EQ(code_, ExitCode::ok) << shown;
    std::size_t pictures = 0;
    for (std::size_t at = 0; (at = shown.find("ports  every 1 s", at)) != std::string::npos; ++at)
        ++pictures;
    EXPECT_EQ(pictures, 2u) << shown;
    EXPECT_THAT(shown, HasSubstr("RX PKT/S"));
    EXPECT_THAT(shown, testing::ContainsRegex("h1-br +1 +- +- +- +- +-"));  // nothing to compare
    EXPECT_THAT(shown, testing::ContainsRegex("h1-br +1 +0 +0 +0 +0 +0"));
}

TEST_F(MonitorTest, FlowsAreShownWithNamesOfPorts) {
    view_.add_flow("br0", TableId{0}, 7, 1, 2);
    const std::string shown = run("monitor flows br0 times 1");
    EXPECT_EQ(code_, ExitCode::ok) << shown;
    EXPECT_THAT(shown, HasSubstr("in_port=h1-br"));
    EXPECT_THAT(shown, HasSubstr("output:h2-br"));
}

TEST_F(MonitorTest, WhatIsNotThereIsRefusedWithItsPlace) {
    EXPECT_THAT(run("monitor ports br9 times 1"),
                HasSubstr("  monitor ports br9 times 1\n                ^^^"));
    EXPECT_EQ(code_, ExitCode::failed);
    EXPECT_THAT(run("monitor flows br0 match nonsense=1 times 1"), HasSubstr("nonsense"));
    EXPECT_NE(code_, ExitCode::ok);
}

}  // namespace
}  // namespace raicho::shell
