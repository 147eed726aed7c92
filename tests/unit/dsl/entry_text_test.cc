// SPDX-License-Identifier: Apache-2.0
// Groups and meters that are written as one ovs-ofctl text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "dsl/edit/compare.h"
#include "dsl/edit/edit.h"
#include "dsl/edit/forms.h"
#include "dsl/edit/load.h"
#include "dsl/model/print.h"
#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTexts = R"(bridge b {
    meter "meter=3,kbps,bands=type=drop rate=1000"
    meter 7 {
        unit pktps
        band type=drop,rate=9
    }
    group "group_id=1,type=all,bucket=output:2"
    group "type=select,group_id=0x10,bucket=weight:2,actions=group:1"
}
)";

std::string to(Form form, std::string_view text, Form from = Form::conf) {
    const auto result = convert(text, "t.conf", from, form);
    return result ? *result : "refused: " + result.error().rendered;
}
std::string after(std::string_view text, std::vector<std::string> commands) {
    const auto result = edit(text, commands, "");
    return result ? *result : "refused: " + result.error().rendered;
}

TEST(EntryText, KeepsItsWordsAndHasItsNumber) {
    const Checked c = check_text(std::string(kTexts));
    EXPECT_EQ(c.report(), "");
    const BridgeConfig& b = c.config.bridges.at(0);
    ASSERT_EQ(b.groups.size(), 2u);
    EXPECT_EQ(b.groups[0].id, 1u);
    EXPECT_EQ(group_text(b.groups[0]), "group_id=1,type=all,bucket=output:2");
    EXPECT_EQ(b.groups[1].id, 16u);
    ASSERT_EQ(b.meters.size(), 2u);
    EXPECT_EQ(b.meters[0].id, 3u);
    EXPECT_EQ(meter_text(b.meters[0]), "meter=3,kbps,bands=type=drop rate=1000");
    EXPECT_EQ(meter_text(b.meters[1]), "meter=7,pktps,bands=type=drop,rate=9");
    EXPECT_EQ(check_text(print(c.config)).config, c.config);
}

TEST(EntryText, GoesThroughEveryFormAndBack) {
    EXPECT_EQ(to(Form::conf, kTexts), kTexts);
    for (const Form form : {Form::set, Form::json}) {
        const std::string there = to(form, kTexts);
        EXPECT_EQ(to(Form::conf, there, form), kTexts) << there;
    }
    EXPECT_THAT(to(Form::set, kTexts),
                HasSubstr("set bridge b group \"group_id=1,type=all,bucket=output:2\"\n"));
}

TEST(EntryText, IsFoundByItsNumber) {
    EXPECT_EQ(after(kTexts, {"delete bridge b group 16", "delete bridge b group 1",
                             "delete bridge b meter 3"}),
              "bridge b {\n    meter 7 {\n        unit pktps\n        band type=drop,rate=9\n"
              "    }\n}\n");
    EXPECT_THAT(after(kTexts, {"deactivate bridge b group 1"}),
                HasSubstr("inactive group \"group_id=1,"));
    EXPECT_THAT(check_text("bridge b { group 1 { type all }\n"
                           "group \"group_id=1,type=all\" }")
                    .report(),
                HasSubstr("group 1 is defined twice"));
}

TEST(EntryText, TakesThePlaceOfABlockAndTheOtherWayRound) {
    const std::string block = "bridge b {\n    group 1 {\n        type all\n    }\n}\n";
    EXPECT_EQ(after(block, {"set bridge b group \"group_id=1,type=all,bucket=output:2\""}),
              "bridge b {\n    group \"group_id=1,type=all,bucket=output:2\"\n}\n");
    EXPECT_THAT(after(kTexts, {"set bridge b group 1 type select"}),
                HasSubstr("group 1 is ovs-ofctl text here"));
    const auto merged =
        load(kTexts, LoadMode::merge, "bridge b { group 1 { type select; bucket output:9 } }", "m");
    ASSERT_TRUE(merged) << merged.error().rendered;
    EXPECT_THAT(*merged, HasSubstr("group 1 { type select; bucket output:9 }"));
    EXPECT_THAT(*merged, testing::Not(HasSubstr("group_id=1,")));
}

TEST(EntryText, IsComparedAsAWhole) {
    const std::string changed = after(kTexts, {"set bridge b group \"group_id=1,type=all\""});
    EXPECT_EQ(*compare(kTexts, changed),
              "[edit bridge b]\n-  group \"group_id=1,type=all,bucket=output:2\"\n"
              "+  group \"group_id=1,type=all\"\n");
    EXPECT_EQ(*compare(kTexts, kTexts), "");
}

TEST(EntryText, SaysWhatIsWrong) {
    const auto report = [](const std::string& inside) {
        return check_text("bridge b {\n" + inside + "\n}").report();
    };
    EXPECT_THAT(report("group \"type=all\""),
                HasSubstr("t.conf:2:7: error: group: the text names no group_id"));
    EXPECT_THAT(report("meter \"kbps,bands=type=drop\""), HasSubstr("names no meter"));
    EXPECT_THAT(report("meter \"meter=0\""), HasSubstr("meter: 0 is out of range"));
    EXPECT_THAT(report("group \"group_id=1,type=all\" { type all }"),
                HasSubstr("a group with a block has a number, not a text"));
    EXPECT_THAT(report("port p1 1\ngroup \"group_id=1,type=all,bucket=output:p2\""),
                HasSubstr("t.conf:3:42: error: group 1: unknown port \"p2\""));
    EXPECT_THAT(after(kTexts, {"rename bridge b group 1 to 2"}),
                HasSubstr("a group text has no name"));
    EXPECT_THAT(after(kTexts, {"set bridge b meter \"meter=4\" unit kbps"}),
                HasSubstr("a meter text stands alone"));
}

}  // namespace
}  // namespace raicho::dsl
