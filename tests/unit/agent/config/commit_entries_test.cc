// SPDX-License-Identifier: Apache-2.0
// Flows, groups and meters of commits: what a controller took away comes back with the next commit
// that has to do with the bridge, and what goes makes room for what comes.
#include "base/text.h"
#include "tests/unit/agent/config/commit_fixture.h"

namespace raicho::agent::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CommitEntriesTest : public CommitTest {
  protected:
    static std::string bridge(const std::string& more, const std::string& beside = "") {
        return "bridge b { meter 3 { band type=drop,rate=9 }\n group 1 { type all; bucket "
               "actions=output:2 }\n flow arp { priority 5; match arp; actions drop }\n"
               " flow short { priority 6; idle-timeout 9; actions drop }\n" +
               more + "}\n" + beside;
    }
    void take_away(const std::string& prefix) {
        ASSERT_EQ(std::erase_if(target.state,
                                [&](const std::string& s) { return s.starts_with(prefix); }),
                  1u)
            << prefix;
    }
};

TEST_F(CommitEntriesTest, ACommitOfTheBridgeRestoresWhatAControllerTookAway) {
    have(bridge(""));
    const std::set<std::string> whole = target.state;
    take_away("b group 1 ");
    take_away("b meter 3 ");
    take_away("b flow 0 5 ");
    const CommitOutcome outcome = load(bridge("port p 1"));
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->changes,
                ElementsAre("bridge b: add port p (1)", "bridge b: restore group 1",
                            "bridge b: restore meter 3", "bridge b: restore flow arp"));
    std::set<std::string> now = target.state;
    now.erase("b/p#1 p");
    EXPECT_EQ(now, whole);
}

TEST_F(CommitEntriesTest, WhatAControllerGaveAnotherMeaningIsRestoredToo) {
    have(bridge(""));
    const std::set<std::string> whole = target.state;
    take_away("b flow 0 5 ");
    target.state.insert("b flow 0 5 eth_type=0x0806 -> output:9");
    ASSERT_TRUE(load(bridge("fail-mode secure")));
    EXPECT_EQ(target.state, whole);
}

TEST_F(CommitEntriesTest, ACommitOfOtherThingsLeavesThemAlone) {
    have(bridge(""));
    take_away("b group 1 ");
    ASSERT_TRUE(load(bridge("", "bridge other\nlog { level debug }\n")));
    EXPECT_THAT(target.state, Not(Contains(HasSubstr("b group 1"))));
}

TEST_F(CommitEntriesTest, AFlowThatMayGoByItselfIsNotMissed) {
    have(bridge(""));
    take_away("b flow 0 6 ");
    ASSERT_TRUE(load(bridge("port p 1")));
    EXPECT_THAT(target.state, Not(Contains(HasSubstr("b flow 0 6"))));
}

TEST_F(CommitEntriesTest, ACheckSaysWhatWouldBeRestored) {
    have(bridge(""));
    take_away("b flow 0 5 ");
    const CommitOutcome outcome = engine.check_text(bridge("port p 1"), "t");
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->changes, Contains("bridge b: restore flow arp"));
    EXPECT_THAT(target.calls, IsEmpty());
}

TEST_F(CommitEntriesTest, ACommitThatFailsTakesWhatItRestoredBack) {
    have(bridge(""));
    take_away("b flow 0 5 ");
    const std::set<std::string> state = target.state;
    files.failing = {"rename running.conf.next running.conf"};
    EXPECT_FALSE(load(bridge("fail-mode secure")));
    EXPECT_EQ(target.state, state);
}

std::string flows(int first, int n, const std::string& more) {
    std::string text = "bridge b { " + more + "\n";
    for (int i = first; i < first + n; ++i)
        text += format("flow \"priority={} actions=drop\"\n", i);
    return text + "}";
}

TEST_F(CommitEntriesTest, AShareMayShrinkBelowWhatTheCommitItselfDeletes) {
    have(flows(1, 5, "max-flows 5"));
    target.state.insert("b flow 0 99 of a controller -> drop");
    EXPECT_THAT(error(load(flows(1, 2, "max-flows 2"))), HasSubstr("max-flows 2: too many"));
    EXPECT_EQ(target.lent["b"], 0u);
    ASSERT_TRUE(load(flows(1, 2, "max-flows 3")));
    EXPECT_EQ(target.lent["b"], 0u);
}

TEST_F(CommitEntriesTest, FlowsThatGoMakeRoomForThoseThatCome) {
    have(flows(1, 1, ""));
    have(flows(1, 5, "max-flows 5"));
    ASSERT_TRUE(load(flows(11, 5, "max-flows 5")));
    target.state.insert("b flow 0 99 of a controller -> drop");
    EXPECT_THAT(error(load(flows(21, 5, "max-flows 5"))), HasSubstr("too many"));
    EXPECT_THAT(target.state, Contains(HasSubstr("b flow 0 15 ")));
}

}  // namespace
}  // namespace raicho::agent::config
