// SPDX-License-Identifier: Apache-2.0
#include "agent/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"

namespace raicho::agent {

Result<RunLock> RunLock::take(const std::string& rundir) {
    std::string path = rundir + "/agent.pid";
    Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!fd) return fail_errno(format("lock file \"{}\"", path), errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return fail_errno(format("lock file \"{}\"", path), errno);
        std::array<char, 32> text{};
        const ssize_t size = ::pread(fd.get(), text.data(), text.size() - 1, 0);
        const std::string_view pid =
            trim(std::string_view(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
        return fail(format("run directory \"{}\": another agent runs there (pid {})", rundir, pid),
                    "give each switch a --rundir of its own");
    }
    const std::string pid = format("{}\n", ::getpid());
    if (::ftruncate(fd.get(), 0) != 0 ||
        ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
        return fail_errno(format("lock file \"{}\"", path), errno);
    return RunLock(std::move(fd), std::move(path));
}

RunLock::~RunLock() {
    if (fd_) ::unlink(path_.c_str());
}

}  // namespace raicho::agent
