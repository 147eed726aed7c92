// SPDX-License-Identifier: Apache-2.0
// One program of a kind per run directory: a lock on `<rundir>/<program>.pid`, which holds the pid.
// The lock goes with the process, however it ends.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/handle.h"

namespace raicho {

/// Whether the open file or folder still has the name: somebody may have removed it meanwhile, and
/// made another. False when it is not open.
[[nodiscard]] bool has_name(const Fd& file, const std::string& path);

class RunLock {
  public:
    /// Errors: the file cannot be written; another process has the lock (named by its pid).
    [[nodiscard]] static Result<RunLock> take(const std::string& rundir, std::string_view program);
    RunLock(RunLock&&) noexcept = default;
    RunLock& operator=(RunLock&&) = delete;
    /// Removes the file, unless another one has its name by now.
    ~RunLock();

  private:
    RunLock(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

    Fd fd_;
    std::string path_;
};

}  // namespace raicho
