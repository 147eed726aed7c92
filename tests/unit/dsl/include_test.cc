// SPDX-License-Identifier: Apache-2.0
// define, include and inactive.
#include "dsl/edit/include.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "dsl/model/print.h"
#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::HasSubstr;

/// Files that are only here; a pattern `*` takes all whose name begins with what is before it.
FileReader files(std::map<std::string, std::string> contents) {
    return [contents = std::move(contents)](
               std::string_view pattern,
               const std::string&) -> std::expected<std::vector<LoadedFile>, std::string> {
        std::vector<LoadedFile> out;
        const bool wild = pattern.ends_with('*');
        if (wild) pattern.remove_suffix(1);
        for (const auto& [name, text] : contents)
            if (wild ? name.starts_with(pattern) : name == pattern) out.push_back({name, text});
        if (out.empty() && !wild) return std::unexpected(std::string(pattern) + ": not there");
        return out;
    };
}
Checked check_with(std::string text, std::map<std::string, std::string> contents) {
    return check(std::move(text), "t.conf", toy_checker(), files(std::move(contents)));
}

TEST(Define, PutsValuesInPlace) {
    const Checked c = check_text(
        "bridge b { port up { device af-packet $nic }; port p { description \"at ${nic}.$$5\" }\n"
        "flow \"in_port=up actions=$act\" }\n"
        "dataplane { cores $mine }\ndefine nic eth7; define mine [ 2 3 ]; define act output:up");
    EXPECT_EQ(c.report(), "");
    EXPECT_EQ(c.config.bridges[0].find_port("up")->device.name, "eth7");
    EXPECT_EQ(c.config.bridges[0].find_port("p")->description, "at eth7.$5");
    EXPECT_EQ(c.config.bridges[0].flows[0].text, "in_port=up actions=output:up");
    EXPECT_EQ(c.config.dataplane.cores, (std::vector<std::uint16_t>{2, 3}));
}

TEST(Define, LeavesSingleQuotesAndPlainDollarsAlone) {
    const Checked c = check_text(
        "bridge b { port p { description '$x $$' }; port q { "
        "description \"5$ $5\" } }");
    EXPECT_EQ(c.report(), "");
    EXPECT_EQ(c.config.bridges[0].find_port("p")->description, "$x $$");
    EXPECT_EQ(c.config.bridges[0].find_port("q")->description, "5$ $5");
    EXPECT_EQ(print(check_text(print(c.config)).config), print(c.config));
}

TEST(Define, UnknownNamesAreSuggested) {
    const std::string report = check_text("define uplink eth7\nbridge b { port $uplnk }").report();
    EXPECT_THAT(report, HasSubstr("t.conf:2:17: error: \"uplnk\" is not defined"));
    EXPECT_THAT(report, HasSubstr("did you mean \"uplink\"?"));
}

TEST(Define, CyclesAreReportedWithTheirChain) {
    EXPECT_THAT(check_text("define a $b; define b $c; define c $a").report(),
                HasSubstr("help: a -> b -> c -> a"));
}

TEST(Define, TwiceIsAnError) {
    EXPECT_THAT(check_text("define a 1\ndefine a 2").report(),
                HasSubstr("first defined at t.conf:1:8"));
}

TEST(Define, WhatNothingNamesIsWarnedOf) {
    const Checked c = check_text("define a 1; define b $a\nbridge br0");
    EXPECT_TRUE(c.ok());
    EXPECT_THAT(c.report(), HasSubstr("t.conf:1:20: warning: \"b\" is not used"));
    EXPECT_THAT(c.report(), Not(HasSubstr("\"a\" is not used")));
}

TEST(Define, DoublingIsBounded) {
    std::string text = "define a0 [ x x ]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string before = "$a" + std::to_string(i - 1);
        text += "define a" + std::to_string(i) + " [ " + before + " " + before + " ]\n";
    }
    EXPECT_THAT(check_text(text).report(), HasSubstr("definitions make more than"));
}

TEST(Include, TakesFilesInAnyBlock) {
    const Checked c = check_with("include top.conf\nbridge b { include \"ports/*\" }",
                                 {{"top.conf", "log { level debug }"},
                                  {"ports/1", "port p1 1\n"},
                                  {"ports/2", "port p2 2"}});
    EXPECT_EQ(c.report(), "");
    EXPECT_EQ(c.config.bridges[0].ports.size(), 2u);
    EXPECT_EQ(c.config.log.level, LogVerbosity::debug);
}

TEST(Include, PlacesPointIntoTheFile) {
    const std::string report =
        check_with("bridge b { port p1 }\ninclude x.conf\n",
                   {{"x.conf", "bridge c {\n    port p2\n    port p1\n    mtu 3\n}\n"}})
            .report();
    EXPECT_THAT(report, HasSubstr("x.conf:4:5: error: unknown statement \"mtu\""));
    EXPECT_THAT(report, HasSubstr("        mtu 3\n        ^^^"));
    EXPECT_THAT(report, HasSubstr("x.conf:3:5: error: port name \"p1\" is already used"));
    EXPECT_THAT(report, HasSubstr("first defined at t.conf:1:12"));
}

TEST(Include, CyclesAreReportedWithTheirChain) {
    const std::string report =
        check_with("include a\n", {{"a", "include b"}, {"b", "\ninclude a"}}).report();
    EXPECT_THAT(report, HasSubstr("b:2:9: error: a includes itself"));
    EXPECT_THAT(report, HasSubstr("help: a -> b -> a"));
}

TEST(Include, SaysWhatIsNotThere) {
    EXPECT_THAT(check_with("include nope", {}).report(), HasSubstr("t.conf:1:9: error: nope"));
    EXPECT_EQ(check_with("include nope*", {}).report(), "");
    EXPECT_THAT(check_text("include nope").report(), HasSubstr("cannot be included here"));
}

TEST(Include, ReadsFromTheDisk) {
    const Checked c = check_file(data("include/main.conf"), toy_checker());
    EXPECT_EQ(c.report(), "");
    ASSERT_EQ(c.config.bridges.size(), 1u);
    EXPECT_EQ(c.config.bridges[0].ports.size(), 3u);
    EXPECT_EQ(c.config.bridges[0].ports[1].name, "p2");
    EXPECT_EQ(c.config.bridges[0].ports[2].name, "p10");
}

TEST(Inactive, IsNotInForce) {
    const Checked c = check_text(
        "bridge b { inactive port p1 nonsense; inactive: port p2 { mtu 3 }; port p3 {\n"
        "inactive mtu 9000 } }\ninactive include nope\ninactive define x");
    EXPECT_EQ(c.report(), "");
    EXPECT_EQ(c.config.bridges[0].ports.size(), 1u);
    EXPECT_FALSE(c.config.bridges[0].ports[0].mtu);
}

TEST(Inactive, NeedsAStatement) {
    EXPECT_THAT(check_text("inactive\nbridge b").report(),
                HasSubstr("inactive without a statement"));
}

TEST(Expand, PutsEverythingIntoOneText) {
    const auto whole = expand(
        "define nic eth7\n# up\nbridge b {\n    include p # here\n    inactive port x\n"
        "    port u { device af-packet $nic }\n}\n",
        "t.conf", files({{"p", "# first\nport p1 # $nic\nport p2 { description '$nic' }\n"}}));
    ASSERT_TRUE(whole) << whole.error().rendered;
    EXPECT_EQ(*whole,
              "# up\nbridge b {\n    # first\n    port p1 # $nic\n"
              "    port p2 { description '$nic' }\n    inactive port x\n"
              "    port u { device af-packet eth7 }\n}\n");
}

}  // namespace
}  // namespace raicho::dsl
