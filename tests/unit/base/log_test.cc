// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

namespace raicho {
namespace {

TEST(KeptLog, TheLastLinesAreRememberedWithNumbersAndWhatIsForgottenIsCounted) {
    const std::string file =
        std::filesystem::temp_directory_path() / ("log_test." + std::to_string(::getpid()));
    ASSERT_TRUE(open_log({.program = "log_test", .file = file}));
    const std::uint64_t before = kept_log(0, LogLevel::debug, 1).last;
    detail::log_write(LogLevel::warning, "test", "first", 0);
    detail::log_write(LogLevel::info, "test", "second", 0);
    const KeptLog both = kept_log(before, LogLevel::debug, 10);
    ASSERT_EQ(both.lines.size(), 2u);
    EXPECT_EQ(both.lines[0].text, "first");
    EXPECT_EQ(both.lines[1].number, before + 2);
    EXPECT_EQ(both.last, before + 2);
    EXPECT_EQ(kept_log(before, LogLevel::warning, 10).lines.size(), 1u);
    EXPECT_EQ(kept_log(before, LogLevel::debug, 1).lines.front().text, "second");
    EXPECT_TRUE(kept_log(both.last, LogLevel::debug, 10).lines.empty());
    for (std::size_t i = 0; i < kKeptLogLines + 5; ++i)
        detail::log_write(LogLevel::info, "test", "more", 0);
    const KeptLog later = kept_log(both.last, LogLevel::debug, kKeptLogLines * 2);
    EXPECT_EQ(later.lines.size(), kKeptLogLines);
    EXPECT_EQ(later.lost, 5u);
    ASSERT_TRUE(open_log({.program = "log_test"}));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace raicho
