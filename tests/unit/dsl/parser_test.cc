// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::HasSubstr;

TEST(Parser, ReadsStatementsListsAndBlocks) {
    const Parsing p = parse_text("a b \"c d\" [ e f ] { g; h\n i } j");
    EXPECT_EQ(p.report(), "");
    ASSERT_EQ(p.tree.root.statements.size(), 2u);
    const Statement& a = p.tree.root.statements[0];
    ASSERT_EQ(a.values.size(), 4u);
    EXPECT_EQ(a.values[2].text, "c d");
    ASSERT_EQ(a.values[3].items.size(), 2u);
    EXPECT_EQ(a.values[3].items[1].text, "f");
    ASSERT_TRUE(a.block);
    EXPECT_EQ(a.block->statements.size(), 3u);
}

TEST(Parser, EndsAStatementAtANewLineButNotInsideBrackets) {
    const Parsing p = parse_text("cores [ 2\n 3 # two\n 4 ]\nnext");
    EXPECT_EQ(p.report(), "");
    ASSERT_EQ(p.tree.root.statements.size(), 2u);
    EXPECT_EQ(p.tree.root.statements[0].values[1].items.size(), 3u);
}

TEST(Parser, TakesABlockThatOpensOnTheNextLine) {
    const Parsing p = parse_text("bridge br0\n# why not\n{ x }\n");
    EXPECT_EQ(p.report(), "");
    ASSERT_EQ(p.tree.root.statements.size(), 1u);
    EXPECT_TRUE(p.tree.root.statements[0].block);
}

TEST(Parser, KeepsAddressesInBracketsTogether) {
    const Parsing p = parse_text("c tcp:[::1]:6653 [ tcp:[::2]:1 x]");
    EXPECT_EQ(p.report(), "");
    EXPECT_EQ(p.tree.root.statements[0].values[1].text, "tcp:[::1]:6653");
    EXPECT_EQ(p.tree.root.statements[0].values[2].items[0].text, "tcp:[::2]:1");
    EXPECT_EQ(p.tree.root.statements[0].values[2].items[1].text, "x");
}

TEST(Parser, UndoesEscapesAndTakesSingleQuotesAsTheyAre) {
    const Parsing p = parse_text(R"(a "q\"b\\n\tx" 'it \n')");
    EXPECT_EQ(p.report(), "");
    EXPECT_EQ(p.tree.root.statements[0].values[1].text, "q\"b\\n\tx");
    EXPECT_EQ(p.tree.root.statements[0].values[2].text, "it \\n");
}

TEST(Parser, SeesCommentsOnlyWhereAWordCouldBegin) {
    const Parsing p = parse_text("include ports.d/*.conf a#b /* gone */ c # gone");
    EXPECT_EQ(p.report(), "");
    const auto& values = p.tree.root.statements[0].values;
    ASSERT_EQ(values.size(), 4u);
    EXPECT_EQ(values[1].text, "ports.d/*.conf");
    EXPECT_EQ(values[2].text, "a#b");
    EXPECT_EQ(values[3].text, "c");
}

TEST(Parser, GoesOnAfterEachFault) {
    const Parsing p = parse_text("a [ b ; c\n} d;\n{ x }\n\"t\" y\nok");
    EXPECT_EQ(p.diagnostics.size(), 4u) << p.report();
    EXPECT_EQ(p.tree.root.statements.back().keyword().text, "ok");
}

TEST(Parser, TellsTheInnermostOpenBlockOnly) {
    const Parsing p = parse_text("a { b { c {\n");
    ASSERT_EQ(p.diagnostics.size(), 1u);
    EXPECT_EQ(p.report(),
              "t.conf:1:11: error: block is not closed\n"
              "    a { b { c {\n"
              "              ^\n"
              "    help: add \"}\" where it ends\n");
}

TEST(Parser, SaysWhatAClosingQuoteSwallowed) {
    const Parsing p = parse_text("a { b \"c }\nx }\n");
    ASSERT_EQ(p.diagnostics.size(), 1u) << p.report();
    EXPECT_THAT(p.report(), HasSubstr("1:7: error: quoted text is not closed on its line"));
}

TEST(Parser, RefusesAQuoteInTheMiddleOfAValue) {
    EXPECT_THAT(parse_text("device ethdev net_pcap0,iface=\"eth0\"").report(),
                HasSubstr("quotes must enclose the whole value"));
}

TEST(Parser, LimitsTheDepthWithoutRecursion) {
    const std::string deep(200000, '{');
    const Parsing p = parse_text("a {" + [] {
        std::string text;
        for (int i = 0; i < 100000; ++i) text += "b {";
        return text;
    }() + std::string(100001, '}'));
    ASSERT_EQ(p.diagnostics.size(), 1u) << p.report();
    EXPECT_THAT(p.diagnostics[0].text, HasSubstr("nested deeper than 32"));
    EXPECT_EQ(print(parse_text(deep).tree), deep);
}

TEST(Parser, ReportsBytesThatAreNoText) {
    using namespace std::string_literals;
    EXPECT_THAT(parse_text("a \xff\xfe b").report(), HasSubstr("byte 0xff is not valid UTF-8"));
    EXPECT_THAT(parse_text("a\0b"s).report(), HasSubstr("NUL byte"));
    EXPECT_THAT(parse_text("a \x1b[31m").report(), HasSubstr("control character 0x1b"));
    EXPECT_THAT(parse_text("# \xc3\n").report(), HasSubstr("not valid UTF-8"));
    EXPECT_THAT(parse_text("a \"\xe2\x82\"").report(), HasSubstr("not valid UTF-8"));
    EXPECT_EQ(parse_text("a \"gr\xc3\xbc\xc3\x9f\xe2\x82\xac\"").report(), "");
    EXPECT_EQ(parse_text("a\0\0\0\0b"s).diagnostics.size(), 1u);  // one for a run
}

TEST(Parser, TakesEmptyFilesCrlfAByteOrderMarkAndAMissingLastLineEnd) {
    for (const char* text : {"", "\n", "\r\n", "# only",
                             "\xef\xbb\xbf"
                             "a b\r\nc \"d\"\r\n# e\r\n",
                             "a"}) {
        const Parsing p = parse_text(text);
        EXPECT_EQ(p.report(), "") << text;
        EXPECT_EQ(print(p.tree), text);
    }
    EXPECT_EQ(parse_text("a b\r\n").tree.root.statements[0].values[1].text, "b");
}

TEST(Parser, PrintsBackEveryText) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    constexpr std::string_view kPieces[] = {
        "a",    "port",     " ",         "\n",    ";",   "{",     "}",  "[",  "]",
        "\"",   "'",        "#",         "/*",    "*/",  "\\",    "\t", "\r", "\r\n",
        "\xff", "\xc3\xbc", "tcp:[::1]", "x y {", "}\n", "\"q\"", ",",  "="};
    for (int round = 0; round < 1500; ++round) {
        std::string text;
        const auto n = random() % 40;
        for (std::size_t i = 0; i < n; ++i) text += kPieces[random() % std::size(kPieces)];
        ASSERT_EQ(print(parse_text(text).tree), text);
    }
}

TEST(Parser, MapsAValueBackToTheSourceAcrossEscapes) {
    const Parsing p = parse_text(R"(a "x\"yz\\")");
    const Value& v = p.tree.root.statements[0].values[1];
    std::string again(v.text.size(), '?');
    for (const Stretch& s : stretches(v, *p.source))
        for (std::uint32_t i = 0; i < s.length; ++i)
            again[s.text + i] = p.source->text()[s.source + i];
    EXPECT_EQ(again, v.text);
}

}  // namespace
}  // namespace raicho::dsl
