// SPDX-License-Identifier: Apache-2.0
// Edit commands: what they change, what they leave alone, what they refuse.
#include "dsl/edit/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace raicho::dsl {
namespace {

using testing::HasSubstr;

constexpr std::string_view kLab = R"(# the lab
bridge br0 {
    # uplink
    port p1 1 { mtu 1500 }
    port p2 2
    controller [ tcp:10.0.0.1 tcp:10.0.0.2 ] { probe 2s }
    flow "priority=1 actions=drop"
}
dataplane { cores [ 2-4 ] }
)";

std::string after(std::string_view text, std::vector<std::string> commands,
                  std::string_view at = "") {
    const auto result = edit(text, commands, at);
    return result ? *result : "refused: " + result.error().rendered;
}
std::string lab(std::vector<std::string> commands, std::string_view at = "") {
    return after(kLab, std::move(commands), at);
}

TEST(Edit, SetMakesObjectsOnTheWay) {
    EXPECT_EQ(after("", {"set bridge br0 port p1 1"}), "bridge br0 {\n    port p1 1\n}\n");
    EXPECT_EQ(after("", {"set bridge br0 port p1 number 1"}), "bridge br0 {\n    port p1 1\n}\n");
    EXPECT_EQ(after("", {"set bridge br0 port p1 1 device tap"}),
              "bridge br0 {\n    port p1 1 {\n        device tap\n    }\n}\n");
}

TEST(Edit, SetReplacesAValueAndKeepsComments) {
    const std::string text = lab({"set bridge br0 port p1 mtu 9000"});
    EXPECT_THAT(text, HasSubstr("# the lab\n"));
    EXPECT_THAT(text, HasSubstr("    # uplink\n    port p1 1 {\n        mtu 9000\n    }\n"));
}

TEST(Edit, SetPutsAStatementBesideItsLike) {
    EXPECT_THAT(lab({"set bridge br0 port p3"}), HasSubstr("port p2 2\n    port p3\n    contr"));
    EXPECT_THAT(lab({"set bridge br0 fail-mode secure"}),
                HasSubstr("bridge br0 {\n    fail-mode secure\n    # uplink\n"));
}

TEST(Edit, ANumberIsReplacedWhereItStands) {
    EXPECT_THAT(lab({"set bridge br0 port p1 7"}), HasSubstr("port p1 7 {"));
    EXPECT_THAT(after("bridge b { port p { number 1 } }", {"set bridge b port p number 2"}),
                HasSubstr("number 2"));
    EXPECT_THAT(lab({"delete bridge br0 port p2 number"}), HasSubstr("port p2\n"));
}

TEST(Edit, ListsGrowAndShrink) {
    EXPECT_THAT(lab({"set dataplane cores 7"}), HasSubstr("cores [ 2 3 4 7 ]"));
    EXPECT_THAT(lab({"delete dataplane cores 3"}), HasSubstr("cores [ 2 4 ]"));
    EXPECT_THAT(lab({"delete dataplane cores [ 2 3 4 ]"}), HasSubstr("dataplane {"));
    EXPECT_THAT(lab({"delete dataplane cores 9"}), HasSubstr("cores has no 9"));
    EXPECT_THAT(
        after("", {"set bridge b local address 10.0.0.1/8", "set bridge b local address 10.0.0.2/8",
                   "delete bridge b local address 10.0.0.1/8"}),
        HasSubstr("local {\n        address 10.0.0.2/8\n    }"));
}

TEST(Edit, AListOfObjectsIsTakenApartWhenOneIsMeant) {
    const std::string text = lab({"set bridge br0 controller tcp:10.0.0.2:6653 probe 9s"});
    EXPECT_THAT(text, HasSubstr("controller tcp:10.0.0.1 { probe 2s }\n"));
    EXPECT_THAT(text, HasSubstr("controller tcp:10.0.0.2 {\n        probe 9s\n    }\n"));
}

TEST(Edit, DeleteTakesObjectsSettingsAndAllOfAKind) {
    EXPECT_THAT(lab({"delete bridge br0 port p1"}), Not(HasSubstr("p1")));
    EXPECT_THAT(lab({"delete bridge br0 port p1 mtu"}), HasSubstr("port p1 1 { }"));
    EXPECT_THAT(lab({"delete bridge br0 port"}), Not(HasSubstr("port")));
    EXPECT_THAT(lab({"delete bridge br0 flow \"priority=1 actions=drop\""}),
                Not(HasSubstr("flow")));
    EXPECT_EQ(lab({"delete"}), "");
}

TEST(Edit, ActivateUndoesDeactivate) {
    const std::string off = lab({"deactivate bridge br0 port p1"});
    EXPECT_THAT(off, HasSubstr("    inactive port p1 1 { mtu 1500 }\n"));
    EXPECT_EQ(after(off, {"activate bridge br0 port p1"}), after(kLab, {}));
    EXPECT_THAT(lab({"deactivate bridge br0 port p1 mtu"}), HasSubstr("inactive mtu 1500"));
}

TEST(Edit, RenameGivesAnotherName) {
    EXPECT_THAT(lab({"rename bridge br0 port p1 to up"}), HasSubstr("port up 1 {"));
    EXPECT_THAT(lab({"rename bridge br0 port p1 to to", "rename bridge br0 port to to up"}),
                HasSubstr("port up 1 {"));
    EXPECT_THAT(lab({"rename bridge br0 port p1 to p2"}), HasSubstr("p2 is there already"));
}

TEST(Edit, WorksAtALevel) {
    EXPECT_THAT(lab({"set mtu 9000", "delete number"}, "bridge br0 port p1"),
                HasSubstr("port p1 {\n        mtu 9000\n    }"));
    EXPECT_THAT(lab({"delete"}, "bridge br0 port p1"), Not(HasSubstr("p1")));
}

TEST(Edit, TakesABlockAtTheEnd) {
    EXPECT_THAT(lab({"set bridge br0 port p9 { device tap; mtu 1400 }"}),
                HasSubstr("port p9 {\n        device tap\n        mtu 1400\n    }"));
}

TEST(Edit, AllOrNothing) {
    const std::vector<std::string> commands{"set bridge br0 port p3",
                                            "set bridge br0 port p3 mtu x"};
    const auto result = edit(kLab, commands);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().command, 1u);
    EXPECT_EQ(result.error().diagnostics.at(0).column, 28u);
}

TEST(Edit, SaysWhatIsWrongWhereAndWhatWouldBeRight) {
    EXPECT_THAT(lab({"set bridge br0 prot p3"}), HasSubstr("did you mean \"port\"?"));
    EXPECT_THAT(lab({"set bridge br0 prot p3"}), HasSubstr("command:1:16: error"));
    EXPECT_THAT(lab({"set bridge br0 port p1 mtu 12"}), HasSubstr("allowed: 68 to 65535"));
    EXPECT_THAT(lab({"delete bridge br0 port p3"}), HasSubstr("port p3 is not there"));
    EXPECT_THAT(lab({"delete bridge br9"}), HasSubstr("did you mean \"br0\"?"));
    EXPECT_THAT(lab({"delete bridge br0 dpid"}), HasSubstr("dpid is not there"));
    EXPECT_THAT(lab({"sett bridge br0"}), HasSubstr("did you mean \"set\"?"));
    EXPECT_THAT(lab({"set bridge"}), HasSubstr("bridge needs <name>"));
    EXPECT_THAT(lab({"delete bridge br0 port p1 mtu 9000"}), HasSubstr("it says mtu 1500"));
    EXPECT_THAT(after("bridge b {", {"set bridge b"}), HasSubstr("block is not closed"));
}

TEST(Edit, AnEmptyCommandAndACommentDoNothing) {
    EXPECT_EQ(lab({"", "  ", "# note"}), lab({}));
}

TEST(EditLevel, LeadsToObjectsOnly) {
    EXPECT_EQ(edit_level("bridge br0").value_or(""), "bridge br0");
    EXPECT_EQ(edit_level("controller tcp:10.0.0.1", "bridge br0").value_or(""),
              "bridge br0 controller tcp:10.0.0.1:6653");
    EXPECT_FALSE(edit_level("bridge br0 fail-mode"));
    EXPECT_FALSE(edit_level("bridge"));
    EXPECT_EQ(level_up("bridge br0 port p1"), "bridge br0");
    EXPECT_EQ(level_up("bridge br0 local"), "bridge br0");
    EXPECT_EQ(level_up("bridge br0"), "");
}

}  // namespace
}  // namespace raicho::dsl
