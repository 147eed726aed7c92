// SPDX-License-Identifier: Apache-2.0
// The commit engine on a switch of plain values (house.md section 3, "Configuration").
#include "agent/config/commit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "dsl/model/check.h"
#include "tests/unit/agent/config/commit_fixture.h"

namespace raicho::agent::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

TEST_F(CommitTest, BuildsTheSwitchInAnOrderThatCanBeTakenBack) {
    const CommitOutcome outcome = load(
        "bridge br0 { port p1; controller tcp:10.0.0.1; listen tcp:127.0.0.1:6654; local;\n"
        "flow \"in_port=p1 actions=output:p2\"; port p2 7 }");
    ASSERT_TRUE(outcome) << outcome.error().rendered;
    EXPECT_THAT(
        target.calls,
        ElementsAre("create_bridge br0", "prepare br0/LOCAL", "prepare br0/p1#1 p1",
                    "prepare br0/p2#7 p2", "add br0 listen tcp:127.0.0.1:6654",
                    "add br0 controller tcp:10.0.0.1:6653", "add br0 flow 0 32768 in_port=1",
                    "attach br0/LOCAL", "attach br0/p1#1 p1", "attach br0/p2#7 p2"));
    EXPECT_THAT(outcome->changes, Contains("bridge br0: add port p1 (1)"));
    EXPECT_EQ(engine.revision().info.revision, 1u);
    EXPECT_EQ(engine.running().bridges[0].find_port("p1")->number, PortNo(1));
}

TEST_F(CommitTest, TouchesOnlyTheDifference) {
    have("bridge br0 { port p1; port p2; flow \"actions=output:p1\" }\nbridge br1 { port x }");
    ASSERT_TRUE(
        load("bridge br1 { port x }\nbridge br0 { flow \"actions=output:p1\"\nport p1\n"
             "port p3 }"));
    EXPECT_THAT(target.calls,
                ElementsAre("prepare br0/p3#2 p3", "remove br0/p2", "attach br0/p3#2 p3"));
}

TEST_F(CommitTest, DoesNothingWhenNothingChanged) {
    have("bridge br0 { port p1 }");
    const CommitOutcome outcome = load("bridge br0 {\n port p1 1 }");
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->changes, IsEmpty());
    EXPECT_THAT(target.calls, IsEmpty());
    EXPECT_EQ(engine.revision().info.revision, 1u);
}

TEST_F(CommitTest, ChangesNothingWhenTheTextIsWrong) {
    have("bridge br0 { port p1 }");
    const CommitOutcome outcome =
        load("bridge br0 { prot p1\nflow \"nw_dst=10.0.0.1 actions=drop\" }");
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().diagnostics.size(), 2u) << outcome.error().rendered;
    EXPECT_THAT(outcome.error().rendered, HasSubstr("did you mean \"port\"?"));
    EXPECT_THAT(outcome.error().rendered, HasSubstr("t.conf:2:7: error: flow:"));
    EXPECT_THAT(target.calls, IsEmpty());
    EXPECT_EQ(engine.revision().text, "bridge br0 {\n    port p1 1\n}\n");
}

/// Whatever call fails, the switch is as it was.
TEST_F(CommitTest, TakesEverythingBackWhereverItFails) {
    const std::string before =
        "bridge br0 { port p1; port t { device tap tap0 }; port g; controller tcp:old\n"
        "listen tcp:127.0.0.1:1; flow \"priority=1 actions=drop\"\n"
        "flow \"priority=2 actions=drop\"; local { address 10.0.0.1/8 } }\n"
        "bridge gone { port x { device tap tap1 }; listen tcp:127.0.0.1:2 }";
    const std::string after =
        "log { level debug }\n"
        "bridge br0 { port p1 { mtu 1400 }; port q { device tap tap1 }; port n\n"
        "port u { device tap tap0 }; controller tcp:new; listen tcp:127.0.0.1:2; mac-table { limit "
        "99 }\n"
        "flow \"priority=1 actions=output:n\"; flow \"priority=3 actions=drop\"\n"
        "local { address 10.0.0.2/8 } }\nbridge fresh { port y }";
    have(before);
    const std::set<std::string> state = target.state;
    ASSERT_TRUE(load(after));
    const std::vector<std::string> calls = target.calls;
    const std::set<std::string> wanted = target.state;
    ASSERT_TRUE(load(before));
    ASSERT_EQ(target.state, state);
    int failed = 0;
    for (const std::string& call : calls) {
        target.failing = {call};
        const CommitOutcome outcome = load(after);
        if (outcome) {  // a call that cannot fail
            EXPECT_EQ(target.state, wanted);
            target.failing.clear();
            ASSERT_TRUE(load(before));
            continue;
        }
        ++failed;
        EXPECT_THAT(outcome.error().error.text, HasSubstr(": asked to fail")) << call;
        EXPECT_EQ(target.state, state) << "after a failure of " << call;
        EXPECT_EQ(target.n_prepared(), 0u) << call;
        target.failing.clear();
        EXPECT_THAT(load(before)->changes, IsEmpty()) << call;
    }
    EXPECT_GE(failed, 10);
}

TEST_F(CommitTest, NamesTheObjectAndTheCause) {
    target.failing = {"prepare br0/p2#2 p2"};
    EXPECT_EQ(error(load("bridge br0 { port p1; port p2 }")),
              "port \"p2\" of bridge \"br0\": asked to fail");
    target.failing = {"add br0 listen tcp:127.0.0.1:9"};
    EXPECT_EQ(error(load("bridge br0 { listen tcp:127.0.0.1:9 }")),
              "listen tcp:127.0.0.1:9 of bridge \"br0\": asked to fail");
    EXPECT_THAT(target.state, IsEmpty());
}

TEST_F(CommitTest, WaitsForPortsAndQueuesWhatComesMeanwhile) {
    target.opening = Opening::when_told;
    std::vector<std::string> done;
    engine.load_text("bridge br0 { port p1 }", "a", {},
                     [&](const CommitOutcome& o) { done.push_back(o ? "first" : error(o)); });
    engine.add_port("br0", "p2", "9 { device tap }", {},
                    [&](const CommitOutcome& o) { done.push_back(o ? "second" : error(o)); });
    engine.delete_port("br0", "p1", {},
                       [&](const CommitOutcome& o) { done.push_back(o ? "third" : error(o)); });
    EXPECT_TRUE(engine.busy());
    EXPECT_THAT(done, IsEmpty());
    target.open_waiting();
    EXPECT_THAT(done, ElementsAre("first"));
    target.open_waiting();
    EXPECT_THAT(done, ElementsAre("first", "second", "third"));
    EXPECT_FALSE(engine.busy());
    EXPECT_THAT(target.state, UnorderedElementsAre("br0", "br0/p2#9 p2"));
}

TEST_F(CommitTest, RunsManyQueuedCommitsWithoutDeepRecursion) {
    have("bridge br0");
    int done = 0;
    target.opening = Opening::when_told;
    engine.load_text("bridge br0 { port hold }", "t", {}, [&](const CommitOutcome&) { ++done; });
    for (int i = 0; i < 2000; ++i)
        engine.delete_port("br0", "nothing", {}, [&](const CommitOutcome& o) {
            EXPECT_FALSE(o);
            ++done;
        });
    target.open_waiting();
    EXPECT_EQ(done, 2001);
}

TEST_F(CommitTest, AddsAndDeletesOnePortOfALiveSwitch) {
    have("bridge br0 { port p1; flow \"actions=output:p1\" }");
    CommitOutcome outcome;
    const auto keep = [&](CommitOutcome o) { outcome = std::move(o); };
    engine.add_port("br0", "tap1", "", {}, keep);
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->changes, ElementsAre("bridge br0: add port tap1 (2)"));
    EXPECT_THAT(target.calls, ElementsAre("prepare br0/tap1#2 tap1", "attach br0/tap1#2 tap1"));
    target.calls.clear();
    engine.delete_port("br0", "tap1", {}, keep);
    ASSERT_TRUE(outcome);
    EXPECT_THAT(target.calls, ElementsAre("remove br0/tap1"));
    engine.delete_port("br0", "tpa1", {}, keep);
    EXPECT_EQ(error(outcome), "port \"tpa1\": not in bridge \"br0\"");
    engine.delete_port("br0", "p1", {}, keep);
    ASSERT_FALSE(outcome);  // a flow names it
    EXPECT_THAT(outcome.error().rendered, HasSubstr("p1"));
    engine.add_port("br1", "x", "", {}, keep);
    EXPECT_THAT(outcome.error().rendered, HasSubstr("bridge \"br1\" is not defined"));
}

TEST_F(CommitTest, HandsADeviceThatOnlyOneCanHoldOver) {
    have("bridge a { port t { device tap tap0 } }\nbridge b");
    ASSERT_TRUE(load("bridge a\nbridge b { port t { device tap tap0 } }"));
    EXPECT_THAT(target.calls, ElementsAre("remove a/t", "prepare b/t#1 tap0", "attach b/t#1 tap0"));
}

TEST_F(CommitTest, KeepsASocketPortForwardingUntilItsSuccessorIsOpen) {
    have("bridge a { port e { device af-packet eth9 } }\nbridge b");
    ASSERT_TRUE(load("bridge a\nbridge b { port e { device af-packet eth9 } }"));
    EXPECT_THAT(target.calls, ElementsAre("prepare b/e#1 eth9", "remove a/e", "attach b/e#1 eth9"));
}

TEST_F(CommitTest, ComparesFlowsByWhatTheyMatch) {
    have("bridge b { port p 1; flow \"priority=5,in_port=p,ip actions=drop\" }");
    ASSERT_TRUE(
        load("bridge b { port p 1; flow \"ip,in_port=1,priority=5,table=0 actions=drop\" }"));
    EXPECT_THAT(target.calls, IsEmpty());
    ASSERT_TRUE(
        load("bridge b { port p 1; flow x { priority 5; match ip,in_port=p; "
             "actions output:p } }"));
    ASSERT_EQ(target.calls.size(), 1u);
    EXPECT_THAT(target.calls[0], HasSubstr("add b flow 0 5 "));
}

TEST_F(CommitTest, RestoresAControllersFlowAndDeletesNoneBeforeAllAreAdded) {
    have("bridge b { flow \"priority=1 actions=drop\" }");
    target.state.insert("b flow 0 5  -> output:9");  // by a controller
    const std::set<std::string> state = target.state;
    const std::string after =
        "bridge b { flow \"priority=5 actions=drop\"; "
        "flow \"priority=6 actions=drop\" }";
    for (const char* failing : {"add b flow 0 5 ", "add b flow 0 6 "}) {
        target.failing = {failing};
        ASSERT_FALSE(load(after));
        EXPECT_EQ(target.state, state) << failing;
        EXPECT_THAT(target.calls, Not(Contains("remove b flow 0 1 "))) << failing;
    }
    target.failing.clear();
    target.calls.clear();
    ASSERT_TRUE(load(after));
    ASSERT_EQ(target.calls.size(), 3u);
    EXPECT_EQ(target.calls[2], "remove b flow 0 1 ");
}

TEST_F(CommitTest, WaitsUntilFlowsCanBeAdded) {
    target.flow_room = Opening::when_told;
    bool done = false;
    engine.load_text("bridge b { flow \"actions=drop\" }", "t", {}, [&](CommitOutcome o) {
        EXPECT_TRUE(o);
        done = true;
    });
    EXPECT_FALSE(done);
    EXPECT_THAT(target.calls, Not(Contains(HasSubstr("flow"))));
    target.open_waiting();
    EXPECT_TRUE(done);
    EXPECT_THAT(target.state, Contains(HasSubstr("b flow")));
    EXPECT_TRUE(load("bridge b { flow \"actions=drop\"; port p }"));  // no flow changes
}

TEST_F(CommitTest, RefusesFlowsThatNoDatapathTakesAtTheirWord) {
    struct Case {
        const char* flow;
        const char* why;
        int column;
        std::size_t length;
    };
    for (const auto& [flow, why, column, length] :
         {Case{"priority=1 actions=output:1,group:7", "group 7: no such group", 45, 7},
          Case{"actions=meter:3,output:1", "meter 3: no such meter", 25, 7},
          Case{"actions=set_queue:2,output:1", "queue 2: no such queue", 25, 11},
          Case{"actions=output:TABLE", "output to TABLE: in packet-outs only", 25, 12},
          Case{"out_port=3 actions=drop", "out_port: selects flows to delete", 17, 10},
          Case{"out_group=3 actions=drop", "out_group: selects flows to delete", 17, 11},
          Case{"cookie=1/0xff actions=drop", "cookie mask: selects flows to delete", 17, 13}}) {
        const auto checked = engine.check_text(format("bridge b {{ flow \"{}\" }}", flow), "t");
        ASSERT_FALSE(checked) << flow;
        EXPECT_THAT(checked.error().rendered,
                    HasSubstr(format("t:1:{}: error: flow: {}", column + 1, why)));
        EXPECT_THAT(checked.error().rendered, HasSubstr(std::string(length, '^')));
    }
    EXPECT_TRUE(engine.check_text("bridge b { flow \"cookie=1,actions=drop\" }", "t"));
}

TEST_F(CommitTest, FlowsFollowAPortToItsNewNumber) {
    have("bridge b { port p 1; flow \"actions=output:p\" }");
    ASSERT_TRUE(load("bridge b { port p 4; flow \"actions=output:p\" }"));
    EXPECT_THAT(target.state, Contains(HasSubstr("-> output:4")));
}

TEST_F(CommitTest, RefusesIdenticalFlows) {
    EXPECT_THAT(error(load("bridge b { flow \"priority=5,ip actions=drop\"\n"
                           "flow x { priority 5; match ip; actions CONTROLLER } }")),
                HasSubstr("same table, priority and match as flow"));
    EXPECT_THAT(target.calls, IsEmpty());
}

TEST_F(CommitTest, SaysWhatWaitsForARestart) {
    have("bridge b");
    const CommitOutcome outcome = load("agent { max-flows 2M }\nbridge b");
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->notices, ElementsAre(HasSubstr("max-flows: 1048576 -> 2000000")));
}

TEST_F(CommitTest, ChecksWithoutChanging) {
    EXPECT_TRUE(engine.check_text("bridge b { port p }", "t"));
    EXPECT_FALSE(engine.check_text("bridge b { port }", "t"));
    EXPECT_THAT(target.calls, IsEmpty());
}

TEST_F(CommitTest, ChecksWithWhatACommitWouldDo) {
    have("bridge b { port p }");
    const CommitOutcome outcome =
        engine.check_text("agent { max-flows 2M }\nbridge b { port p; port q }", "t");
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->changes, Contains("bridge b: add port q (2)"));
    EXPECT_THAT(outcome->notices, ElementsAre(HasSubstr("max-flows")));
    EXPECT_THAT(target.calls, IsEmpty());
}

TEST_F(CommitTest, StaticAddressesFollowTheirPorts) {
    const std::string table =
        "mac-table { static 02:00:00:00:00:01 { port p }\n"
        "static 02:00:00:00:00:02 { port q; vlan 7 } }";
    have("bridge b { port p 1; port q 2\n" + table + "}");
    EXPECT_THAT(target.state, Contains("b mac 02:00:00:00:00:01 0 p"));
    EXPECT_THAT(target.state, Contains("b mac 02:00:00:00:00:02 7 q"));
    const std::set<std::string> state = target.state;
    ASSERT_TRUE(load("bridge b { port p 5; port q 2\n" + table + "}"));
    EXPECT_THAT(target.calls, Contains("set_static_macs b"));
    have("bridge b { port p 1; port q 2\n" + table + "}");
    target.failing = {"set_static_macs b"};
    EXPECT_THAT(
        error(load("bridge b { port p 1; mac-table { static 02:00:00:00:00:01 { port p } } }")),
        HasSubstr("mac-table of bridge \"b\": asked to fail"));
    target.failing.clear();
    EXPECT_THAT(target.state, testing::IsSupersetOf({"b/p#1 p", "b/q#2 q"}));
    ASSERT_TRUE(load("bridge b { port p 1; port q 2 }"));
    EXPECT_THAT(target.state, Not(Contains(HasSubstr(" mac "))));
}

TEST_F(CommitTest, LeavesAFlowThatAControllerMadeItsOwn) {
    have("bridge b { flow \"priority=5 actions=drop\" }");
    target.state.erase("b flow 0 5  -> ");
    target.state.insert("b flow 0 5  -> output:9");
    ASSERT_TRUE(load("bridge b"));
    EXPECT_THAT(target.state, Contains("b flow 0 5  -> output:9"));
}

TEST_F(CommitTest, WhatCannotBeSavedIsNotDone) {
    have("bridge b { port p }");
    const std::set<std::string> state = target.state;
    for (const char* failing : {"write running.conf.next", "link running.conf running.conf.last",
                                "rename running.conf.next running.conf", "sync"}) {
        files.failing = {failing};
        EXPECT_THAT(error(load("bridge b { port p; port q }")), HasSubstr("asked to fail"))
            << failing;
        EXPECT_EQ(target.state, state) << failing;
        EXPECT_EQ(engine.revision().info.revision, 1u);
        EXPECT_THAT(**files.read("running.conf"), Not(HasSubstr("port q"))) << failing;
    }
    files.failing.clear();
    EXPECT_TRUE(load("bridge b { port p; port q }"));
}

}  // namespace
}  // namespace raicho::agent::config
