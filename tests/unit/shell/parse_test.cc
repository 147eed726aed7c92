// SPDX-License-Identifier: Apache-2.0
#include "shell/parse.h"

#include <gtest/gtest.h>

#include "tests/unit/shell/fake_names.h"

namespace raicho::shell {
namespace {

constexpr std::string_view kShowFlow =
    "show flow [BRIDGE] [brief] [table TABLE] [match FIELDS] [sort ORDER] [top N]";

struct Parser : testing::Test {
    FakeNames names;
    std::expected<ParsedLine, LineError> parse(std::string_view line) {
        return parse_line(line, kOperate, names);
    }
    std::string notation(std::string_view line) {
        const auto parsed = parse(line);
        if (!parsed) return parsed.error().text;
        return parsed->command.command == nullptr ? ""
                                                  : std::string(parsed->command.command->notation);
    }
    LineError error(std::string_view line) {
        const auto parsed = parse(line);
        EXPECT_FALSE(parsed) << line;
        return parsed ? LineError{} : parsed.error();
    }
};

TEST_F(Parser, EveryCommandOfTheTableParsesAsItself) {
    for (const Command& command : kCommands) {
        if (command.notation.find("COMMAND") != std::string_view::npos) continue;  // its own test
        std::string line;
        for (const char c : command.notation)
            if (c != '[' && c != ']') line += c;
        for (const auto& [placeholder, value] :
             {std::pair{"BRIDGE", "br0"}, std::pair{"TABLE", "7"}, std::pair{" N", " 3"},
              std::pair{" N", " 4"}, std::pair{"LEVEL", "info"}, std::pair{"ORDER", "hits"},
              std::pair{"MINUTES", "5"}})
            if (const auto at = line.find(placeholder); at != std::string::npos)
                line.replace(at, std::string_view(placeholder).size(), value);
        const auto parsed = parse_line(line, command.modes & kBoth, names);
        ASSERT_TRUE(parsed) << line << ": " << parsed.error().text;
        EXPECT_EQ(parsed->command.command->notation, command.notation) << line;
    }
}

TEST_F(Parser, UniquePrefixesAreEnough) {
    EXPECT_EQ(notation("sh fl"), kShowFlow);
    EXPECT_EQ(notation("s v"), "show version");
    EXPECT_EQ(notation("q"), "quit");
    EXPECT_EQ(notation("del po br0 h1-br"), "delete port BRIDGE PORT");
}

TEST_F(Parser, AmbiguousPrefixesNameTheirMeanings) {
    const LineError wrong = error("show m");
    EXPECT_EQ(wrong.text, "\"m\" is ambiguous");
    EXPECT_EQ(wrong.hint, "it could be meter, mac, memory");
    EXPECT_EQ(wrong.begin, 5u);
    EXPECT_EQ(wrong.end, 6u);
}

TEST_F(Parser, WrongWordsAreMarkedAndASuggestionMade) {
    const LineError wrong = error("show brige br0");
    EXPECT_EQ(wrong.text, "unknown word \"brige\"");
    EXPECT_EQ(wrong.hint, "did you mean \"bridge\"?");
    EXPECT_EQ(wrong.begin, 5u);
    EXPECT_EQ(wrong.end, 10u);
    EXPECT_EQ(error("show version now").hint, "nothing may follow here");
}

TEST_F(Parser, IncompleteCommandsSayWhatIsMissing) {
    const LineError wrong = error("add port br0");
    EXPECT_EQ(wrong.text, "the command is incomplete");
    EXPECT_EQ(wrong.hint, "expected: NAME");
    EXPECT_EQ(wrong.begin, 12u);
    EXPECT_EQ(error("show flow table").hint, "expected: TABLE");
    EXPECT_EQ(error("clear").hint, "expected: mac");
}

TEST_F(Parser, OptionalPartsComeInAnyOrderButOnce) {
    for (const char* line : {"show flow br0 brief table 3", "show flow table 3 br0 brief",
                             "show flow brief table 3 br0", "sh fl br br0 tab 3"}) {
        const auto parsed = parse(line);
        ASSERT_TRUE(parsed) << line << ": " << parsed.error().text;
        EXPECT_EQ(parsed->command.text("BRIDGE"), "br0") << line;
        EXPECT_EQ(parsed->command.text("TABLE"), "3");
        EXPECT_TRUE(parsed->command.has("brief"));
    }
    EXPECT_EQ(error("show flow brief brief br0").text, "unknown word \"br0\"");
    EXPECT_EQ(error("show flow table 1 table 2 x").begin, 24u);
}

TEST_F(Parser, ALiveNameWinsOverAnAbbreviation) {
    names.bridge_names = {"b", "cou"};
    EXPECT_EQ(parse("show flow b")->command.text("BRIDGE"), "b");
    EXPECT_FALSE(parse("show flow b")->command.has("brief"));
    EXPECT_EQ(notation("show flow cou"), kShowFlow);
    names.bridge_names = {"br0"};
    EXPECT_TRUE(parse("show flow b")->command.has("brief"));
    EXPECT_EQ(notation("show flow cou"), "show flow count [BRIDGE]");
}

TEST_F(Parser, AQuotedWordIsAlwaysAName) {
    names.bridge_names = {"brief"};
    EXPECT_EQ(parse("show flow \"brief\"")->command.text("BRIDGE"), "brief");
    EXPECT_TRUE(parse("show flow brief")->command.has("brief"));
    EXPECT_EQ(error("\"show\" version").text, "unknown word \"show\"");
}

TEST_F(Parser, LiveNamesAreAskedForOnlyWhereTheyDecide) {
    EXPECT_TRUE(parse("show version"));
    EXPECT_TRUE(parse("show flow br0 brief"));
    EXPECT_TRUE(parse("delete port br0 x"));
    EXPECT_EQ(names.asked, 0);
}

TEST_F(Parser, NumbersAndTablesAreChecked) {
    EXPECT_EQ(error("show flow table x").text, "\"x\" is no number");
    EXPECT_EQ(error("show flow table 255").text, "there is no table 255");
    EXPECT_TRUE(parse("show flow table 0xfe"));
    EXPECT_EQ(error("show | last -1").text, "\"-1\" is no number");
}

TEST_F(Parser, TheOptionsOfAPortAreTheRestOfTheLineAsItStands) {
    const auto parsed = parse("add port br0 tap1 5 { device tap; description \"a  b\" } | count");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->command.text("OPTIONS"), "5 { device tap; description \"a  b\" }");
    EXPECT_EQ(parsed->command.find("OPTIONS")->begin, 18u);
    EXPECT_EQ(parsed->pipes.size(), 1u);
    EXPECT_EQ(parse("add port br0 tap1 '5 device tap'")->command.text("OPTIONS"), "5 device tap");
    EXPECT_EQ(parse("add port br0 tap1")->command.find("OPTIONS"), nullptr);
}

TEST_F(Parser, ThePlaceOfAQuotedRestIsThatOfItsFirstCharacter) {
    const auto parsed = parse("add flow br0 \"ip actions=drop\"");
    ASSERT_TRUE(parsed);
    const Argument* flow = parsed->command.find("FLOW");
    EXPECT_EQ(flow->text, "ip actions=drop");
    EXPECT_EQ(flow->begin, 14u);
    EXPECT_EQ(flow->end, 29u);
}

TEST_F(Parser, TheWordsOfTheAncestorAreUnderstoodAndNeverInTheWay) {
    EXPECT_EQ(parse("show interface h1-br")->command.command->action, Action::show_port);
    EXPECT_EQ(parse("show bridge-domains")->command.command->action, Action::show_bridge);
    EXPECT_EQ(parse("show mactable")->command.command->action, Action::show_mac);
    EXPECT_EQ(notation("show bri"), "show bridge [BRIDGE]") << "not ambiguous by bridge-domains";
    EXPECT_EQ(notation("show inter"), "show interface [PORT]");
    EXPECT_EQ(error("show x").hint.find("interface"), std::string::npos);
}

TEST_F(Parser, ChoicesMayBeShortenedToo) {
    EXPECT_EQ(parse("show flow sort hi")->command.text("ORDER"), "hits");
    EXPECT_EQ(error("show flow sort hist").hint, "did you mean \"hits\"?");
    EXPECT_EQ(error("show log level loud").hint, "expected: debug, info, warning, error");
}

TEST_F(Parser, NumbersOfOneLineAreToldApartByTheWordBefore) {
    const auto parsed = parse("monitor ports times 3 every 2");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->command.find_behind("times")->text, "3");
    EXPECT_EQ(parsed->command.find_behind("every")->text, "2");
    EXPECT_EQ(parse("monitor ports")->command.find_behind("every"), nullptr);
}

TEST_F(Parser, WhereAnythingMayStandWordsAreWrittenOut) {
    EXPECT_EQ(parse("ping h")->command.text("HOST"), "h");
    EXPECT_EQ(parse("add port br0 b")->command.text("NAME"), "b");
}

TEST_F(Parser, PipesAreParsedByTheirOwnTable) {
    const auto parsed = parse("show port | ma 'a|b' | except x|la 3 | no-more");
    ASSERT_TRUE(parsed);
    ASSERT_EQ(parsed->pipes.size(), 4u);
    EXPECT_EQ(parsed->pipes[0].command->action, Action::pipe_match);
    EXPECT_EQ(parsed->pipes[0].text("RE"), "a|b");
    EXPECT_EQ(parsed->pipes[2].text("N"), "3");
    EXPECT_EQ(error("show port | mtach x").hint, "did you mean \"match\"?");
    EXPECT_EQ(error("show port |").text, "the command is incomplete");
    EXPECT_EQ(error("| count").text, "the command is incomplete");
}

TEST_F(Parser, EmptyLinesAndCommentsAreNoCommand) {
    for (const char* line : {"", "   ", "# show", "  # x | y", "\t"}) {
        const auto parsed = parse(line);
        ASSERT_TRUE(parsed) << line;
        EXPECT_EQ(parsed->command.command, nullptr) << line;
    }
    EXPECT_EQ(notation("show version # what is it"), "show version");
}

TEST_F(Parser, QuotesMustBeClosed) {
    const LineError wrong = error("show bridge \"br0");
    EXPECT_EQ(wrong.text, "the quote is not closed");
    EXPECT_EQ(wrong.begin, 12u);
}

TEST_F(Parser, AnythingAtAllParsesOrFailsInPlace) {
    // Every byte string of up to three interesting characters.
    const std::string alphabet = "s|\"'#\\? \t\x80\xff\n{";
    for (const char a : alphabet)
        for (const char b : alphabet)
            for (const char c : alphabet) {
                const std::string line{a, b, c};
                const auto parsed = parse(line);
                if (!parsed) {
                    EXPECT_LE(parsed.error().begin, line.size());
                    EXPECT_LE(parsed.error().end, line.size() + 1);
                }
                static_cast<void>(continuation(line, kOperate, names));
            }
}

TEST(Line, QuotesAndEscapesMakeOneWord) {
    const auto stages = read_line(R"(a"b c"d 'x\"y' "q\"\\z" \d)");
    ASSERT_TRUE(stages);
    std::vector<std::string> words;
    for (const Word& word : stages->front().words) words.push_back(word.text);
    EXPECT_EQ(words, (std::vector<std::string>{"ab cd", "x\\\"y", "q\"\\z", "\\d"}));
}

TEST(Line, QuoteIsTheInverseOfReading) {
    for (const char* text :
         {"", "plain", "two words", "a\"b", "back\\slash", "a|b", "#x", "it's?"}) {
        const auto stages = read_line(quote(text));
        ASSERT_TRUE(stages) << text;
        ASSERT_EQ(stages->size(), 1u);
        ASSERT_EQ(stages->front().words.size(), 1u) << text;
        EXPECT_EQ(stages->front().words.front().text, text);
    }
}

TEST(Line, AQuestionMarkIsOnlyACharacterInQuotesAndComments) {
    EXPECT_TRUE(in_quotes_or_comment("show port | match \"a"));
    EXPECT_TRUE(in_quotes_or_comment("show 'x"));
    EXPECT_TRUE(in_quotes_or_comment("show # is it"));
    EXPECT_FALSE(in_quotes_or_comment("show port | match \"a\""));
    EXPECT_FALSE(in_quotes_or_comment("show "));
}

TEST_F(Parser, RunAndTopStandBeforeAnotherCommand) {
    const auto ran = parse_line("run sh ver | match x", kConfigure, names);
    ASSERT_TRUE(ran) << ran.error().text;
    EXPECT_EQ(ran->command.command->action, Action::show_version);
    const auto top = parse_line("top set bridge br0 mtu 9", kConfigure, names);
    ASSERT_TRUE(top) << top.error().text;
    EXPECT_EQ(top->command.command->action, Action::set_statement);
    EXPECT_EQ(top->command.text("PATH"), "bridge br0 mtu 9");
    EXPECT_EQ(top->from, PathFrom::top);
    EXPECT_EQ(parse_line("top", kConfigure, names)->command.command->action, Action::top);
    EXPECT_FALSE(parse_line("run", kConfigure, names));
    for (const char* line : {"run exit", "run configure", "top commit", "top exit", "run set x"}) {
        const auto refused = parse_line(line, kConfigure, names);
        ASSERT_FALSE(refused) << line;
        EXPECT_EQ(refused.error().begin, 4u) << line;
    }
}

TEST_F(Parser, ACommandOfTheOtherModeIsTold) {
    EXPECT_EQ(error("set bridge br0").text, "\"set\" is a command of configure mode");
    EXPECT_EQ(error("set bridge br0").hint, "configure enters it");
    const auto refused = parse_line("monitor ports", kConfigure, names);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().hint, "run monitor …");
}

TEST_F(Parser, AStatementIsTakenAsItStands) {
    const auto parsed =
        parse_line("set bridge br0 { port p1 { mtu 9000 } } | no-more", kConfigure, names);
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_EQ(parsed->command.text("PATH"), "bridge br0 { port p1 { mtu 9000 } }");
    EXPECT_EQ(parsed->pipes.size(), 1u);
}

TEST_F(Parser, CommitTakesItsOptionsInAnyOrder) {
    const auto all =
        parse_line("commit and-quit confirmed 5 comment \"two words\"", kConfigure, names);
    ASSERT_TRUE(all) << all.error().text;
    EXPECT_EQ(all->command.text("MINUTES"), "5");
    EXPECT_EQ(all->command.text("TEXT"), "two words");
    EXPECT_TRUE(all->command.has("and-quit"));
    EXPECT_TRUE(parse_line("commit confirmed", kConfigure, names));
    EXPECT_TRUE(parse_line("commit confirmed and-quit", kConfigure, names));
}

}  // namespace
}  // namespace raicho::shell
