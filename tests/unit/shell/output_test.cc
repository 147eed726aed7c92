// SPDX-License-Identifier: Apache-2.0
#include "shell/output.h"

#include <gtest/gtest.h>

#include "tests/unit/shell/fake_names.h"
#include "tests/unit/shell/kept_lines.h"

namespace raicho::shell {
namespace {

/// The lines a..e through a pipe.
std::vector<std::string> through(std::string_view pipe, std::size_t enough = 100) {
    FakeNames names;
    const auto parsed = parse_line("show | " + std::string(pipe), kOperate, names);
    EXPECT_TRUE(parsed);
    KeptLines kept;
    kept.enough = enough;
    auto filters = make_filters(parsed->pipes, kept);
    EXPECT_TRUE(filters);
    for (const char* line : {"apple", "bear", "cat", "dog", "apple pie"})
        if ((*filters)->line(line) == Want::no_more) break;
    (*filters)->end();
    EXPECT_EQ(kept.ends, 1);
    return kept.lines;
}
using Lines = std::vector<std::string>;

TEST(Pipes, MatchExceptFindCountLast) {
    EXPECT_EQ(through("match ^a"), (Lines{"apple", "apple pie"}));
    EXPECT_EQ(through("match 'ear|og'"), (Lines{"bear", "dog"}));
    EXPECT_EQ(through("except a"), (Lines{"dog"}));
    EXPECT_EQ(through("find cat"), (Lines{"cat", "dog", "apple pie"}));
    EXPECT_EQ(through("count"), (Lines{"Count: 5 lines"}));
    EXPECT_EQ(through("last 2"), (Lines{"dog", "apple pie"}));
    EXPECT_EQ(through("last 0"), Lines{});
    EXPECT_EQ(through("last").size(), 5u);
    EXPECT_EQ(through("no-more").size(), 5u);
}

TEST(Pipes, TheyChainInTheirOrder) {
    EXPECT_EQ(through("match apple | count"), (Lines{"Count: 2 lines"}));
    EXPECT_EQ(through("last 3 | match apple"), (Lines{"apple pie"}));
    EXPECT_EQ(through("count | match 5"), (Lines{"Count: 5 lines"}));
}

TEST(Pipes, ASinkThatHasEnoughStopsTheSource) {
    EXPECT_EQ(through("match .", 2).size(), 2u);
    EXPECT_EQ(through("last 4", 2).size(), 2u);
}

TEST(Pipes, APatternThatIsNoneIsMarked) {
    FakeNames names;
    const auto parsed = parse_line("show | match '('", kOperate, names);
    ASSERT_TRUE(parsed);
    KeptLines kept;
    const auto filters = make_filters(parsed->pipes, kept);
    ASSERT_FALSE(filters);
    EXPECT_EQ(filters.error().begin, 13u);
    EXPECT_NE(filters.error().text.find("no regular expression"), std::string::npos);
}

TEST(Pipes, AVeryLongLineIsMatchedWithoutRecursion) {
    FakeNames names;
    const auto parsed = parse_line("show | match '^(a|b)*c$'", kOperate, names);
    KeptLines kept;
    const auto filters = make_filters(parsed->pipes, kept);
    ASSERT_TRUE(filters);
    (*filters)->line(std::string(200'000, 'a') + "c");
    EXPECT_EQ(kept.lines.size(), 1u);
}

}  // namespace
}  // namespace raicho::shell
