// SPDX-License-Identifier: Apache-2.0
#include "shell/complete.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/scratch_folder.h"
#include "tests/unit/shell/fake_names.h"

namespace raicho::shell {
namespace {

struct Completer : testing::Test {
    FakeNames names;
    Modes mode = kOperate;
    std::vector<std::string> words(std::string_view text) {
        std::vector<std::string> all;
        for (const Candidate& candidate : complete(text, mode, names).candidates)
            all.push_back(candidate.text);
        return all;
    }
    std::string line_after_tab(std::string_view text) {
        const Completion found = complete(text, mode, names);
        if (found.replacement.empty()) return std::string(text);
        return std::string(text.substr(0, found.begin)) + found.replacement;
    }
    std::string help(std::string_view text) {
        std::string all;
        for (const std::string& line : help_lines(text, mode, names)) all += line + "\n";
        return all;
    }
};
using Words = std::vector<std::string>;

TEST_F(Completer, WordsCompleteAndTheOnlyOneIsFollowedByABlank) {
    EXPECT_EQ(line_after_tab("sho"), "show ");
    EXPECT_EQ(line_after_tab("show ver"), "show version ");
    EXPECT_EQ(words("show m"), (Words{"mac", "memory", "meter"}));
    EXPECT_EQ(line_after_tab("show mem"), "show memory ");
    EXPECT_EQ(line_after_tab("show c"), "show con");
    EXPECT_EQ(words("show flow "),
              (Words{"brief", "count", "match", "sort", "table", "top", "br0", "br1"}));
}

TEST_F(Completer, AbbreviatedWordsBeforeTheCursorAreUnderstood) {
    EXPECT_EQ(line_after_tab("sh fl br"), "sh fl br");
    EXPECT_EQ(words("sh fl br"), (Words{"brief", "br0", "br1"}));
    EXPECT_EQ(line_after_tab("sh fl bri"), "sh fl brief ");
}

TEST_F(Completer, LiveNamesComplete) {
    EXPECT_EQ(line_after_tab("show bridge "), "show bridge br");
    EXPECT_EQ(words("delete port br1 "), (Words{"p10"}));
    EXPECT_EQ(words("delete port br0 "), (Words{"h1-br", "h2-br"}));
    EXPECT_EQ(words("show port h"), (Words{"h1-br", "h2-br"}));
}

TEST_F(Completer, ANameThatNeedsQuotesGetsThem) {
    names.bridge_names = {"my bridge"};
    EXPECT_EQ(line_after_tab("show bridge m"), "show bridge \"my bridge\" ");
}

TEST_F(Completer, BehindABarThePipesComplete) {
    EXPECT_EQ(words("show port | "), (Words{"count", "display", "except", "find", "json", "last",
                                            "match", "no-more", "save", "table"}));
    EXPECT_EQ(line_after_tab("show port |ma"), "show port |match ");
}

TEST_F(Completer, TheStatementsOfAPortComeFromTheLanguage) {
    const Words all = words("add port br0 tap1 ");
    EXPECT_NE(std::ranges::find(all, "device"), all.end());
    EXPECT_NE(std::ranges::find(all, "mtu"), all.end());
    EXPECT_EQ(line_after_tab("add port br0 tap1 devi"), "add port br0 tap1 device ");
}

TEST_F(Completer, FilesComplete) {
    const test::ScratchFolder scratch;
    const std::string& folder = scratch.path();
    std::ofstream(folder + "/lab1.conf") << "x";
    std::ofstream(folder + "/lab2.conf") << "x";
    std::filesystem::create_directory(folder + "/sub");
    EXPECT_EQ(line_after_tab("load " + folder + "/l"), "load " + folder + "/lab");
    EXPECT_EQ(line_after_tab("load " + folder + "/s"), "load " + folder + "/sub/");
    EXPECT_TRUE(words("load " + folder + "/none/").empty());
}

TEST_F(Completer, NothingIsOfferedWhereTheLineIsWrong) {
    EXPECT_TRUE(words("show nonsense ").empty());
    EXPECT_TRUE(words("show bridge \"br").empty());
    EXPECT_EQ(line_after_tab("show xyz"), "show xyz");
}

TEST_F(Completer, QuestionMarkListsWordsWithHelp) {
    EXPECT_EQ(help("show flow "),
              "  brief    aligned columns, ports by name, rate and age\n"
              "  count    numbers of flow entries by table\n"
              "  match    only flows whose fields agree with these\n"
              "  sort     in another order than by table and priority\n"
              "  table    only one table\n"
              "  top      only so many\n"
              "  BRIDGE   name of a bridge\n"
              "    br0\n"
              "    br1\n"
              "  <Enter>  carry out the command\n"
              "  |        match, except, find, count, last, save, json, display, table, no-more\n");
}

TEST_F(Completer, ChoicesAreListedAndCompleted) {
    EXPECT_EQ(words("show flow sort "), (Words{"hits", "bytes", "age", "idle"}));
    EXPECT_EQ(line_after_tab("show flow sort h"), "show flow sort hits ");
    EXPECT_NE(help("show flow sort ").find("    hits\n"), std::string::npos);
}

TEST_F(Completer, TheWordsOfTheAncestorAreNotOffered) {
    EXPECT_EQ(line_after_tab("show int"), "show int");
    EXPECT_EQ(line_after_tab("show bri"), "show bridge ");
}

TEST_F(Completer, QuestionMarkInAWordListsWhatItMayBecome) {
    EXPECT_EQ(help("show m"),
              "  mac     addresses that NORMAL has learned\n"
              "  memory  the shared memory: backing, regions, use\n"
              "  meter   meters with their bands\n");
    EXPECT_EQ(help("show z"), "nothing begins with \"z\" here\n");
}

TEST_F(Completer, QuestionMarkOnAnEmptyLineListsTheCommands) {
    const std::string all = help("");
    for (const char* word :
         {"add", "check", "clear", "delete", "exit", "help", "history", "load", "quit", "show"})
        EXPECT_NE(all.find(std::string("  ") + word + " "), std::string::npos) << word;
    EXPECT_EQ(all.find("<Enter>"), std::string::npos);
}

TEST_F(Completer, QuestionMarkBehindAWrongWordSaysSo) {
    EXPECT_EQ(help("show brige "), "unknown word \"brige\"\n  did you mean \"bridge\"?\n");
}

TEST_F(Completer, TheStatementsOfAPortGoOnBehindTheFirst) {
    EXPECT_EQ(words("add port br0 tap1 device t"), (Words{"tap"}));
    EXPECT_EQ(words("add port br0 tap1 7 { device tap; mt"), (Words{"mtu"}));
}

TEST_F(Completer, StatementsOfTheConfigurationComplete) {
    mode = kConfigure;
    EXPECT_EQ(line_after_tab("set br"), "set bridge ");
    EXPECT_EQ(words("set bridge "), (Words{"br0"})) << "a placeholder cannot be inserted";
    EXPECT_EQ(line_after_tab("se bridge br0 m"), "se bridge br0 mtu ");
    EXPECT_EQ(line_after_tab("top set bridge br0 m"), "top set bridge br0 mtu ");
    EXPECT_EQ(names.asked_from, PathFrom::top);
    EXPECT_EQ(line_after_tab("run show ver"), "run show version ");
    EXPECT_TRUE(words("top com").empty()) << "commit does not go behind top";
}

TEST_F(Completer, QuestionMarkListsStatementsWithTheirHelp) {
    mode = kConfigure;
    EXPECT_EQ(help("set bridge "),
              "  br0     a switch\n"
              "  <name>  a switch\n");
    EXPECT_EQ(help("set bridge br0 "),
              "  mtu      packet size\n"
              "  <Enter>  carry out the command\n"
              "  |        match, except, find, count, last, save, compare, json, display, table, "
              "no-more\n");
    EXPECT_NE(help("show ").find("  <Enter>  carry out the command\n"), std::string::npos);
    EXPECT_EQ(help("set ").find("<Enter>"), std::string::npos);
}

TEST_F(Completer, EveryWordOfTheTableHasHelp) {
    for (const Command& command : kCommands) EXPECT_FALSE(command.help.empty());
    const auto all_have_help = [&](std::string_view text, Modes in) {
        const auto at = continuation(text, in, names);
        ASSERT_TRUE(at);
        for (const Expected& expected : at->expected)
            EXPECT_FALSE(expected.help.empty()) << text << expected.text;
    };
    for (const char* text :
         {"", "show ", "add ", "delete ", "clear ", "show flow ", "show | ", "restart ", "monitor ",
          "monitor ports ", "show log ", "show | display ", "configure ", "show system ",
          "show system rollback 1 "})
        all_have_help(text, kOperate);
    for (const char* text : {"", "commit ", "commit confirmed ", "load ", "load merge ", "exit ",
                             "compare ", "rollback ", "show | ", "show | compare "})
        all_have_help(text, kConfigure);
}

}  // namespace
}  // namespace raicho::shell
