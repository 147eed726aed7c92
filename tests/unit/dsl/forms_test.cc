// SPDX-License-Identifier: Apache-2.0
// The three forms, the layout, and what two texts say differently.
#include "dsl/edit/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "dsl/edit/compare.h"
#include "dsl/edit/load.h"
#include "dsl/model/print.h"
#include "tests/unit/dsl/fixture.h"

namespace raicho::dsl {
namespace {

using testing::HasSubstr;

std::string to(Form form, std::string_view text, Form from = Form::conf) {
    const auto result = convert(text, "t.conf", from, form);
    return result ? *result : "refused: " + result.error().rendered;
}
std::string formatted(std::string_view text) {
    const auto result = fmt(text, "t.conf");
    return result ? *result : "refused: " + result.error().rendered;
}

constexpr std::string_view kLab = R"(define up eth7
include ports.d/*.conf

bridge br0 {
    dpid 0x1
    local {
        address 192.168.2.99/24
        address 2001:db8::1/64
        inactive mtu 1400
    }
    port p1 1 {
        device pcap rx /tmp/a tx "/tmp/b c"
        description "a \"b\" $$5"
    }
    inactive port p2 {
        device af-packet $up
        admin down
    }
    controller tcp:10.9.0.1:6653 {
        probe 500ms
    }
    inactive flow "priority=1 actions=drop"
    flow arp {
        priority 10
        flags [ send_flow_rem no_packet_counts ]
        match arp,in_port=p1
        actions CONTROLLER
    }
}
)";

TEST(Convert, CanonicalTextIsAFixedPoint) {
    EXPECT_EQ(to(Form::conf, kLab), kLab);
}

TEST(Convert, ThereAndBackIsTheIdentity) {
    for (const Form form : {Form::set, Form::json}) {
        const std::string there = to(form, kLab);
        EXPECT_EQ(to(Form::conf, there, form), kLab) << there;
        EXPECT_EQ(to(form, to(Form::conf, there, form)), there);
    }
}

TEST(Convert, SetFormIsOneCommandAStatement) {
    EXPECT_EQ(to(Form::set, "bridge b { port p 1 { mtu 9k; force }; inactive port q }"),
              "set bridge b port p number 1\nset bridge b port p mtu 9000\n"
              "set bridge b port p force\nset bridge b port q\ndeactivate bridge b port q\n");
}

TEST(Convert, JsonIsKeyedByName) {
    EXPECT_EQ(to(Form::json, "bridge b { port p 1 { mtu 9k; force } }"), R"({
  "bridge": {
    "b": {
      "port": {
        "p": {
          "number": 1,
          "mtu": 9000,
          "force": true
        }
      }
    }
  }
}
)");
}

TEST(Convert, AFlowBlockIsItsWords) {
    EXPECT_EQ(
        to(Form::conf,
           "bridge b { flow f { match { nw_dst 10.0.0.1 # host\n }; actions { output 1 } } }"),
        "bridge b {\n    flow f {\n        # host\n        match ip,nw_dst=10.0.0.1\n"
        "        actions output:1\n    }\n}\n");
    EXPECT_EQ(to(Form::set, "bridge b { flow f { match { }; actions drop } }"),
              "set bridge b flow f actions drop\n");
}

TEST(Convert, KeepsCommentsOfBlocksThatClose) {
    EXPECT_EQ(to(Form::conf, "bridge b {\n    port p 1 { # up\n    }\n}"),
              "bridge b {\n    port p 1   # up\n}\n");
}

TEST(Convert, ReferencesTravelAsTheyAre) {
    constexpr std::string_view text =
        "define a [ 2 3 ]\ndataplane {\n    cores [ $a 4 ]\n    memory $m\n}\n\n"
        "bridge b {\n    port p {\n        description $$x\n    }\n}\n";
    EXPECT_EQ(to(Form::conf,
                 "bridge b { port p { description '$x' } }\ndataplane { cores $a 4; memory $m }\n"
                 "define a [ 2 3 ]"),
              "dataplane {\n    cores [ $a 4 ]\n    memory $m\n}\n" +
                  std::string(text.substr(0, 17)) +
                  std::string(text.substr(text.find("\nbridge"))));
    for (const Form form : {Form::set, Form::json})
        EXPECT_EQ(to(form, to(Form::conf, to(form, text), form)), to(form, text));
}

TEST(Convert, JudgesWhatStandsTwice) {
    EXPECT_THAT(to(Form::conf, "bridge b { port p 1 { number 2 } }"),
                HasSubstr("number is given twice"));
    EXPECT_THAT(to(Form::conf, "bridge b { flow f { flags [ send_flow_rem send_flow_rem ] } }"),
                HasSubstr("named twice"));
    EXPECT_THAT(to(Form::conf, "bridge b { port p { mtu $a $b } }"),
                HasSubstr("unexpected \"$b\""));
}

TEST(Convert, RefusesJsonThatNoTextCanHold) {
    EXPECT_THAT(to(Form::conf, R"({"bridge": {"b": {"port": {"p": {"description": "\u0007"}}}}})",
                   Form::json),
                HasSubstr("control character"));
}

TEST(Convert, RefusesWhatCannotBeWithItsPlace) {
    EXPECT_THAT(to(Form::set, "bridge b {\n  mtu 1\n}"), HasSubstr("t.conf:2:3: error: unknown"));
    EXPECT_THAT(to(Form::conf, R"({"bridge": {"b": {"dpid": true}}})", Form::json),
                HasSubstr("t.conf:1:27: error: dpid is no flag"));
    EXPECT_THAT(to(Form::conf, R"({"bridge": )", Form::json), HasSubstr("JSON value expected"));
    EXPECT_THAT(to(Form::conf, "set bridge b mtu 1\n", Form::set), HasSubstr("t.conf:1:14: error"));
    EXPECT_THAT(to(Form::conf, "bridge b { dpid 1; dpid 2 }"), HasSubstr("first given at"));
}

TEST(Convert, AgreesWithWhatTheConfigurationPrints) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(RAICHO_SOURCE_DIR) + "/conf")) {
        if (entry.path().extension() != ".conf") continue;
        const std::string text = read_text(entry.path());
        const std::string set = to(Form::set, text);
        const std::string json = to(Form::json, text);
        const std::string printed = print(check_text(text).config);
        EXPECT_EQ(print(check_text(to(Form::conf, text)).config), printed) << entry.path();
        EXPECT_EQ(print(check_text(to(Form::conf, set, Form::set)).config), printed);
        EXPECT_EQ(print(check_text(to(Form::conf, json, Form::json)).config), printed);
        EXPECT_EQ(guess_form(text), Form::conf);
        EXPECT_EQ(guess_form(set), Form::set);
        EXPECT_EQ(guess_form(json), Form::json);
    }
}

TEST(Fmt, ChangesNothingOfTheFilesThatShip) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(RAICHO_SOURCE_DIR) + "/conf")) {
        if (entry.path().extension() != ".conf") continue;
        const std::string text = read_text(entry.path());
        EXPECT_EQ(formatted(text), text) << entry.path();
    }
}

TEST(Fmt, LaysOutAndKeepsEveryComment) {
    EXPECT_EQ(
        formatted("#a\n\n\n  bridge  b{ # b\n#c\nport p{mtu 9;admin up}; /* d */\n\n\nport q\n"
                  "# e\n}  #f\n# g"),
        "#a\n\nbridge b {   # b\n    #c\n    port p { mtu 9; admin up } /* d */\n\n"
        "    port q\n    # e\n}  #f\n# g\n");
}

TEST(Fmt, KeepsOneLineBlocksWhileTheyFit) {
    EXPECT_EQ(formatted("log{level info}"), "log { level info }\n");
    EXPECT_EQ(formatted("log{level info\n}"), "log {\n    level info\n}\n");
    const std::string wide(90, 'x');
    EXPECT_EQ(formatted("log { file /" + wide + "; level info }"),
              "log {\n    file /" + wide + "\n    level info\n}\n");
}

TEST(Fmt, BreaksListsThatAreTooWide) {
    std::string list = "bridge b { controller [";
    for (int i = 0; i < 8; ++i) list += " tcp:controller-" + std::to_string(i) + ".example:6653";
    const std::string once = formatted(list + " ] }");
    EXPECT_THAT(once, HasSubstr("controller [\n        tcp:controller-0.example:6653"));
    EXPECT_EQ(formatted(once), once);
}

TEST(Fmt, KeepsValuesAsTheyAreWritten) {
    EXPECT_EQ(formatted("x 'a b' \"c\" 0x10 9k [a b]"), "x 'a b' \"c\" 0x10 9k [ a b ]\n");
}

TEST(Fmt, RefusesFaultsOfSyntaxOnly) {
    EXPECT_THAT(formatted("bridge b {"), HasSubstr("block is not closed"));
    EXPECT_EQ(formatted("anything goes"), "anything goes\n");
}

TEST(Subtree, ShowsWhatStandsAtAPath) {
    const auto show = [](std::string_view path, Form form = Form::conf) {
        const auto result = subtree(kLab, path, form);
        return result ? *result : result.error().rendered;
    };
    EXPECT_EQ(show("bridge br0 port p2"), "device af-packet $up\nadmin down\n");
    EXPECT_EQ(show("bridge br0 dpid"), "dpid 0x1\n");
    EXPECT_EQ(show("bridge br0 port p9"), "");
    EXPECT_THAT(show("bridge br0 port"), HasSubstr("port p1 1 {"));
    EXPECT_EQ(show("bridge br0 local", Form::set),
              "set bridge br0 local address 192.168.2.99/24\n"
              "set bridge br0 local address 2001:db8::1/64\nset bridge br0 local mtu 1400\n"
              "deactivate bridge br0 local mtu\n");
    EXPECT_THAT(show("bridge br0 prot"), HasSubstr("did you mean \"port\"?"));
}

std::string diff(std::string_view a, std::string_view b) {
    const auto result = compare(a, b);
    return result ? *result : "refused: " + result.error().rendered;
}

TEST(Compare, IsGroupedByLevel) {
    EXPECT_EQ(diff("bridge b { port p1 1 { mtu 1500 }; port p2 }\nlog { level info }",
                   "bridge b { port p1 2 { mtu 9000 }; port p3 3 { device tap } }"),
              "[edit]\n-  log {\n-      level info\n-  }\n"
              "[edit bridge b]\n-  port p2\n+  port p3 3 {\n+      device tap\n+  }\n"
              "[edit bridge b port p1]\n-  number 1\n+  number 2\n-  mtu 1500\n+  mtu 9000\n");
}

TEST(Compare, SeesNoDifferenceInOrderLayoutAndSpelling) {
    EXPECT_EQ(diff("bridge b { port p { mtu 9k }; port q; controller [ tcp:a tcp:b ] }",
                   "# x\nbridge b {\ncontroller tcp:b\ncontroller tcp:a:6653\nport q\n"
                   "port p { mtu 9000 }\n}"),
              "");
}

TEST(Compare, SaysWhatIsOutOfForce) {
    EXPECT_EQ(diff("bridge b { port p }", "bridge b { inactive port p }"),
              "[edit bridge b]\n!  inactive: port p\n");
    EXPECT_EQ(diff("bridge b { inactive dpid 1 }", "bridge b { dpid 2 }"),
              "[edit bridge b]\n!  active: dpid\n-  inactive dpid 0x1\n+  dpid 0x2\n");
}

TEST(Differences, AreValuesAtPaths) {
    const auto d = differences("bridge b { port p { mtu 1500 } }",
                               "bridge b { port p { mtu 9k }; flow \"actions=drop\" }");
    ASSERT_TRUE(d);
    EXPECT_EQ(*d, (std::vector<Difference>{{"bridge b flow \"actions=drop\"", "", "{ }"},
                                           {"bridge b port p mtu", "1500", "9000"}}));
}

TEST(MergeChanges, TakesBothSidesChanges) {
    const auto m = merge_changes("bridge b { port p { mtu 1500 }; port q }",
                                 "bridge b { port p { mtu 9000 }; port q; port mine }",
                                 "bridge b { port p { mtu 1500; admin down }; port theirs }");
    ASSERT_TRUE(m);
    EXPECT_TRUE(m->conflicts.empty());
    EXPECT_EQ(m->text,
              "bridge b {\n    port mine\n    port p {\n        mtu 9000\n        admin down\n"
              "    }\n    port theirs\n}\n");
}

TEST(MergeChanges, ReportsWhatBothChanged) {
    const auto m = merge_changes("bridge b { port p { mtu 1500 }; port q }",
                                 "bridge b { port p { mtu 9000 } }",
                                 "bridge b { port p { mtu 4000 }; port q { mtu 1 } }");
    EXPECT_FALSE(m);  // mtu 1 cannot be
    const auto n = merge_changes("bridge b { port p { mtu 1500 }; port q }",
                                 "bridge b { port p { mtu 9000 } }",
                                 "bridge b { port p { mtu 4000 }; port q { mtu 100 } }");
    ASSERT_TRUE(n);
    EXPECT_EQ(n->conflicts,
              (std::vector<Difference>{{"bridge b port p mtu", "4000", "9000"},
                                       {"bridge b port q", "{\n    mtu 100\n}", ""}}));
}

std::string loaded(std::string_view base, LoadMode mode, std::string_view text,
                   std::string_view at = "") {
    const auto result = load(base, mode, text, "t.conf", at);
    return result ? *result : "refused: " + result.error().rendered;
}

TEST(Load, MergeJoinsObjectsAndReplacesSettings) {
    EXPECT_EQ(loaded("bridge b {\n    port p { mtu 1500 }\n}\n", LoadMode::merge,
                     "bridge b { port p 3 { mtu 9000; force }; port q }\nbridge c"),
              "bridge b {\n    port p 3 {\n        mtu 9000\n        force\n    }\n    port q\n}\n"
              "bridge c\n");
}

TEST(Load, ReplaceTakesObjectsWhole) {
    EXPECT_EQ(loaded("bridge b { port p }\nbridge c { port r }\n", LoadMode::replace,
                     "bridge b { port q }"),
              "bridge c { port r }\nbridge b { port q }\n");
}

TEST(Load, OverrideTakesTheTextForEverything) {
    EXPECT_EQ(loaded("bridge b { port p }\n", LoadMode::override_all, "# mine\nbridge c\n"),
              "# mine\nbridge c\n");
}

TEST(Load, TakesEveryForm) {
    EXPECT_EQ(loaded("", LoadMode::merge, "set bridge b port p 1\n"),
              "bridge b {\n    port p 1\n}\n");
    EXPECT_EQ(loaded("", LoadMode::set, "set bridge b port p 1\ndelete bridge b port p\n"),
              "bridge b {\n}\n");
    EXPECT_THAT(loaded("", LoadMode::merge, R"({"bridge": {"b": {"port": {"p": {}}}}})"),
                HasSubstr("bridge b {\n    port p\n}"));
}

TEST(Load, IsRelativeToALevel) {
    EXPECT_EQ(loaded("bridge b { port p { mtu 1500 } }", LoadMode::merge, "admin down",
                     "bridge b port p"),
              "bridge b {\n    port p {\n        mtu 1500\n        admin down\n    }\n}\n");
    EXPECT_THAT(loaded("", LoadMode::merge, "mtu 1500", "bridge b"), HasSubstr("t.conf:1:1"));
}

TEST(Load, RefusesFaultsWithTheirPlace) {
    EXPECT_THAT(loaded("bridge b", LoadMode::merge, "bridge b { mtu 3 }"),
                HasSubstr("t.conf:1:12: error"));
}

}  // namespace
}  // namespace raicho::dsl
