// SPDX-License-Identifier: Apache-2.0
// One child of the supervisor: started, watched, started again when it dies.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "supervisor/rundir.h"

namespace raicho::supervisor {

using Clock = std::chrono::steady_clock;

/// What a child is and how it is started.
struct DaemonSpec {
    std::string name;     // raicho-agent
    std::string program;  // absolute path
    std::vector<std::string> arguments;
    std::optional<Account> account;  // dropped to before exec
};

/// Whether it ended by itself with an error, rather than by a signal.
[[nodiscard]] bool failed(int wait_status);
/// `exited with 1`, `killed by signal 9 (Killed)`.
[[nodiscard]] std::string status_text(int wait_status);
/// Whether starting again cannot cure it: wrong usage, or the program is not there.
[[nodiscard]] bool is_final(int wait_status);

/// Waiting time before the next start after `quick_deaths` deaths in a row, each of itself and
/// within a second of a start.
[[nodiscard]] std::chrono::milliseconds restart_delay(unsigned quick_deaths);

class Daemon {
  public:
    explicit Daemon(DaemonSpec spec) : spec_(std::move(spec)) {}

    [[nodiscard]] const std::string& name() const { return spec_.name; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] bool running() const { return pid_ > 0; }

    /// Forks and executes; the child gets SIGTERM when this process dies.
    [[nodiscard]] Result<void> start(Clock::time_point now);
    /// Takes the result of waitpid for our pid and plans the next start, in so long; `due()` is
    /// then.
    std::chrono::milliseconds died(int wait_status, Clock::time_point now);
    /// When to start again; nothing while it runs.
    [[nodiscard]] std::optional<Clock::time_point> due() const { return due_; }
    void signal(int number) const;
    /// From the next start on (the agent takes the file only once: then running.conf holds).
    void set_arguments(std::vector<std::string> arguments) {
        spec_.arguments = std::move(arguments);
    }

  private:
    DaemonSpec spec_;
    pid_t pid_ = -1;
    Clock::time_point started_{};
    std::optional<Clock::time_point> due_;
    unsigned quick_deaths_ = 0;
};

}  // namespace raicho::supervisor
