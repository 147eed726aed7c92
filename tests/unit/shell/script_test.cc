// SPDX-License-Identifier: Apache-2.0
// Scripts, history and the way failures are shown.
#include "shell/script.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "shell/failure.h"
#include "shell/history.h"

namespace raicho::shell {
namespace {

struct Folder : testing::Test {
    std::string path;
    Folder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "script_test.XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~Folder() override { std::filesystem::remove_all(path); }
    std::string file(std::string_view content) const {
        std::ofstream(path + "/f", std::ios::binary) << content;
        return path + "/f";
    }
};
using Script = Folder;
using HistoryTest = Folder;

std::vector<std::string> all_lines(ScriptReader& script) {
    std::vector<std::string> lines;
    while (true) {
        auto line = script.next();
        if (!line) {
            lines.push_back("! " + line.error().text);
            return lines;
        }
        if (!*line) return lines;
        lines.push_back(std::move(**line));
    }
}

TEST_F(Script, LinesEndWithEitherEndOrNone) {
    auto script = ScriptReader::open(file("one\ntwo\r\n\nlast"));
    ASSERT_TRUE(script);
    EXPECT_EQ(all_lines(*script), (std::vector<std::string>{"one", "two", "", "last"}));
    EXPECT_EQ(script->line_number(), 4u);
}

TEST_F(Script, ALineOf200KilobytesIsFine) {
    const std::string line(200'000, 'x');
    auto script = ScriptReader::open(file(line + "\nend\n"));
    ASSERT_TRUE(script);
    EXPECT_EQ(all_lines(*script), (std::vector<std::string>{line, "end"}));
}

TEST_F(Script, AByteThatIsNoUtf8IsNamedNotDropped) {
    const std::string name = file("good \xc3\xa4\nbad \xff here\n");
    auto script = ScriptReader::open(name);
    ASSERT_TRUE(script);
    EXPECT_EQ(
        all_lines(*script),
        (std::vector<std::string>{"good \xc3\xa4", "! " + name + ":2:5: byte 0xff is no UTF-8"}));
}

TEST_F(Script, AMissingFileIsAnError) {
    const auto script = ScriptReader::open(path + "/none");
    ASSERT_FALSE(script);
    EXPECT_NE(script.error().text.find("No such file"), std::string::npos);
}

TEST_F(HistoryTest, LinesAreAppendedForTheirOwnerOnly) {
    const std::string name = path + "/history";
    const HistoryFile first(name);
    const HistoryFile second(name);
    first.append("one");
    second.append("two");
    first.append("three");
    EXPECT_EQ(second.load(), (std::vector<std::string>{"one", "two", "three"}));
    struct stat status{};
    ASSERT_EQ(::stat(name.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(HistoryTest, AFileThatHasGrownIsCut) {
    const std::string name = path + "/history";
    std::ofstream file(name);
    for (int i = 0; i < 5000; ++i) file << "line " << i << "\n";
    file.close();
    const HistoryFile history(name);
    const auto lines = history.load();
    ASSERT_EQ(lines.size(), HistoryFile::kMaxLines);
    EXPECT_EQ(lines.front(), "line 4000");
    EXPECT_EQ(lines.back(), "line 4999");
    EXPECT_LT(std::filesystem::file_size(name), 20'000u);
}

TEST_F(HistoryTest, WithoutAPathNothingIsKept) {
    const HistoryFile none("");
    none.append("x");
    EXPECT_TRUE(none.load().empty());
}

TEST(FailureText, ACaretStandsUnderTheWrongWord) {
    const Failure failure{
        ExitCode::usage, "unknown word \"brige\"", "did you mean \"bridge\"?", 5, 10, {}};
    EXPECT_EQ(failure_text(failure, "show brige x", {}, Colours::off),
              "error: unknown word \"brige\"\n"
              "  show brige x\n"
              "       ^^^^^\n"
              "help: did you mean \"bridge\"?\n");
    EXPECT_EQ(failure_text(failure, "show brige x", {"a.txt", 3}, Colours::off)
                  .starts_with("a.txt:3:6: error: unknown word"),
              true);
}

TEST(FailureText, TheCaretFindsItsPlaceBehindWideCharactersAndTabs) {
    const std::string line = "日\tx";
    const Failure failure{ExitCode::usage, "wrong", {}, 4, 5, {}};
    EXPECT_EQ(failure_text(failure, line, {}, Colours::off), "error: wrong\n  日 x\n     ^\n");
}

TEST(FailureText, APlaceBehindTheEndIsMarkedToo) {
    const Failure failure{ExitCode::usage, "incomplete", {}, 8, 9, {}};
    EXPECT_EQ(failure_text(failure, "add port", {}, Colours::off),
              "error: incomplete\n  add port\n          ^\n");
}

TEST(FailureText, AnInterruptSaysNothing) {
    EXPECT_EQ(failure_text({ExitCode::interrupted, "interrupted"}, "x", {}, Colours::off), "");
}

}  // namespace
}  // namespace raicho::shell
