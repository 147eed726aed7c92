// SPDX-License-Identifier: Apache-2.0
// The run directory of one switch as the supervisor sees it: made, locked, given a private
// hugetlbfs, and emptied of what the daemons left when everything stopped cleanly.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "base/handle.h"
#include "base/run_lock.h"

namespace raicho::supervisor {

/// User and group that the agent drops to.
struct Account {
    uid_t uid;
    gid_t gid;
};

/// The user `raicho` when it exists and we are root, else nothing: then the agent runs as we do.
[[nodiscard]] std::optional<Account> agent_account();

class RunDirectory {
  public:
    /// Makes and locks `path`; as root and where the kernel has huge pages mounts a hugetlbfs at
    /// `path/huge`. Fails when another supervisor holds it, naming its pid.
    static Result<RunDirectory> open(std::string path, const std::optional<Account>& account);

    RunDirectory(RunDirectory&&) noexcept = default;

    [[nodiscard]] const std::string& path() const { return path_; }

    /// Whether a configuration was committed here: then there is something to lose, and no failed
    /// start may end the switch.
    [[nodiscard]] bool has_running_configuration() const;

    /// Whether what has the name now is what open() found or made: somebody may have removed it,
    /// and another switch may live there.
    [[nodiscard]] bool is_ours() const { return has_name(folder_, path_); }

    /// After a clean stop: unmounts, removes the daemons' own files and nothing else, and the
    /// directory itself when we made it. One that is not ours any more stays as it is.
    void remove();

  private:
    RunDirectory(std::string path, Fd folder, RunLock lock, bool made)
        : path_(std::move(path)), folder_(std::move(folder)), lock_(std::move(lock)), made_(made) {}
    Result<void> mount_huge(const std::optional<Account>& account);

    std::string path_;
    Fd folder_;
    std::optional<RunLock> lock_;
    bool made_;
};

}  // namespace raicho::supervisor
