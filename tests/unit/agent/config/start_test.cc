// SPDX-License-Identifier: Apache-2.0
// What an agent begins with, and that a commit which was cut off is finished or undone (house.md
// section 4, 2: either daemon can die at any instruction).
#include "agent/config/start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/config/commit.h"
#include "agent/config/start_text.h"
#include "dsl/model/check.h"
#include "tests/unit/agent/config/fake_clock.h"
#include "tests/unit/agent/config/fake_files.h"
#include "tests/unit/agent/config/fake_target.h"

namespace raicho::agent::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(StartTextTest, AFolderIsNoConfiguration) {
    for (const char* path : {"/", "/proc/self/nothing"}) {
        const auto text = read_start_text(path);
        ASSERT_FALSE(text) << path;
        EXPECT_THAT(text.error().text, HasSubstr(std::string("configuration \"") + path + "\": "));
    }
}

/// An agent's life on a switch and a run directory that outlive it.
struct Agent {
    Agent(FakeTarget& t, FakeFiles& f, FakeClock& c) : target(t), clock(c), journal(f) {}

    CommitOutcome start(Origin origin, std::optional<std::string> text = std::nullopt) {
        std::optional<StartFile> user;
        if (text) user = StartFile{*text, "user.conf"};
        auto begin = find_start(journal, origin, std::move(user), clock.now());
        if (!begin) return std::unexpected(failure_of(begin.error()));
        CommitOutcome outcome = std::unexpected(CommitFailure{Error{"no answer"}});
        engine.start(std::move(*begin), [&](CommitOutcome o) { outcome = std::move(o); });
        return outcome;
    }
    CommitOutcome load(const std::string& text, CommitOrder order = {}) {
        CommitOutcome outcome = std::unexpected(CommitFailure{Error{"no answer"}});
        engine.load_text(text, "t.conf", std::move(order),
                         [&](CommitOutcome o) { outcome = std::move(o); });
        return outcome;
    }

    FakeTarget& target;
    FakeClock& clock;
    Journal journal;
    AtOnce background;
    CommitEngine engine{target, journal, clock, background};
};

class StartTest : public testing::Test {
  protected:
    std::string running_file() const { return files.read("running.conf")->value_or("(none)"); }

    FakeTarget target;
    FakeFiles files;
    FakeClock clock;
};

TEST_F(StartTest, SavesWhatIsInForceAndNothingElse) {
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, "bridge b { port p10; port p9 }"));
    EXPECT_EQ(revision_from_file(running_file()).text,
              "bridge b {\n    port p9 1\n    port p10 2\n}\n");
    EXPECT_THAT(files.all(), ElementsAre("running.conf"));
    EXPECT_EQ(agent.engine.revision().info.author.via, "start");
}

TEST_F(StartTest, AFreshStartKnowsNoRestartBoundChange) {
    Agent agent(target, files, clock);
    const auto outcome =
        agent.start(Origin::fresh, "agent { max-flows 2M }\ndataplane { memory 1G }");
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->notices, IsEmpty());
    EXPECT_THAT(target.calls, ElementsAre("change_settings"));
}

TEST_F(StartTest, AnAdoptedSwitchGoesOnWithTheLastCommit) {
    {
        FakeTarget first;
        Agent agent(first, files, clock);
        ASSERT_TRUE(agent.start(Origin::fresh,
                                "bridge b { port a; port c { device pcap iface eth9; description "
                                "x }\ncontroller tcp:x; flow \"actions=output:a\" }"));
    }
    // The arena gives back device strings and numbers, and a port the last commit never knew.
    target.adopted = dsl::check(
                         "bridge b { dpid 0x77; port a 1; port stray 9\n"
                         "port c 2 { device ethdev \"net_pcap_c,iface=eth9\" } }",
                         "arena")
                         .config;
    Agent agent(target, files, clock);
    const auto outcome = agent.start(Origin::adopted, "bridge other { port z }");
    ASSERT_TRUE(outcome) << outcome.error().error.text << outcome.error().rendered;
    EXPECT_THAT(target.calls,
                ElementsAre("change_settings", "change_bridge b", "change_port b/a",
                            "change_port b/c", "add b controller tcp:x:6653", "remove b/stray"));
    EXPECT_THAT(outcome->notices,
                ElementsAre(HasSubstr("adopted 1 bridge"), HasSubstr("the last commit")));
    EXPECT_EQ(agent.engine.running().bridges[0].name, "b");
    EXPECT_EQ(agent.engine.revision().info.revision, 1u);  // the same one
}

TEST_F(StartTest, AnAdoptedArenaWithoutLastCommitTakesTheUsersFile) {
    target.adopted = dsl::check("bridge b { port a 1; port old 2 }", "arena").config;
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::adopted, "bridge b { port a }"));
    EXPECT_THAT(target.calls, Contains("remove b/old"));
    EXPECT_THAT(target.calls, Not(Contains(HasSubstr("prepare"))));
}

TEST_F(StartTest, AFreshArenaTakesTheUsersFileAndKeepsTheLastCommitInTheHistory) {
    ASSERT_TRUE(files.write("running.conf", "bridge old", Sync::yes));  // by a person
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, "bridge b"));
    EXPECT_EQ(agent.engine.revision().text, "bridge b {\n}\n");
    ASSERT_EQ(agent.journal.history().size(), 1u);
    EXPECT_EQ(agent.journal.old(1)->text, "bridge old");
}

TEST_F(StartTest, WithoutAFileAFreshArenaGoesOnWithTheLastCommit) {
    ASSERT_TRUE(files.write("running.conf", "bridge old", Sync::yes));
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh));
    EXPECT_THAT(target.state, ElementsAre("old"));
    EXPECT_EQ(agent.engine.revision().info.revision, 1u);
    EXPECT_THAT(running_file(), HasSubstr("#@ revision 1\n"));
}

TEST_F(StartTest, ABrokenFileIsRefusedWithItsPlace) {
    Agent agent(target, files, clock);
    const auto outcome = agent.start(Origin::fresh, "bridge b { nonsense }");
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().rendered, HasSubstr("user.conf:1:12: error"));
    EXPECT_THAT(files.all(), IsEmpty());
}

TEST_F(StartTest, SettingsForTheStartComeFromTheSamePlace) {
    ASSERT_TRUE(files.write("running.conf", "agent { max-flows 4096 }", Sync::yes));
    Journal journal(files);
    const StartFile user{"agent { max-flows 8192 }", "u"};
    const auto flows = [&](Origin origin) {
        auto start = find_start(journal, origin, user, clock.now());
        return start_settings(*start)->agent.max_flows;
    };
    EXPECT_EQ(flows(Origin::adopted), 4096u);
    EXPECT_EQ(flows(Origin::fresh), 8192u);
}

TEST_F(StartTest, RemembersFiftyConfigurationsWithTheirWords) {
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, "bridge b"));
    for (int i = 1; i <= 60; ++i)
        ASSERT_TRUE(agent.load(format("bridge b {{ mac-table {{ limit {} }} }}", i + 100),
                               {{1000, "al ice", "lagosh"}, format("number \"{}\"\n\\", i), 0}));
    EXPECT_EQ(agent.journal.history().size() + 1, kKeptRevisions);
    EXPECT_THAT(files.all(), testing::SizeIs(kKeptRevisions));
    Journal again(files);
    ASSERT_TRUE(again.read());
    EXPECT_EQ(again.history(), agent.journal.history());
    const RevisionInfo& last = again.history()[0];
    EXPECT_EQ(last.revision, 60u);
    EXPECT_EQ(last.comment, "number \"59\"\n\\");
    EXPECT_EQ(last.author, (Author{1000, "al ice", "lagosh"}));
    EXPECT_THAT(again.old(60)->text, HasSubstr("limit 159"));
    EXPECT_FALSE(again.old(1));
}

constexpr const char* kOld =
    "bridge br0 { mac-table { static 02:00:00:00:00:01 { port p1 } }; port p1\n"
    "port t { device tap tap0 }; port g; controller tcp:old\n"
    "group 1 { type all; bucket actions=group:2 }; group 2 { type indirect; bucket output:p1 }\n"
    "meter 1 { band type=drop,rate=1 }\n"
    "listen tcp:127.0.0.1:1; flow \"priority=1 actions=drop\"\n"
    "flow \"priority=2 actions=meter:1,group:1\"; local { address 10.0.0.1/8 } }\n"
    "bridge gone { port x { device tap tap1 }; flow \"actions=output:x\" }";
constexpr const char* kNew =
    "log { level debug }\n"
    "bridge br0 { mac-table { limit 99; static 02:00:00:00:00:01 { port n } }\n"
    "port p1 { mtu 1400 }; port q { device tap tap1 }; port n\n"
    "group 2 { type indirect; bucket output:n }; group 3 { type all; bucket group:2 }\n"
    "meter 2 { band type=drop,rate=2 }\n"
    "port u { device tap tap0 }; controller tcp:new; listen tcp:127.0.0.1:2\n"
    "flow \"priority=1 actions=output:n\"; flow \"priority=3 actions=meter:2,group:3\"\n"
    "local { address 10.0.0.2/8 } }\nbridge fresh { port y; flow \"actions=output:y\" }";

/// What a switch does that was given the text from the beginning.
std::set<std::string> state_of(const std::string& text) {
    FakeTarget target;
    FakeFiles files;
    FakeClock clock;
    Agent agent(target, files, clock);
    EXPECT_TRUE(agent.start(Origin::fresh, text));
    return target.state;
}

class CutTest : public StartTest {
  protected:
    /// A switch with kOld, a commit of kNew cut after `steps`. Whether it was acknowledged.
    bool cut(std::size_t steps, Mortal& life) {
        target = FakeTarget();
        files = FakeFiles();
        Agent agent(target, files, clock);
        EXPECT_TRUE(agent.start(Origin::fresh, kOld));
        target.state.insert("br0 flow 5 5 by somebody -> output:1");
        life = Mortal(steps);
        target.life = files.life = &life;
        const bool done = agent.load(kNew).has_value() && !life.dead();
        target.life = files.life = nullptr;
        return done;
    }
    /// The next agent's life; what runs afterwards.
    std::uint64_t go_on() {
        target.adopt();
        Agent agent(target, files, clock);
        const CommitOutcome outcome = agent.start(Origin::adopted);
        EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().error.text);
        std::set<std::string> wanted = state_of(agent.engine.revision().text);
        wanted.insert("br0 flow 5 5 by somebody -> output:1");
        EXPECT_EQ(target.state, wanted);
        EXPECT_EQ(target.n_prepared(), 0u);
        EXPECT_EQ(revision_from_file(running_file()).text, agent.engine.revision().text);
        EXPECT_FALSE(*files.read("running.conf.next"));
        EXPECT_FALSE(*files.read("running.conf.last"));
        EXPECT_EQ(agent.journal.history().size() + 1, agent.engine.revision().info.revision);
        EXPECT_TRUE(agent.load(kOld));  // life goes on
        EXPECT_TRUE(agent.load(kNew));
        return outcome ? outcome->revision : 0;
    }
};

TEST_F(CutTest, AKillAtAnyStepLeavesOneOfTheTwoWhole) {
    std::size_t undone = 0;
    std::size_t finished = 0;
    bool acknowledged = false;
    for (std::size_t steps = 0; !acknowledged; ++steps) {
        SCOPED_TRACE(format("killed after step {}", steps));
        Mortal life;
        acknowledged = cut(steps, life);
        const std::uint64_t revision = go_on();
        EXPECT_TRUE(revision == 1 || revision == 2);
        if (acknowledged) {
            EXPECT_EQ(revision, 2u);
        }
        ++(revision == 1 ? undone : finished);
        if (HasFailure()) break;
    }
    EXPECT_GT(undone, 15u);
    EXPECT_GT(finished, 5u);
}

TEST_F(CutTest, AKillDuringTheRepairLeavesOneOfTheTwoWhole) {
    bool acknowledged = false;
    for (std::size_t steps = 0; !acknowledged && !HasFailure(); ++steps) {
        bool repaired = false;
        for (std::size_t second = 0; !repaired && !HasFailure(); ++second) {
            SCOPED_TRACE(format("killed after step {} and again after {}", steps, second));
            Mortal life;
            acknowledged = cut(steps, life);
            target.adopt();
            Mortal again(second);
            {
                target.life = files.life = &again;
                Agent agent(target, files, clock);
                (void)agent.start(Origin::adopted);
                repaired = !again.dead();
                target.life = files.life = nullptr;
            }
            (void)go_on();
        }
    }
}

TEST_F(CutTest, APowerCutKeepsWhatWasAcknowledgedAndNeverHalf) {
    bool acknowledged = false;
    for (std::size_t steps = 0; !acknowledged && !HasFailure(); ++steps) {
        Mortal life;
        acknowledged = cut(steps, life);
        const FakeFiles then = files;
        for (std::size_t past = 0; past < then.n_pasts() && !HasFailure(); ++past) {
            SCOPED_TRACE(format("cut after step {}, state {} of the disk", steps, past));
            files = then;
            files.cut_power(past);
            target = FakeTarget();
            Agent agent(target, files, clock);
            ASSERT_TRUE(agent.start(Origin::fresh));
            const std::uint64_t revision = agent.engine.revision().info.revision;
            EXPECT_TRUE(revision == 1 || revision == 2);
            if (acknowledged) {
                EXPECT_EQ(revision, 2u);
            }
            EXPECT_EQ(target.state, state_of(revision == 1 ? kOld : kNew));
        }
    }
}

class ConfirmTest : public StartTest {
  protected:
    static constexpr const char* kBefore = "bridge b { port p }";
    static constexpr const char* kAfter = "bridge b { port q; flow \"actions=output:q\" }";
    static CommitOrder within(std::uint64_t seconds) {
        return {{1000, "alice", "lagosh"}, "risky", seconds};
    }
};

TEST_F(ConfirmTest, ComesBackByItselfUnlessConfirmed) {
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
    const auto outcome = agent.load(kAfter, within(600));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->confirm_seconds, 600u);
    clock.pass(590);
    EXPECT_EQ(*agent.engine.confirm_left(), 10 * FakeClock::kSecond);
    EXPECT_EQ(target.state, state_of(kAfter));
    clock.pass(10);
    EXPECT_EQ(target.state, state_of(kBefore));
    EXPECT_EQ(agent.engine.revision().info.revision, 3u);
    EXPECT_EQ(agent.engine.revision().info.author.via, "rollback");
    EXPECT_FALSE(agent.engine.confirm_left());
    EXPECT_FALSE(clock.alarm_is_set());
}

TEST_F(ConfirmTest, AnotherCommitOrAConfirmationKeepsIt) {
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
    ASSERT_TRUE(agent.load(kAfter, within(60)));
    bool confirmed = false;
    agent.engine.confirm({}, [&](Result<bool> done) { confirmed = *done; });
    EXPECT_TRUE(confirmed);
    agent.engine.confirm({}, [&](Result<bool> done) { confirmed = *done; });
    EXPECT_FALSE(confirmed);
    EXPECT_THAT(running_file(), Not(HasSubstr("confirm")));
    clock.pass(100);
    EXPECT_EQ(agent.engine.revision().info.revision, 2u);

    ASSERT_TRUE(agent.load(kBefore, within(60)));
    EXPECT_THAT(agent.load(kBefore)->notices, ElementsAre("revision 3 is confirmed"));
    clock.pass(100);
    EXPECT_EQ(agent.engine.revision().info.revision, 3u);

    ASSERT_TRUE(agent.load(kAfter, within(60)));
    ASSERT_TRUE(agent.load("bridge b"));
    clock.pass(100);
    EXPECT_EQ(agent.engine.revision().info.revision, 5u);
}

TEST_F(ConfirmTest, AChainOfUnconfirmedCommitsReturnsToTheLastConfirmedOne) {
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
    ASSERT_TRUE(agent.load(kAfter, within(60)));
    clock.pass(50);
    ASSERT_TRUE(agent.load("bridge b", within(60)));
    clock.pass(59);
    EXPECT_EQ(agent.engine.revision().info.revision, 3u);
    clock.pass(1);
    EXPECT_EQ(target.state, state_of(kBefore));
}

TEST_F(ConfirmTest, TheTimeRunsWhileTheAgentIsDead) {
    {
        Agent agent(target, files, clock);
        ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
        ASSERT_TRUE(agent.load(kAfter, within(60)));
    }
    clock.pass(20);
    clock.time.wall_ns = 0;  // somebody set it; within one boot it does not count
    {
        target.adopt();
        Agent agent(target, files, clock);
        ASSERT_TRUE(agent.start(Origin::adopted));
        EXPECT_EQ(*agent.engine.confirm_left(), 40 * FakeClock::kSecond);
        EXPECT_EQ(target.state, state_of(kAfter));
    }
    clock.pass(50);
    target.adopt();
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::adopted));
    clock.pass(0);
    EXPECT_EQ(target.state, state_of(kBefore));
    EXPECT_EQ(agent.engine.revision().info.revision, 3u);
}

TEST_F(ConfirmTest, AfterARebootTheWallClockCounts) {
    for (const std::int64_t seconds : {30, 90}) {
        files = FakeFiles();
        {
            FakeTarget first;
            Agent agent(first, files, clock);
            ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
            ASSERT_TRUE(agent.load(kAfter, within(60)));
        }
        clock.time.boot_id += "x";
        clock.time.boot_ns = 0;
        clock.time.wall_ns += seconds * 1'000'000'000;
        target = FakeTarget();
        Agent agent(target, files, clock);
        ASSERT_TRUE(agent.start(Origin::fresh));
        EXPECT_EQ(target.state, state_of(seconds < 60 ? kAfter : kBefore));
        EXPECT_EQ(agent.engine.confirm_left().has_value(), seconds < 60);
    }
}

TEST_F(ConfirmTest, APowerCutAtOnceLeavesAWayBack) {
    FakeFiles then;
    {
        FakeTarget first;
        Agent agent(first, then, clock);
        ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
        ASSERT_TRUE(agent.load(kAfter, within(60)));
    }
    clock.time.boot_id += "x";
    clock.time.boot_ns = 0;
    clock.time.wall_ns += 90 * FakeClock::kSecond;
    ASSERT_GT(then.n_pasts(), 1u);
    for (std::size_t past = 0; past < then.n_pasts(); ++past) {
        SCOPED_TRACE(format("state {} of the disk", past));
        files = then;
        files.cut_power(past);
        target = FakeTarget();
        Agent agent(target, files, clock);
        const CommitOutcome outcome = agent.start(Origin::fresh);
        ASSERT_TRUE(outcome) << outcome.error().error.text;
        EXPECT_EQ(outcome->revision, 3u);
        EXPECT_EQ(target.state, state_of(kBefore));
        EXPECT_EQ(agent.journal.history().size(), 2u);
    }
}

TEST_F(ConfirmTest, ARevisionThatCouldNotBeMovedStaysAWayBack) {
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
    files.failing = {"rename running.conf.last history/1.conf"};
    ASSERT_TRUE(agent.load(kAfter, within(60)));
    files.failing.clear();
    ASSERT_TRUE(agent.load("bridge b", within(60)));
    EXPECT_EQ(agent.journal.history().size(), 2u);
    clock.pass(60);
    EXPECT_EQ(target.state, state_of(kBefore));
}

TEST_F(ConfirmTest, AReturnThatFailsIsTriedAgain) {
    Agent agent(target, files, clock);
    ASSERT_TRUE(agent.start(Origin::fresh, kBefore));
    ASSERT_TRUE(agent.load(kAfter, within(60)));
    target.failing = {"prepare b/p#1 p"};
    clock.pass(70);
    EXPECT_EQ(target.state, state_of(kAfter));
    EXPECT_EQ(agent.engine.confirm_left(), 0u);
    target.failing.clear();
    clock.pass(10);
    EXPECT_EQ(target.state, state_of(kBefore));
}

}  // namespace
}  // namespace raicho::agent::config
