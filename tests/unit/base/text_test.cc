// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace raicho {
namespace {

TEST(Text, EditDistanceCountsASwapOnce) {
    EXPECT_EQ(edit_distance("priority", "prioriti"), 1u);
    EXPECT_EQ(edit_distance("prot", "port"), 1u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Text, DidYouMeanRefusesWhatIsTooFar) {
    constexpr std::array<std::string_view, 3> words{"secure", "standalone", "fail-mode"};
    EXPECT_EQ(did_you_mean("failmode", words), "fail-mode");
    EXPECT_EQ(did_you_mean("banana", words), std::nullopt);
}

TEST(Text, NaturalOrderPutsP2BeforeP10) {
    EXPECT_TRUE(natural_less("p2", "p10"));
    EXPECT_FALSE(natural_less("p10", "p2"));
    EXPECT_TRUE(natural_less("a", "a1"));
    EXPECT_NE(natural_less("p01", "p1"), natural_less("p1", "p01"));
}

TEST(Text, ParseNumberTakesDecimalAndHexOnly) {
    EXPECT_EQ(parse_number("0x10"), 16u);
    EXPECT_EQ(parse_number("18446744073709551615"), ~0ull);
    EXPECT_EQ(parse_number("18446744073709551616"), std::nullopt);
    EXPECT_EQ(parse_number("12a"), std::nullopt);
    EXPECT_EQ(parse_number(""), std::nullopt);
    EXPECT_EQ(parse_number("0x"), std::nullopt);
}

TEST(Text, ThousandsAndAges) {
    EXPECT_EQ(with_thousands(0), "0");
    EXPECT_EQ(with_thousands(1234567), "1,234,567");
    EXPECT_EQ(age_text(192'000'000'000), "3m12s");
    EXPECT_EQ(age_text(950'000'000), "950ms");
}

TEST(Text, HexRoundTrips) {
    const auto bytes = parse_hex("00 ff\n1a");
    ASSERT_TRUE(bytes);
    EXPECT_EQ(hex_text(*bytes), "00ff1a");
    EXPECT_FALSE(parse_hex("0"));
    EXPECT_FALSE(parse_hex("zz"));
}

}  // namespace
}  // namespace raicho
