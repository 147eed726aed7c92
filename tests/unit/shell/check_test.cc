// SPDX-License-Identifier: Apache-2.0
// lagosh and the agent judge the same texts: what one accepts the other does, and both say why not
// in the same words.
#include "shell/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "agent/config/flow_check.h"
#include "base/text.h"

namespace raicho::shell {
namespace {

using testing::HasSubstr;

constexpr std::string_view kEntries =
    "port p1 1 { queue 3 }; port p2 2\n"
    "group 1 { type all; bucket actions=output:p1; bucket actions=group:2 }\n"
    "group 2 { type indirect; bucket actions=output:2 }\n"
    "meter 5 { band type=drop,rate=100 }\n"
    "max-tables 4\n";

struct Case {
    std::string_view flow;
    std::string_view why;  // empty: good
};

constexpr std::array kCases{
    Case{"actions=output:p1", ""},
    Case{"actions=output:nine", "nine"},
    Case{"priority=1,tcp,tcp_dst=80 actions=meter:5,group:1", ""},
    Case{"actions=meter:5,goto_table:3", ""},
    Case{"actions=set_queue:3,output:p1", ""},
    Case{"actions=set_queue:4,output:p1", "queue 4: no such queue"},
    Case{"actions=group:3", "group 3: no such group"},
    Case{"actions=meter:6", "meter 6: no such meter"},
    Case{"actions=goto_table:4", "goto_table:4 in table 0: must lead forward to a table"},
    Case{"table=2 actions=goto_table:1", "goto_table:1 does not lead forward from table 2"},
    Case{"table=4 actions=drop", "table 4: the bridge has 4 tables"},
    Case{"actions=output:TABLE", "output to TABLE: in packet-outs only"},
    Case{"out_port=3 actions=drop", "out_port: selects flows to delete"},
    Case{"nw_dst=10.0.0.1 actions=drop", "nw_dst"},
    Case{"actions=set_field:1->tcp_dst", "tcp_dst"},
    Case{"prioriti=4 actions=drop", "did you mean"},
};

TEST(Check, TheAgentAndTheShellJudgeAlike) {
    for (const Case& c : kCases) {
        const std::string text = format("bridge b {{ {} flow \"{}\" }}\n", kEntries, c.flow);
        const dsl::Checked mine = dsl::check(text, "t", flow_checker());
        const dsl::Checked agents = dsl::check(text, "t", agent::config::flow_checker());
        EXPECT_EQ(mine.report(), agents.report()) << c.flow;
        EXPECT_EQ(mine.ok(), c.why.empty()) << c.flow << mine.report();
        EXPECT_THAT(mine.report(), HasSubstr(c.why)) << c.flow;
    }
}

TEST(Check, TheConfigurationsThatShipAreGood) {
    for (const std::string_view name : {"edge", "multi-bridge", "quickstart", "standalone"}) {
        const dsl::Checked checked =
            dsl::check_file(format("{}/conf/{}.conf", RAICHO_ROOT, name), flow_checker());
        EXPECT_EQ(checked.report(), "") << name;
    }
}

}  // namespace
}  // namespace raicho::shell
