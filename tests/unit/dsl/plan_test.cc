// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/model/complete.h"
#include "dsl/model/schema.h"
#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> steps(const std::string& from, const std::string& to) {
    Config running = check_text(from).config;
    Config candidate = check_text(to).config;
    assign_port_numbers(running, {});
    assign_port_numbers(candidate, running);
    std::vector<std::string> out;
    for (const AnyStep& s : plan(running, candidate)) out.push_back(to_text(s));
    return out;
}

TEST(Plan, IsEmptyWhenNothingChanged) {
    EXPECT_THAT(steps("bridge b { port p 1; port q; controller tcp:x; flow \"actions=drop\" }",
                      "# other words\nbridge b {\nflow \"actions=drop\"\nport q 2\n"
                      "controller tcp:x:6653\nport p 1\n}"),
                IsEmpty());
}

TEST(Plan, HoldsOnlyWhatChanged) {
    EXPECT_THAT(steps("bridge b { port p 1; port q 2; controller tcp:x }",
                      "bridge b { port p 1 { mtu 9000 }; port r 3; controller tcp:x "
                      "{ probe 1s } }"),
                ElementsAre("bridge b: delete port q (2)", "bridge b: change port p (1)",
                            "bridge b: add port r (3)", "bridge b: change controller tcp:x:6653"));
}

TEST(Plan, ReplacesAPortWhoseDeviceOrNumberChanged) {
    EXPECT_THAT(
        steps("bridge b { port p 1; port q 2 }", "bridge b { port p 1 { device tap }; port q 5 }"),
        ElementsAre("bridge b: delete port p (1)", "bridge b: delete port q (2)",
                    "bridge b: add port p (1)", "bridge b: add port q (5)"));
}

TEST(Plan, MakesAnewWhatCannotBeTakenBack) {
    EXPECT_THAT(steps("bridge b { port p 1 { force } }", "bridge b { port p 1 }"),
                ElementsAre("bridge b: delete port p (1)", "bridge b: add port p (1)"));
    EXPECT_THAT(steps("bridge b { port p 1 }", "bridge b { port p 1 { force } }"),
                ElementsAre("bridge b: change port p (1)"));
    const std::string with_mac = "bridge b { local { mac 02:00:00:00:00:01 } }";
    EXPECT_THAT(steps(with_mac, "bridge b { local }"),
                ElementsAre("bridge b: delete local interface", "bridge b: add local interface"));
    EXPECT_THAT(steps("bridge b { local }", with_mac),
                ElementsAre("bridge b: change local interface"));
}

TEST(Plan, CreatesABridgeBeforeWhatIsInItAndDeletesItWhole) {
    EXPECT_THAT(
        steps("bridge old { port p; flow \"actions=drop\" }",
              "bridge new { port q; local; listen tcp:127.0.0.1 }"),
        ElementsAre("delete bridge old", "add bridge new", "bridge new: add local interface",
                    "bridge new: add port q (1)", "bridge new: add listen tcp:127.0.0.1:6653"));
}

TEST(Plan, SayingTheDefaultFailModeChangesNothing) {
    EXPECT_THAT(
        steps("bridge b { controller tcp:x }", "bridge b { fail-mode secure; controller tcp:x }"),
        IsEmpty());
    EXPECT_THAT(steps("bridge b", "bridge b { controller tcp:x }"),
                ElementsAre("change bridge b", "bridge b: add controller tcp:x:6653"));
}

TEST(Plan, SaysWhatWaitsForARestart) {
    const std::vector<AnyStep> all =
        plan(Config(), check_text("agent { max-flows 2M }\ndataplane { memory 1G }\n"
                                  "log { level debug }")
                           .config);
    ASSERT_EQ(all.size(), 1u);
    const auto& settings = std::get<SettingsStep>(all[0]);
    EXPECT_THAT(settings.restart,
                ElementsAre(HasSubstr("agent max-flows: 1048576 -> 2000000 needs a new arena"),
                            HasSubstr("dataplane memory: by the number of ports -> 1G takes effect "
                                      "when the dataplane starts anew")));
}

std::vector<std::string> words(std::vector<std::string_view> path, std::string_view prefix) {
    std::vector<std::string> out;
    for (const Candidate& c : complete(path, prefix)) out.push_back(c.word);
    return out;
}

TEST(Complete, OffersWhatMayStandThere) {
    EXPECT_THAT(words({}, ""), ElementsAre("system", "log", "agent", "dataplane", "api", "define",
                                           "include", "bridge"));
    EXPECT_THAT(words({}, "b"), ElementsAre("bridge"));
    EXPECT_THAT(words({"bridge"}, ""), ElementsAre("<name>"));
    EXPECT_THAT(words({"bridge", "br0"}, "p"), ElementsAre("port"));
    EXPECT_THAT(words({"bridge", "br0", "port", "p1", "5"}, "mt"), ElementsAre("mtu"));
    EXPECT_THAT(words({"bridge", "br0", "port", "p1"}, "f"), ElementsAre("force"));
    EXPECT_THAT(words({"bridge", "br0", "fail-mode"}, "s"), ElementsAre("secure", "standalone"));
    EXPECT_THAT(words({"bridge", "br0", "port", "p", "device"}, "ta"), ElementsAre("tap"));
    EXPECT_THAT(words({"bridge", "br0", "port", "p", "mtu"}, ""), ElementsAre("<68..65535>"));
    EXPECT_THAT(words({"nowhere"}, ""), IsEmpty());
}

TEST(Complete, EveryRowHasHelpAndAValueText) {
    for (const Row& r : schema()) {
        EXPECT_FALSE(r.help.empty()) << r.path();
        if (r.type != Type::block && r.type != Type::flag) {
            EXPECT_FALSE(value_text(r).empty()) << r.path();
            EXPECT_FALSE(r.fallback.empty()) << r.path();
        }
    }
    const std::vector<std::string_view> path{"bridge", "port", "mtu"};
    EXPECT_EQ(help(path), "largest packet without Ethernet header");
}

}  // namespace
}  // namespace raicho::dsl
