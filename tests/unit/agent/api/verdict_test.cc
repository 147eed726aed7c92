// SPDX-License-Identifier: Apache-2.0
#include "agent/api/verdict.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/api/fake_view.h"

namespace raicho::agent::api {
namespace {

struct Lab : testing::Test {
    FakeView view;
    Lab() {
        view.add_bridge("br0");
        view.add_port("br0", "h1-br", 1);
        view.add_port("br0", "h2-br", 2);
    }
    BridgeView& bridge() { return view.bridge_list.front(); }
    Verdict verdict() { return judge(bridge(), view.controller_list, view.port_list, view.plane); }
};

TEST_F(Lab, ARefusedControllerAndNoFlowsDropEveryPacket) {
    view.add_controller("br0", "refused, next try in 4s");
    bridge().n_controllers = 1;
    EXPECT_EQ(verdict().text,
              "br0: secure, controller refused (127.0.0.1:6653), 0 flows: every packet is dropped");
    EXPECT_EQ(verdict().forwarding, Forwarding::stopped);
    EXPECT_EQ(verdict().hint, "start the controller, or set fail-mode standalone");
}

TEST_F(Lab, AConnectedControllerWithoutFlowsIsToldApart) {
    view.add_controller("br0", "connected (1.3) for 3s").connected = true;
    bridge().n_controllers_connected = 1;
    EXPECT_EQ(verdict().text,
              "br0: secure, controller connected (127.0.0.1:6653), 0 flows: every packet is "
              "dropped");
    EXPECT_EQ(verdict().hint, "the controller has installed no flow, not even a table-miss entry");
}

TEST_F(Lab, FlowsForward) {
    view.add_controller("br0", "connected (1.3) for 3s").connected = true;
    bridge().n_flows = 1234;
    EXPECT_EQ(verdict().text,
              "br0: secure, controller connected (127.0.0.1:6653), 1,234 flows: packets go by the "
              "flows, a miss is dropped");
    EXPECT_EQ(verdict().forwarding, Forwarding::working);
}

TEST_F(Lab, ABridgeWithoutControllerLearns) {
    bridge().fail_mode = "standalone";
    bridge().mode = "flows (a miss goes to normal)";
    bridge().forwards_without_flows = true;
    EXPECT_EQ(verdict().text,
              "br0: standalone, no controller, 0 flows: forwards as a learning switch");
}

TEST_F(Lab, WithoutADataplaneNothingMoves) {
    view.plane.attached = false;
    bridge().n_flows = 1;
    EXPECT_EQ(verdict().text,
              "br0: secure, no controller, 1 flow: no packet moves, the dataplane is not running");
}

TEST_F(Lab, ADataplaneThatDoesNotAnswerIsNotToBeStarted) {
    view.plane = {false, "waiting for its answer", 12, 0, 0, "does not answer"};
    bridge().n_flows = 1;
    EXPECT_EQ(
        verdict().text,
        "br0: secure, no controller, 1 flow: the dataplane does not answer: stopped, or stuck");
    EXPECT_EQ(verdict().hint, "its log and `show worker` say more; restart dataplane");
}

TEST_F(Lab, ADataplaneThatIsAttachedButStuckIsTold) {
    bridge().n_flows = 1;
    view.plane.silent_ns = 25 * kSecond;
    const std::string why = "the dataplane (pid 12) has been silent for 25s: stopped, or stuck";
    EXPECT_EQ(verdict().forwarding, Forwarding::stopped);
    EXPECT_EQ(verdict().text, "br0: secure, no controller, 1 flow: " + why);
    EXPECT_EQ(warnings(view), std::vector<std::string>{why});
}

TEST_F(Lab, PortsThatAreDownAreTheReason) {
    bridge().n_flows = 2;
    view.port_list[0].health = shm::PortHealth::absent;
    EXPECT_EQ(verdict().forwarding, Forwarding::stopped);
    EXPECT_TRUE(verdict().text.ends_with(", but only one port is up")) << verdict().text;
    view.port_list[1].health = shm::PortHealth::down;
    EXPECT_TRUE(verdict().text.ends_with("no packet comes in, none of its 2 ports is up"))
        << verdict().text;
    view.port_list.clear();
    EXPECT_TRUE(verdict().text.ends_with("no packet comes in, it has no ports"));
}

TEST_F(Lab, SeveralControllersAreCounted) {
    view.add_controller("br0", "connected (1.3) for 3s").connected = true;
    view.add_controller("br0", "no answer, next try in 1s").target = "tcp:10.0.0.2:6653";
    bridge().n_flows = 1;
    EXPECT_TRUE(verdict().text.starts_with(
        "br0: secure, 1 of 2 controllers connected (10.0.0.2:6653: no answer), 1 flow: "))
        << verdict().text;
}

TEST_F(Lab, WarningsNameWhatIsWrong) {
    EXPECT_TRUE(warnings(view).empty());
    view.port_list[0].health = shm::PortHealth::absent;
    view.port_list[0].state = "absent: no interface h1-br";
    view.add_controller("br0", "refused, next try in 4s");
    view.plane = {false, "not running, next try in 1s", 0, 0, 0, "connection refused"};
    const std::vector<std::string> expected{
        "dataplane: not running, next try in 1s (connection refused)",
        "port h1-br of br0: absent: no interface h1-br",
        "controller tcp:127.0.0.1:6653 of br0: refused, next try in 4s"};
    EXPECT_EQ(warnings(view), expected);
}

}  // namespace
}  // namespace raicho::agent::api
