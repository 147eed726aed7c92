// SPDX-License-Identifier: Apache-2.0
// Configure mode against the real API and the configuration's real engine.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "shell/complete.h"
#include "tests/unit/shell/live_api.h"

namespace raicho::shell {
namespace {

class ConfigureMode : public LiveApi {
  protected:
    ConfigureMode() { EXPECT_EQ(run("configure"), ""); }
    /// Lines in order; the last one's answer.
    std::string all(std::initializer_list<const char*> lines) {
        std::string last;
        for (const char* line : lines) {
            last = run(line);
            if (code_ != ExitCode::ok) return std::string(line) + ": " + last;
        }
        return last;
    }
    std::vector<std::string> words(std::string_view text) {
        std::vector<std::string> found;
        for (const Candidate& c : complete(text, editing_.mode(), editing_).candidates)
            found.push_back(c.text);
        return found;
    }
    bool differs() {
        EXPECT_TRUE(editing_.refresh());
        return editing_.state().differs;
    }
};

TEST_F(ConfigureMode, WhatIsSetIsComparedAndCommitted) {
    EXPECT_EQ(all({"set bridge br0 port p2 device null"}), "");
    EXPECT_TRUE(differs());
    const std::string difference =
        "[edit bridge br0]\n"
        "+  port p2 {\n"
        "+      device null\n"
        "+  }\n";
    EXPECT_EQ(run("show | compare"), difference);
    EXPECT_EQ(run("compare"), difference);
    EXPECT_EQ(config_.running().find("p2"), std::string::npos) << "only the candidate has it";
    EXPECT_EQ(run("commit check"), "bridge br0: add port p2 (2)\nthe check succeeds\n");
    EXPECT_EQ(run("commit comment \"second port\""),
              "bridge br0: add port p2 (2)\ncommit complete: revision 2\n");
    EXPECT_NE(config_.running().find("port p2 2"), std::string::npos);
    EXPECT_FALSE(differs());
    EXPECT_EQ(run("compare"), "no difference\n");
    const std::string commits = run("run show system commit");
    EXPECT_NE(commits.find("lagosh  second port"), std::string::npos) << commits;
    EXPECT_NE(run("compare rollback 1").find("+  port p2 2 {"), std::string::npos);
    EXPECT_EQ(run("run show system rollback 1 compare 0").find("[edit bridge br0]\n"), 0u);
}

TEST_F(ConfigureMode, ShowGivesThreeFormsFromTheLevelOn) {
    EXPECT_EQ(run("show bridge br0"), "port p1 1 {\n    device null\n}\n");
    EXPECT_EQ(run("show bridge br0 port p1 | display set"),
              "set bridge br0 port p1 number 1\nset bridge br0 port p1 device null\n");
    EXPECT_EQ(Json::parse(run("show bridge br0 port p1 | display json"))->text("device"), "null");
    EXPECT_EQ(run("edit bridge br0 port p1"), "");
    EXPECT_EQ(editing_.level(), "bridge br0 port p1");
    EXPECT_EQ(run("show device"), "device null\n");
    EXPECT_EQ(run("top show bridge br0 port p1 device"), "device null\n");
    EXPECT_EQ(run("run show configuration bridge br0 port p1 device"), "device null\n");
}

TEST_F(ConfigureMode, LevelsAreEnteredAndLeft) {
    EXPECT_EQ(all({"edit bridge br0", "edit port p1", "set mtu 1400"}), "");
    EXPECT_NE(run("compare").find("[edit bridge br0 port p1]\n+  mtu 1400\n"), std::string::npos);
    EXPECT_EQ(run("up"), "");
    EXPECT_EQ(editing_.level(), "bridge br0");
    EXPECT_EQ(all({"top", "edit bridge br0", "edit port p1", "up 2"}), "");
    EXPECT_EQ(editing_.level(), "");
    EXPECT_EQ(run("up"), "error: this is the top already\n");
    EXPECT_EQ(all({"edit bridge br0", "top edit bridge br1", "exit"}), "");
    EXPECT_EQ(editing_.level(), "bridge br0") << "exit goes to where edit came from";
    EXPECT_EQ(all({"edit port p1", "up", "exit"}), "");
    EXPECT_EQ(editing_.level(), "") << "nor to where one stands";
    EXPECT_NE(all({"edit bridge br0", "edit port p1", "top", "exit"}), "");
    EXPECT_FALSE(editing_.active()) << "at the top exit leaves the mode";
    EXPECT_EQ(all({"configure", "edit bridge br0"}).find("error"), std::string::npos);
    EXPECT_EQ(run("edit prot p1"),
              "error: unknown statement \"prot\" in bridge\n"
              "  edit prot p1\n"
              "       ^^^^\n"
              "help: did you mean \"port\"?\n");
    EXPECT_EQ(code_, ExitCode::usage);
}

TEST_F(ConfigureMode, ExitGoesBackToABridgeWhoseNameBeginsLikeAnothers) {
    EXPECT_EQ(all({"edit bridge br01", "top edit bridge br0 port p1", "up"}), "");
    EXPECT_EQ(editing_.level(), "bridge br0");
    EXPECT_EQ(run("exit"), "");
    EXPECT_EQ(editing_.level(), "bridge br01");
    EXPECT_EQ(all({"edit port p1", "up", "exit"}), "");
    EXPECT_EQ(editing_.level(), "");
}

TEST_F(ConfigureMode, StatementsAreDeletedSuspendedAndRenamed) {
    EXPECT_EQ(all({"set bridge br0 port p2 device null", "rename bridge br0 port p2 to p3",
                   "deactivate bridge br0 port p3"}),
              "");
    EXPECT_NE(run("show bridge br0").find("inactive port p3 {"), std::string::npos)
        << run("show bridge br0");
    EXPECT_EQ(all({"activate bridge br0 port p3", "delete bridge br0 port p3"}), "");
    EXPECT_FALSE(differs());
}

TEST_F(ConfigureMode, FaultsAreMarkedWhereTheyWereTyped) {
    EXPECT_EQ(run("set br br0 prot p2"),
              "error: unknown statement \"prot\" in bridge\n"
              "  set br br0 prot p2\n"
              "             ^^^^\n"
              "help: did you mean \"port\"?\n");
    EXPECT_EQ(code_, ExitCode::usage);
    EXPECT_EQ(run("edit br br0"), "");
    EXPECT_EQ(run("set po p1 mt 5"),
              "error: mtu: 5 is out of range\n"
              "  set po p1 mt 5\n"
              "               ^\n"
              "help: allowed: 68 to 65535\n");
    EXPECT_EQ(run("delete port p9"),
              "error: port p9 is not there\n"
              "  delete port p9\n"
              "              ^^\n"
              "help: did you mean \"p1\"?\n");
    EXPECT_EQ(run("set f secure"),
              "error: \"f\" is ambiguous\n"
              "  set f secure\n"
              "      ^\n"
              "help: it could be fail-mode, flow\n");
    EXPECT_EQ(run("show prot"),
              "error: unknown statement \"prot\" in bridge\n"
              "  show prot\n"
              "       ^^^^\n"
              "help: did you mean \"port\"?\n");
    EXPECT_FALSE(differs());
}

TEST_F(ConfigureMode, ARefusedCommitSaysWhyAndKeepsTheCandidate) {
    EXPECT_EQ(all({"set bridge br0 port p2 1"}), "");
    const std::string said = run("commit");
    EXPECT_NE(said.find("number 1"), std::string::npos) << said;
    EXPECT_EQ(code_, ExitCode::refused);
    EXPECT_TRUE(differs());
    EXPECT_EQ(run("commit check").find("error"), said.find("error"));
    EXPECT_EQ(code_, ExitCode::refused);
    EXPECT_EQ(run("discard"), "");
    EXPECT_FALSE(differs());
}

TEST_F(ConfigureMode, ACommitCanBeTakenBackAndConfirmed) {
    const std::string said = all({"set bridge br0 port p2 device null", "commit confirmed 5"});
    EXPECT_NE(said.find("it is taken back in 5m00s unless confirm"), std::string::npos) << said;
    EXPECT_TRUE(editing_.refresh());
    EXPECT_EQ(editing_.state().confirm_seconds, 300u);
    EXPECT_NE(run("status").find("revision 2 of root waits to be confirmed: in 5m00s revision 1 "
                                 "comes back\n"),
              std::string::npos)
        << run("status");
    EXPECT_EQ(run("confirm"), "confirmed: revision 2 stays\n");
    EXPECT_EQ(run("confirm"), "error: no commit waits to be confirmed\n");
    EXPECT_EQ(code_, ExitCode::failed);
    EXPECT_NE(run("commit confirmed 99999").find("1 to 65535"), std::string::npos);
    EXPECT_EQ(all({"set bridge br0 port p1 mtu 1400", "commit confirmed"}).find("10m00s") !=
                  std::string::npos,
              true);
}

TEST_F(ConfigureMode, RollbackBringsBackWhatRan) {
    EXPECT_EQ(all({"set bridge br0 port p2 device null", "commit and-quit"}).empty(), false);
    EXPECT_FALSE(editing_.active());
    EXPECT_EQ(all({"configure", "rollback 1"}), "");
    EXPECT_NE(run("compare").find("-  port p2 2 {"), std::string::npos) << run("compare");
    EXPECT_EQ(all({"rollback"}), "");
    EXPECT_EQ(run("compare"), "no difference\n");
    EXPECT_EQ(run("rollback 7"),
              "error: there is no configuration of 7 commits ago\n"
              "  rollback 7\n"
              "           ^\n"
              "help: the oldest one is 1\n");
}

TEST_F(ConfigureMode, TextsAreLoadedFromFilesAndFromWhatIsTyped) {
    const std::string file = folder_.path() + "/more.conf";
    const std::string more = folder_.path() + "/part.inc";
    std::ofstream(more) << "bridge br0 { port p2 { device null } }\n";
    std::ofstream(file) << "include part.inc\nbridge b7 { port p3 { device null } }\n";
    EXPECT_EQ(run("load merge " + file), "");
    const std::string merged = run("show bridge br0");
    EXPECT_NE(merged.find("port p1 1"), std::string::npos) << merged;
    EXPECT_NE(merged.find("port p2"), std::string::npos) << "the included file is there";
    std::ofstream(file) << "bridge br0 { port p9 { device null } }\n";
    EXPECT_EQ(run("load replace " + file), "");
    EXPECT_EQ(run("show bridge br0"), "port p9 { device null }\n");
    read_block_ = [] { return std::string("set bridge b7 port q1 device null\n"); };
    EXPECT_EQ(run("load set terminal"), "");
    EXPECT_NE(run("show bridge b7").find("port q1"), std::string::npos);
    read_block_ = [] { return std::string("bridge b8 { prot x }\n"); };
    EXPECT_TRUE(run("load override terminal").starts_with("terminal:1:13: error:"));
    EXPECT_EQ(code_, ExitCode::refused);
    read_block_ = {};
    EXPECT_NE(run("load merge terminal").find("no text can follow"), std::string::npos);
    EXPECT_EQ(run("save " + folder_.path() + "/saved.conf"),
              "the candidate is in " + folder_.path() + "/saved.conf\n");
    std::ifstream saved(folder_.path() + "/saved.conf");
    const std::string text{std::istreambuf_iterator<char>(saved), {}};
    EXPECT_NE(text.find("port p9"), std::string::npos) << text;
    EXPECT_NE(run("save /nowhere/x").find("cannot write \"/nowhere/x\""), std::string::npos);
}

TEST_F(ConfigureMode, OthersAreTold) {
    EXPECT_EQ(all({"set bridge br0 port p1 mtu 1400", "exit"}),
              "note: the candidate keeps changes that are not committed\n");
    const std::string said = run("configure private");
    EXPECT_NE(said.find("a private candidate (p"), std::string::npos) << said;
    EXPECT_NE(said.find("warning: root edits too, the shared candidate, last at "),
              std::string::npos)
        << said;
    EXPECT_EQ(run("exit"), "");
    EXPECT_NE(run("configure").find("warning: the candidate has changes that are not committed"),
              std::string::npos);
}

TEST_F(ConfigureMode, AConflictShowsBothValuesAndTheRemedy) {
    EXPECT_EQ(all({"exit"}), "");
    EXPECT_NE(run("configure private"), "");
    EXPECT_EQ(all({"set bridge br0 port p1 mtu 9000"}), "");
    const std::string mine = editing_.id();
    editing_.enter(std::string(Editing::kShared));
    EXPECT_NE(all({"set bridge br0 port p1 mtu 1400", "commit"}).find("commit complete"),
              std::string::npos);
    editing_.enter(mine);
    const std::string refused = run("commit");
    EXPECT_EQ(code_, ExitCode::refused);
    EXPECT_NE(
        refused.find("\n  bridge br0 port p1 mtu: here 9000, committed meanwhile 1400\nhelp: "),
        std::string::npos)
        << refused;
    EXPECT_NE(run("update").find("note: bridge br0 port p1 mtu: here 9000"), std::string::npos);
    EXPECT_NE(run("commit").find("commit complete: revision 3"), std::string::npos);
}

TEST_F(ConfigureMode, LeavingAsksWhenSomethingIsNotCommitted) {
    std::string asked;
    bool answer = false;
    ask_ = [&](const std::string& question) {
        asked = question;
        return answer;
    };
    EXPECT_EQ(all({"set bridge br0 port p1 mtu 1400", "exit"}), "");
    EXPECT_EQ(asked, "the candidate has changes that are not committed; leave?");
    EXPECT_TRUE(editing_.active());
    answer = true;
    EXPECT_EQ(all({"exit"}), "");
    EXPECT_FALSE(editing_.active());
    EXPECT_EQ(all({"configure private", "set bridge br0 port p1 mtu 1500", "exit configuration"}),
              "");
    EXPECT_EQ(asked, "the private candidate has changes that will be lost; leave?");
    EXPECT_EQ(config_.candidates.list().size(), 1u) << "the private one is gone";
}

TEST_F(ConfigureMode, KeysKnowTheLanguageAndTheCandidate) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(words("set bri"), (Words{"bridge"}));
    EXPECT_EQ(words("show bridge br0 port "), (Words{"p1"}));
    EXPECT_EQ(words("set bridge br0 fail-mode "), (Words{"secure", "standalone"}));
    const Words ports = words("set bridge br0 port ");
    EXPECT_EQ(ports.front(), "p1");
    EXPECT_EQ(std::ranges::find(ports, "lo"), ports.end());
    EXPECT_EQ(all({"edit bridge br0"}), "");
    EXPECT_EQ(words("delete port "), (Words{"p1"}));
    EXPECT_EQ(words("run show configuration bridge "), (Words{"br0"}));
    std::string help;
    for (const std::string& line : help_lines("set port p1 mtu ", editing_.mode(), editing_))
        help += line + "\n";
    EXPECT_NE(help.find("  <68..65535>  "), std::string::npos) << help;
}

TEST_F(ConfigureMode, FormsThatDoNotGoAreRefused) {
    EXPECT_NE(run("set bridge br0 port p1 mtu 1400 | json").find("| json does not go with set"),
              std::string::npos);
    EXPECT_NE(run("status | compare").find("| compare does not go with status"), std::string::npos);
    EXPECT_EQ(run("monitor ports").find("error: \"monitor\" is a command of operational mode"), 0u);
    EXPECT_TRUE(Json::parse(run("commit check | json")));
}

}  // namespace
}  // namespace raicho::shell
