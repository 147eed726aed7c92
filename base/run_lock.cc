// SPDX-License-Identifier: Apache-2.0
#include "base/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"

namespace raicho {

namespace {

std::string owner(const Fd& file) {
    std::array<char, 32> text{};
    const ssize_t size = ::pread(file.get(), text.data(), text.size() - 1, 0);
    const std::string_view pid =
        trim(std::string_view(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
    return pid.empty() ? "unknown" : std::string(pid);
}

}  // namespace

bool has_name(const Fd& file, const std::string& path) {
    struct stat open{}, there{};
    return file && ::fstat(file.get(), &open) == 0 && ::stat(path.c_str(), &there) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

Result<RunLock> RunLock::take(const std::string& rundir, std::string_view program) {
    std::string path = format("{}/{}.pid", rundir, program);
    const auto fault = [&] { return fail_errno(format("lock file \"{}\"", path), errno); };
    Fd fd;
    do {
        fd = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
        if (!fd) return fault();
        if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return fault();
            return std::unexpected(
                Error{format("run directory \"{}\": another {} runs there (pid {})", rundir,
                             program, owner(fd)),
                      "give each switch a --rundir of its own", EWOULDBLOCK});
        }
    } while (!has_name(fd, path));
    const std::string pid = format("{}\n", ::getpid());
    if (::ftruncate(fd.get(), 0) != 0 ||
        ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
        return fault();
    return RunLock(std::move(fd), std::move(path));
}

RunLock::~RunLock() {
    // While it is locked nobody else gives the name to another file.
    if (has_name(fd_, path_)) ::unlink(path_.c_str());
}

}  // namespace raicho
