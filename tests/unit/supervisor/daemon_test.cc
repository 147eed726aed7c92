// SPDX-License-Identifier: Apache-2.0
#include "supervisor/daemon.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace raicho::supervisor {
namespace {

int wait_for(pid_t pid) {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return status;
}

TEST(Daemon, IsStartedAgainAtOnceWhenItLivedAndLaterWhenItDidNot) {
    Daemon daemon({"sleep", "/bin/sleep", {"60"}, std::nullopt});
    const auto start = Clock::now();
    ASSERT_TRUE(daemon.start(start));
    EXPECT_FALSE(daemon.due());
    daemon.signal(SIGKILL);
    const int status = wait_for(daemon.pid());
    EXPECT_FALSE(is_final(status));
    EXPECT_FALSE(failed(status));
    daemon.died(status, start + std::chrono::seconds(5));
    EXPECT_FALSE(daemon.running());
    EXPECT_EQ(daemon.due(), start + std::chrono::seconds(5));
    ASSERT_TRUE(daemon.start(start + std::chrono::seconds(5)));
    daemon.signal(SIGABRT);
    daemon.died(wait_for(daemon.pid()), start + std::chrono::seconds(5));
    EXPECT_GT(*daemon.due(), start + std::chrono::seconds(5));
    ASSERT_TRUE(daemon.start(start + std::chrono::seconds(6)));
    daemon.signal(SIGKILL);  // from outside: no loop
    daemon.died(wait_for(daemon.pid()), start + std::chrono::seconds(6));
    EXPECT_EQ(daemon.due(), start + std::chrono::seconds(6));
}

TEST(Daemon, WrongUsageIsFinalAndARefusedConfigurationAFailure) {
    Daemon usage({"sh", "/bin/sh", {"-c", "exit 2"}, std::nullopt});
    ASSERT_TRUE(usage.start(Clock::now()));
    EXPECT_TRUE(is_final(wait_for(usage.pid())));
    Daemon refused({"sh", "/bin/sh", {"-c", "exit 4"}, std::nullopt});
    ASSERT_TRUE(refused.start(Clock::now()));
    const int status = wait_for(refused.pid());
    EXPECT_FALSE(is_final(status));
    EXPECT_TRUE(failed(status));
    Daemon missing({"nothing", "/nonexistent/nothing", {}, std::nullopt});
    ASSERT_TRUE(missing.start(Clock::now()));
    EXPECT_TRUE(is_final(wait_for(missing.pid())));
}

TEST(Daemon, RestartDelayGrowsToTwoSeconds) {
    EXPECT_EQ(restart_delay(0).count(), 0);
    EXPECT_EQ(restart_delay(1).count(), 100);
    EXPECT_EQ(restart_delay(3).count(), 400);
    EXPECT_EQ(restart_delay(50).count(), 2000);
}

}  // namespace
}  // namespace raicho::supervisor
