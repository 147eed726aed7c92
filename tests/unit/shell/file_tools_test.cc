// SPDX-License-Identifier: Apache-2.0
// lagosh's tools for files: options, outputs, exit codes, and the lints that need flows.
#include "shell/file_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "shell/text_diff.h"

namespace raicho::shell {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A directory of files that goes with the test.
class Files : public testing::Test {
  protected:
    Files() { std::filesystem::create_directories(path_); }
    ~Files() override { std::filesystem::remove_all(path_); }
    std::string file(const std::string& name, const std::string& text) {
        std::ofstream(path_ / name) << text;
        return path_ / name;
    }
    static std::string text(const std::string& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::string checked(const std::string& text) {
        const ToolResult r = run_file_tool({"check", file("c.conf", text)});
        return r.out + r.err;
    }

  private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() /
        ("raicho-tools-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Files, CheckReportsFindingsAndCode) {
    const std::string good = file("good.conf", "bridge b { port p }\n");
    const std::string bad = file("bad.conf", "bridge b {\n    prot p\n}\n");
    EXPECT_EQ(run_file_tool({"check", good}).out, good + ": good, 1 bridge, 1 port\n");
    const ToolResult r = run_file_tool({"check", good, bad});
    EXPECT_EQ(r.code, ExitCode::refused);
    EXPECT_THAT(r.err, HasSubstr(bad + ":2:5: error: unknown statement \"prot\""));
    const ToolResult json = run_file_tool({"check", "--format", "json", bad});
    EXPECT_THAT(json.out, HasSubstr(R"("line": 2, "column": 5, "length": 4)"));
    EXPECT_THAT(json.out, HasSubstr(R"("help": "did you mean \"port\"?")"));
    EXPECT_EQ(run_file_tool({"check", "-j", good}).out, "[]\n");
}

TEST_F(Files, CheckFindsFlowsThatAreNeverReached) {
    EXPECT_THAT(checked("bridge b { port p; flow \"priority=9,ip actions=NORMAL\"\n"
                        "flow \"priority=8,ip,nw_dst=10.0.0.0/8 actions=drop\" }"),
                HasSubstr("2:1: warning: this flow is never reached: a flow of priority 9"));
    EXPECT_THAT(
        checked("bridge b { port p; flow \"priority=9,ip,nw_dst=10.0.0.0/24 "
                "actions=NORMAL\"\nflow \"priority=8,ip,nw_dst=10.0.0.0/8 actions=drop\" }"),
        Not(HasSubstr("never reached")));
    EXPECT_THAT(checked("bridge b { port p; flow \"priority=9,ip actions=NORMAL\"\n"
                        "flow x { priority 9; match ip; actions drop } }"),
                HasSubstr("flow \"x\" replaces one of the same table"));
}

TEST_F(Files, CheckFollowsJumps) {
    EXPECT_THAT(checked("bridge b { flow \"table=3,arp actions=drop\" }"),
                HasSubstr("no flow leads to table 3"));
    EXPECT_THAT(checked("bridge b { flow \"table=3,arp actions=drop\"\n"
                        "flow \"arp actions=goto_table:3\" }"),
                Not(HasSubstr("leads to")));
    EXPECT_THAT(checked("bridge b { controller tcp:x; flow \"table=3,arp actions=drop\" }"),
                Not(HasSubstr("leads to")));
}

TEST_F(Files, CheckMissesTheTableMissEntry) {
    EXPECT_THAT(checked("bridge b { controller tcp:x; flow \"arp actions=drop\" }"),
                HasSubstr("has no table-miss entry"));
    EXPECT_THAT(checked("bridge b { controller tcp:x; flow \"arp actions=drop\"\n"
                        "flow \"priority=0 actions=CONTROLLER\" }"),
                Not(HasSubstr("table-miss")));
}

TEST_F(Files, CheckFindsUnusedPortsAndUnequalMtus) {
    EXPECT_THAT(checked("bridge b { fail-mode secure; port p 1; port q 2; port r 3\n"
                        "flow \"in_port=p actions=output:2\" }"),
                HasSubstr("port \"r\" is in no flow"));
    EXPECT_THAT(checked("bridge b { port p { mtu 1500 }; port q { mtu 9000 } }"),
                HasSubstr("port \"p\" has mtu 1500 and port \"q\" mtu 9000"));
}

TEST_F(Files, FmtShowsWritesAndCompares) {
    const std::string ragged = file("r.conf", "bridge b{port p # x\n}");
    const std::string laid_out = "bridge b {\n    port p      # x\n}\n";
    EXPECT_EQ(run_file_tool({"fmt", ragged}).out, laid_out);
    const ToolResult d = run_file_tool({"fmt", "-d", ragged});
    EXPECT_EQ(d.code, ExitCode::failed);
    EXPECT_THAT(d.out, HasSubstr("-bridge b{port p # x\n"));
    EXPECT_EQ(run_file_tool({"fmt", "-w", ragged}).code, ExitCode::ok);
    EXPECT_EQ(text(ragged), laid_out);
    EXPECT_EQ(run_file_tool({"fmt", "-d", ragged}).code, ExitCode::ok);
    EXPECT_EQ(run_file_tool({"fmt", file("b.conf", "bridge b {")}).code, ExitCode::refused);
}

TEST_F(Files, ConvertGoesThereAndBack) {
    const std::string conf = file("c.conf", "bridge b {\n    port p 1\n}\n");
    const ToolResult set = run_file_tool({"convert", "--to", "set", conf});
    EXPECT_EQ(set.out, "set bridge b port p number 1\n");
    EXPECT_EQ(run_file_tool({"convert", "--to=conf", file("s.set", set.out)}).out, text(conf));
    EXPECT_EQ(run_file_tool({"convert", conf}).code, ExitCode::usage);
}

TEST_F(Files, DiffIsAboutMeaning) {
    const std::string a = file("a.conf", "define x 9000\nbridge b { port p { mtu $x } }\n");
    const std::string b = file("b.conf", "bridge b { port p { mtu 9k } } # same\n");
    const std::string c = file("c.conf", "bridge b { port p }\n");
    EXPECT_EQ(run_file_tool({"diff", a, b}).out, "");
    EXPECT_EQ(run_file_tool({"diff", a, b}).code, ExitCode::ok);
    EXPECT_EQ(run_file_tool({"diff", a, c}).out, "[edit bridge b port p]\n-  mtu 9000\n");
    EXPECT_EQ(run_file_tool({"diff", a, c}).code, ExitCode::failed);
}

TEST(FileTools, SayHowTheyAreUsed) {
    EXPECT_TRUE(is_file_tool({"fmt"}));
    EXPECT_FALSE(is_file_tool({"show"}));
    EXPECT_EQ(run_file_tool({"fmt"}).code, ExitCode::usage);
    EXPECT_THAT(run_file_tool({"fmt", "--wat", "x"}).err, HasSubstr("unknown option --wat"));
    EXPECT_EQ(run_file_tool({"check", "/nowhere.conf"}).code, ExitCode::refused);
    EXPECT_THAT(run_file_tool({"schema"}).out, HasSubstr("json-schema.org"));
    EXPECT_THAT(run_file_tool({"schema", "--markdown"}).out, HasSubstr("## In `bridge port`"));
}

TEST(TextDiff, IsUnified) {
    EXPECT_EQ(text_diff("a\nb\n", "a\nb\n", "x", "y"), "");
    EXPECT_EQ(text_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x", "y"),
              "--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    EXPECT_EQ(text_diff("a\n", "a\nb\n", "x", "y"), "--- x\n+++ y\n@@ -1,1 +1,2 @@\n a\n+b\n");
}

}  // namespace
}  // namespace raicho::shell
