// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::HasSubstr;

std::string rendered(std::string text, Span span) {
    const Source source("f.conf", std::move(text));
    Diagnostics d(source);
    d.error(span, "wrong", "mend it");
    return to_text(d.take(), source);
}

TEST(Diagnostics, ShowPlaceLineCaretAndHelp) {
    EXPECT_EQ(rendered("one\ntwo three\n", {8, 5}),
              "f.conf:2:5: error: wrong\n"
              "    two three\n"
              "        ^^^^^\n"
              "    help: mend it\n");
}

TEST(Diagnostics, AlignTheCaretUnderTabs) {
    EXPECT_EQ(rendered("\ta\tbb", {3, 2}),
              "f.conf:1:4: error: wrong\n"
              "    \ta\tbb\n"
              "    \t \t^^\n"
              "    help: mend it\n");
}

TEST(Diagnostics, CountCharactersAndAlignUnderWideOnes) {
    // U+00FC is one column, U+96F7 U+9CE5 (raicho) two each.
    EXPECT_EQ(rendered("\xc3\xbc \xe9\x9b\xb7\xe9\xb3\xa5 x", {10, 1}),
              "f.conf:1:6: error: wrong\n"
              "    \xc3\xbc \xe9\x9b\xb7\xe9\xb3\xa5 x\n"
              "           ^\n"
              "    help: mend it\n");
}

TEST(Diagnostics, NeverPassControlCharactersToTheTerminal) {
    const std::string text = rendered("a\x1b[2J\xff z", {7, 1});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(Diagnostics, CutVeryLongLinesAroundTheCaret) {
    const std::string text =
        rendered(std::string(100000, 'a') + " bad " + std::string(9999, 'b'), {100001, 3});
    EXPECT_LT(text.size(), 500u);
    EXPECT_THAT(text, HasSubstr("f.conf:1:100002: error"));
    EXPECT_THAT(text, HasSubstr("..."));
    EXPECT_THAT(text, HasSubstr(" ^^^\n"));
}

TEST(Diagnostics, PointToTheEndOfTheText) {
    EXPECT_EQ(rendered("ab", {2, 0}),
              "f.conf:1:3: error: wrong\n"
              "    ab\n"
              "      ^\n"
              "    help: mend it\n");
}

TEST(Diagnostics, KeepTwentyErrorsAndCountTheRest) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += "nonsense\n";
    const Checked c = check_text(text);
    EXPECT_EQ(c.diagnostics.size(), 20u);
    EXPECT_EQ(c.n_errors, 30u);
    EXPECT_THAT(c.report(), HasSubstr("30 errors, the first 20 are shown"));
}

TEST(Source, FindsPositionsInOneLongLineQuickly) {
    std::string text;
    for (int i = 0; i < 50000; ++i) text += "port p;";
    const Source source("x", text);
    for (std::uint32_t i = 0; i < 50000; i += 50)
        ASSERT_EQ(source.position(i * 7), (Position{1, i * 7 + 1}));
}

}  // namespace
}  // namespace raicho::dsl
