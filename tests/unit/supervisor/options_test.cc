// SPDX-License-Identifier: Apache-2.0
#include "supervisor/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace raicho::supervisor {
namespace {

Result<Options> parse(std::vector<std::string> words, const char* env = nullptr) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    return parse_options(pointers, env);
}

TEST(SupervisorOptions, RunTakesFileAndRundirAsAbsolutePaths) {
    const auto options = parse({"run", "-C", "/etc/x.conf", "--rundir=/tmp/a/../b"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->command, Command::run);
    EXPECT_EQ(options->config_file, "/etc/x.conf");
    EXPECT_EQ(options->rundir, "/tmp/b");
}

TEST(SupervisorOptions, RundirComesFromTheEnvironmentElseTheDefault) {
    EXPECT_EQ(parse({"run"}, "/tmp/env")->rundir, "/tmp/env");
    EXPECT_EQ(parse({"run"}, "")->rundir, "/run/raicho");
}

TEST(SupervisorOptions, MistakesNameTheWordAndTheRemedy) {
    const auto typo = parse({"run", "--rundirr", "x"});
    ASSERT_FALSE(typo);
    EXPECT_EQ(typo.error().text, "unknown option \"--rundirr\"");
    EXPECT_EQ(typo.error().hint, "did you mean --rundir?");
    EXPECT_EQ(parse({"run", "-C"}).error().text, "option -C needs a value");
    EXPECT_EQ(parse({"start"}).error().text, "unknown command \"start\"");
    EXPECT_FALSE(parse({"-C", "x"}));
}

}  // namespace
}  // namespace raicho::supervisor
