// SPDX-License-Identifier: Apache-2.0
// Groups and meters of configurations: what a commit does with them and in which order.
#include "tests/unit/agent/config/commit_fixture.h"

namespace raicho::agent::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Group 1 sends to group 2, group 3 watches group 1.
constexpr const char* kChain =
    "group 1 { type all; bucket actions=group:2 }\n"
    "group 2 { type indirect; bucket actions=output:p }\n"
    "group 3 { type ff; bucket watch_group=1,actions=output:p }\n"
    "meter 7 { unit pktps; burst; band type=drop,rate=10,burst_size=5 }\n"
    "flow \"priority=5 actions=meter:7,group:1\"\n";

std::string bridge(const std::string& inside) {
    return "bridge b { port p 1\n" + inside + "}";
}

class EntriesTest : public CommitTest {};

TEST_F(EntriesTest, WhatIsNamedComesBeforeWhoNamesItAndGoesAfter) {
    have("bridge b { port p 1 }");
    const CommitOutcome made = load(bridge(kChain));
    ASSERT_TRUE(made) << made.error().rendered;
    EXPECT_THAT(target.calls, ElementsAre("set b meter 7", "set b group 2", "set b group 1",
                                          "set b group 3", "add b flow 0 5 "));
    EXPECT_THAT(made->changes,
                ElementsAre("bridge b: add group 2", "bridge b: add group 1",
                            "bridge b: add group 3", "bridge b: add meter 7",
                            "bridge b: add flow \"priority=5 actions=meter:7,group:1\""));
    EXPECT_THAT(target.state,
                Contains("b meter 7 is meter=7 pktps burst bands=type=drop rate=10 burst_size=5"));
    EXPECT_THAT(target.state, Contains("b group 1 is group_id=1,type=all,bucket=actions=group:2"));
    target.calls.clear();
    ASSERT_TRUE(load("bridge b { port p 1 }"));
    EXPECT_THAT(target.calls,
                ElementsAre("remove b flow 0 5 ", "remove b group 3", "remove b group 1",
                            "remove b group 2", "remove b meter 7"));
    EXPECT_THAT(target.state, Not(Contains(HasSubstr("group"))));
}

TEST_F(EntriesTest, OnlyWhatDiffersIsTouched) {
    have(bridge(kChain));
    ASSERT_TRUE(load(bridge(std::string("flow \"priority=6 actions=drop\"\n") + kChain)));
    EXPECT_THAT(target.calls, ElementsAre("add b flow 0 6 "));
    have(bridge("group 1 { type select; bucket weight=1,actions=output:p }"));
    ASSERT_TRUE(load(bridge("group 1 { type select; bucket weight=01,actions=output:1 }")));
    EXPECT_THAT(target.calls, IsEmpty());
    const CommitOutcome changed =
        load(bridge("group 1 { type select; bucket weight=2,actions=output:p }"));
    ASSERT_TRUE(changed);
    EXPECT_THAT(changed->changes, ElementsAre("bridge b: change group 1"));
}

TEST_F(EntriesTest, GroupsFollowAPortToItsNewNumber) {
    have("bridge b { port p 1; group 1 { type indirect; bucket actions=output:p } }");
    ASSERT_TRUE(load("bridge b { port p 4; group 1 { type indirect; bucket actions=output:p } }"));
    EXPECT_THAT(target.state, Contains(HasSubstr("bucket=actions=output:4")));
}

TEST_F(EntriesTest, ACommitThatFailsLeavesWhatStoodThere) {
    have(
        bridge("meter 7 { band type=drop,rate=1 }\n"
               "group 2 { type indirect; bucket actions=output:9 }"));
    const std::set<std::string> state = target.state;
    for (const char* failing :
         {"set b meter 7", "set b group 2", "set b group 1", "add b flow 0 5 "}) {
        target.failing = {failing};
        EXPECT_THAT(error(load(bridge(kChain))), HasSubstr("asked to fail"));
        EXPECT_EQ(target.state, state) << failing;
    }
}

TEST_F(EntriesTest, WhatAControllersFlowsUseStaysAndIsSaid) {
    have(bridge("group 2 { type all }\nmeter 7 { band type=drop,rate=1 }"));
    target.used = {"b group 2", "b meter 7"};
    const CommitOutcome outcome = load(bridge(""));
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->notices,
                ElementsAre("bridge b: group 2 stays: entries of a controller use it",
                            "bridge b: meter 7 stays: entries of a controller use it"));
    EXPECT_THAT(target.state, Contains(HasSubstr("b group 2 is")));
}

TEST_F(EntriesTest, ChecksSayWhatAControllerWouldBeTold) {
    struct Case {
        const char* inside;
        const char* error;
    };
    for (const auto& [inside, error] :
         {Case{"group 1 { type all; bucket actions=group:2 }", "group 2: no such group"},
          Case{"group 1 { type all; bucket actions=group:1 }", "group 1"},
          Case{"group 1 { type all; bucket actions=group:2 }\n"
               "group 2 { type all; bucket actions=group:1 }",
               "the buckets of group 1 lead back to it"},
          Case{"group 1 { type ff; bucket watch_group=5,actions=output:p }",
               "watch_group 5: no such group"},
          Case{"group 1 { type indirect }", "group 1"},
          Case{"group 1 { type all; bucket actions=output:nowhere }", "nowhere"},
          Case{"meter 1 { band type=drop,rate=0 }", "meter 1"},
          Case{"max-tables 2; flow \"table=2 actions=drop\"", "table 2: the bridge has 2 tables"},
          Case{"max-tables 2; flow \"actions=goto_table:3\"", "must lead forward to a table"},
          Case{"max-flows 1; flow \"ip actions=drop\"; flow \"arp actions=drop\"",
               "2 flows, and max-flows is 1"}}) {
        const auto checked = engine.check_text(bridge(inside), "t");
        ASSERT_FALSE(checked) << inside;
        EXPECT_THAT(checked.error().rendered, HasSubstr(error));
    }
    EXPECT_TRUE(engine.check_text(
        "bridge b { port p { queue 3 }; flow \"actions=set_queue:3,output:p\" }", "t"));
    EXPECT_THAT(engine.check_text(bridge("group 1 { type all; bucket actions=group:2 }"), "t")
                    .error()
                    .rendered,
                HasSubstr("t:2:36: error: group 1: group 2: no such group"));
}

/// 500 flows, so many that the loop gets turns in between.
std::string many(const std::string& and_then = "") {
    std::string flows;
    for (int i = 0; i < 500; ++i) flows += format("flow \"priority={} actions=drop\"\n", 1000 + i);
    return bridge(flows + and_then);
}

class TurnsTest : public CommitTest {
  protected:
    TurnsTest() { have(bridge("")); }
    /// Commits and lets the loop turn; how often others had theirs meanwhile.
    std::size_t turns_of(const std::string& text) {
        outcome = std::unexpected(CommitFailure{Error{"no answer"}});
        target.turns = Opening::when_told;
        engine.load_text(text, "t.conf", {}, [&](CommitOutcome o) { outcome = std::move(o); });
        std::size_t n = 0;
        for (; !target.waiting.empty(); ++n) {
            EXPECT_EQ(error(outcome), "no answer");
            EXPECT_TRUE(engine.busy());
            target.open_waiting();
        }
        return n;
    }
    CommitOutcome outcome;
};

TEST_F(TurnsTest, ManyFlowsLeaveTheLoopTurns) {
    const auto before = target.state;
    EXPECT_GE(turns_of(many()), 2u);
    ASSERT_TRUE(outcome) << error(outcome);
    EXPECT_EQ(target.state.size(), before.size() + 500);
    EXPECT_GE(turns_of(bridge("")), 2u);
    ASSERT_TRUE(outcome) << error(outcome);
    EXPECT_EQ(target.state, before);
}

TEST_F(TurnsTest, ManyFlowsAreTakenBackInTurnsToo) {
    const auto before = target.state;
    target.failing.insert("add b flow 1 7 ");
    turns_of(many("flow \"table=1,priority=7 actions=drop\"\n"));
    EXPECT_THAT(error(outcome), HasSubstr("table=1,priority=7"));
    EXPECT_EQ(target.state, before);
}

/// The next commit waits until the one that is worked out beside the loop is over.
TEST(BesideTheLoop, WhatIsWorkedOutThereIsCarriedOutInTurn) {
    class Later final : public Background {
      public:
        void run(std::function<void()> work, std::function<void()> then) override {
            ASSERT_FALSE(then_) << "one at a time";
            work_ = std::move(work);
            then_ = std::move(then);
        }
        bool go_on() {
            if (!then_) return false;
            std::exchange(work_, nullptr)();
            std::exchange(then_, nullptr)();
            return true;
        }

      private:
        std::function<void()> work_, then_;
    };
    FakeTarget target;
    FakeFiles files;
    Journal journal{files};
    FakeClock clock;
    Later later;
    CommitEngine engine{target, journal, clock, later};
    std::vector<std::string> done;
    const auto load = [&](const std::string& text) {
        engine.load_text(text, "t.conf", {}, [&](const CommitOutcome& o) {
            done.push_back(o ? format("{} changes", o->changes.size()) : o.error().error.text);
        });
    };
    load("bridge b");
    load("bridge { }");
    load("bridge b");
    load("bridge b { port p }");
    EXPECT_THAT(target.calls, IsEmpty());
    EXPECT_TRUE(engine.busy());
    while (later.go_on()) {
    }
    EXPECT_FALSE(engine.busy());
    ASSERT_EQ(done.size(), 4u);
    EXPECT_EQ(done[0], "1 changes");
    EXPECT_EQ(done[2], "0 changes");
    EXPECT_EQ(done[3], "1 changes");
    EXPECT_EQ(engine.running().bridges.size(), 1u);
}

}  // namespace
}  // namespace raicho::agent::config
