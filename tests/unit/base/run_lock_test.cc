// SPDX-License-Identifier: Apache-2.0
#include "base/run_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "base/text.h"
#include "tests/unit/scratch_folder.h"

namespace raicho {
namespace {

class RunLockTest : public testing::Test {
  protected:
    test::ScratchFolder folder;
    std::string file = folder.path() + "/agent.pid";
};

TEST_F(RunLockTest, ASecondOneIsRefusedWithThePidOfTheFirst) {
    const auto first = RunLock::take(folder.path(), "agent");
    ASSERT_TRUE(first) << first.error().text;
    const auto second = RunLock::take(folder.path(), "agent");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().text, format("run directory \"{}\": another agent runs there (pid {})",
                                          folder.path(), ::getpid()));
    EXPECT_TRUE(RunLock::take(folder.path(), "dataplane")) << "of another kind there may be one";
}

TEST_F(RunLockTest, TheFileGoesWithTheLock) {
    std::optional<RunLock> lock;
    {
        auto taken = RunLock::take(folder.path(), "agent");
        ASSERT_TRUE(taken);
        lock.emplace(std::move(*taken));
    }
    EXPECT_TRUE(std::filesystem::exists(file)) << "it was moved, not given up";
    lock.reset();
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(RunLockTest, WhatAKilledProcessLeftIsTakenOver) {
    std::ofstream(file) << "123456789\n";
    const auto lock = RunLock::take(folder.path(), "agent");
    ASSERT_TRUE(lock) << lock.error().text;
    std::ifstream in(file);
    pid_t pid = 0;
    in >> pid;
    EXPECT_EQ(pid, ::getpid());
}

TEST_F(RunLockTest, AFolderThatIsNotThereIsNamed) {
    const auto lock = RunLock::take(folder.path() + "/none", "agent");
    ASSERT_FALSE(lock);
    EXPECT_NE(lock.error().text.find("/none/agent.pid"), std::string::npos);
}

}  // namespace
}  // namespace raicho
