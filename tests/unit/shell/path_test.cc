// SPDX-License-Identifier: Apache-2.0
#include "shell/path.h"

#include <gtest/gtest.h>

namespace raicho::shell {
namespace {

std::string long_form(std::string_view typed, std::string_view level = {}) {
    const auto written = write_out(typed, level);
    return written ? written->text : written.error().text + ": " + written.error().hint;
}

TEST(Path, UniqueBeginningsAreWrittenOut) {
    EXPECT_EQ(long_form("br br0 po p1 mt 1400"), "bridge br0 port p1 mtu 1400");
    EXPECT_EQ(long_form("po p1 mt 1400", "bridge br0"), "port p1 mtu 1400");
    EXPECT_EQ(long_form("bridge br0 fail stand"), "bridge br0 fail-mode standalone");
    EXPECT_EQ(long_form(""), "");
    EXPECT_EQ(long_form("br"), "bridge");
}

TEST(Path, NamesNumbersAndUnknownWordsStay) {
    EXPECT_EQ(long_form("bridge po port mt"), "bridge po port mt");
    EXPECT_EQ(long_form("bridge br0 port p1 7 mtu 9000"), "bridge br0 port p1 7 mtu 9000");
    EXPECT_EQ(long_form("bridge br0 prot p1"), "bridge br0 prot p1");
}

TEST(Path, WhatIsQuotedOrABlockStaysAsItIs) {
    EXPECT_EQ(long_form("br br0 flow \"table=0 actions=drop\""),
              "bridge br0 flow \"table=0 actions=drop\"");
    EXPECT_EQ(long_form("br br0 { po p1 }"), "bridge br0 { po p1 }");
}

TEST(Path, AnAmbiguousWordNamesItsMeanings) {
    const auto refused = write_out("bridge br0 f secure", {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text, "\"f\" is ambiguous");
    EXPECT_EQ(refused.error().hint, "it could be fail-mode, flow");
    EXPECT_EQ(refused.error().begin, 11u);
    EXPECT_EQ(refused.error().end, 12u);
}

TEST(Path, PlacesFindTheirWayBack) {
    const auto written = write_out("br br0 po p1 mt 5", {});
    ASSERT_TRUE(written);
    const auto typed = [&](std::string_view word) {
        const std::size_t at = written->text.find(word);
        const auto place = written->typed({at, at + word.size()});
        return std::string("br br0 po p1 mt 5").substr(place.begin, place.end - place.begin);
    };
    EXPECT_EQ(typed("bridge"), "br");
    EXPECT_EQ(typed("br0"), "br0");
    EXPECT_EQ(typed("port"), "po");
    EXPECT_EQ(typed("p1"), "p1");
    EXPECT_EQ(typed("mtu"), "mt");
    EXPECT_EQ(typed("5"), "5");
    EXPECT_EQ(typed("port p1"), "po p1");
}

TEST(Path, ColumnsCountCharacters) {
    EXPECT_EQ(byte_of_column("aäb", 1), 0u);
    EXPECT_EQ(byte_of_column("aäb", 3), 3u);
    EXPECT_EQ(byte_of_column("aäb", 9), 4u);
}

}  // namespace
}  // namespace raicho::shell
