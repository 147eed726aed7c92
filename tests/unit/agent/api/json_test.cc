// SPDX-License-Identifier: Apache-2.0
#include "agent/api/json.h"

#include <gtest/gtest.h>

namespace raicho::agent::api {
namespace {

std::string fault(std::string_view text, const JsonLimits& limits = {}) {
    const auto parsed = parse_json(text, limits);
    return parsed ? "" : parsed.error().text;
}

TEST(ApiJson, TwoMillionBracketsAreRefusedAndDoNotOverflowTheStack) {
    EXPECT_EQ(fault(std::string(2'000'000, '[')), "nested deeper than 32 levels");
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    EXPECT_EQ(fault(objects), "nested deeper than 32 levels");
}

TEST(ApiJson, DepthUpToTheLimitIsTaken) {
    EXPECT_EQ(fault(std::string(32, '[') + std::string(32, ']')), "");
    EXPECT_EQ(fault(std::string(33, '[') + std::string(33, ']')), "nested deeper than 32 levels");
}

TEST(ApiJson, AKeyThatStandsTwiceIsRefused) {
    EXPECT_EQ(fault(R"({"a":1,"b":2,"a":3})"), "key \"a\" stands twice in one object");
    EXPECT_EQ(fault(R"({"a":{"a":1},"b":{"a":1}})"), "");
}

TEST(ApiJson, ManyKeysAreCheckedInReasonableTime) {
    std::string text = "{";
    for (int i = 0; i < 200'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
    text += "\"k7\":1}";
    EXPECT_EQ(fault(text), "key \"k7\" stands twice in one object");
}

TEST(ApiJson, IntegersBeyond64BitsAreRefusedAndNotRounded) {
    EXPECT_EQ(std::get<std::uint64_t>(parse_json("18446744073709551615")->value), ~0ull);
    EXPECT_EQ(fault("18446744073709551616"),
              "integer 18446744073709551616 needs more than 64 bits");
    EXPECT_EQ(std::get<std::int64_t>(parse_json("-9223372036854775808")->value),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_NE(fault("-9223372036854775809"), "");
}

TEST(ApiJson, NumbersWithAPointOrExponentAreReal) {
    EXPECT_EQ(std::get<double>(parse_json("1.5")->value), 1.5);
    EXPECT_EQ(std::get<double>(parse_json("2e3")->value), 2000);
    EXPECT_NE(fault("1e999"), "");
}

TEST(ApiJson, WhatFollowsTheValueIsAnError) {
    EXPECT_NE(fault("{} {}"), "");
    EXPECT_NE(fault("{}x"), "");
    EXPECT_EQ(fault(" {} \n"), "");
}

TEST(ApiJson, BrokenTextsAreRefused) {
    for (const char* text : {"", " ", "{", "[1,", "{\"a\"}", "{\"a\":}", "nul", "\"\\ud800\"",
                             "\"\xff\"", "\"\xc0\x80\"", "01", "+1", "'a'", "{a:1}", "[1,]"})
        EXPECT_NE(fault(text), "") << text;
}

TEST(ApiJson, ALargerTextThanTheLimitIsRefused) {
    EXPECT_EQ(fault("[1,2,3]", {.max_size = 4}), "larger than 4 bytes");
}

TEST(ApiJson, AnErrorHasLineAndColumn) {
    const auto parsed = parse_json("{\n  \"a\": tru\n}");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().line, 2u);
    EXPECT_GE(parsed.error().column, 8u);
}

TEST(ApiJson, MembersKeepTheirOrderAndValues) {
    const auto parsed = parse_json(R"({"b":"x","a":[true,false,null]})");
    ASSERT_TRUE(parsed);
    ASSERT_NE(parsed->find("b"), nullptr);
    EXPECT_EQ(*parsed->find("b")->as_text(), "x");
    EXPECT_EQ(parsed->find("c"), nullptr);
    const auto& array = std::get<JsonValue::Array>(parsed->find("a")->value);
    ASSERT_EQ(array.size(), 3u);
    EXPECT_TRUE(std::get<bool>(array[0].value));
    EXPECT_EQ(array[0].as_text(), nullptr);
}

TEST(ApiJson, TheWriterEscapesAndRepairs) {
    JsonWriter json;
    json.begin_object().field("q", "a\"b\\\n").field("bad", "x\xffy").field("n", 7u);
    json.key("list").begin_array().boolean(true).null().real(0.5).end_array().end_object();
    EXPECT_EQ(json.take(),
              "{\"q\":\"a\\\"b\\\\\\n\",\"bad\":\"x\xef\xbf\xbdy\",\"n\":7,"
              "\"list\":[true,null,0.5]}");
    json.begin_array().end_array();
    EXPECT_EQ(json.take(), "[]");
}

}  // namespace
}  // namespace raicho::agent::api
