// SPDX-License-Identifier: Apache-2.0
// One agent per run directory: a lock on `<rundir>/agent.pid`, which holds the pid.
#pragma once

#include <string>

#include "base/error.h"
#include "base/handle.h"

namespace raicho::agent {

class RunLock {
  public:
    /// An error names the process that has it.
    [[nodiscard]] static Result<RunLock> take(const std::string& rundir);
    RunLock(RunLock&&) noexcept = default;
    RunLock& operator=(RunLock&&) = delete;
    /// Removes the file.
    ~RunLock();

  private:
    RunLock(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

    Fd fd_;
    std::string path_;
};

}  // namespace raicho::agent
