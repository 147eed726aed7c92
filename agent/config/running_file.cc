// SPDX-License-Identifier: Apache-2.0
#include "agent/config/running_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/handle.h"
#include "base/text.h"

namespace raicho::agent::config {

namespace {

constexpr std::string_view kName = "running.conf";

Result<void> write_all(int fd, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno("write " + path, errno);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

}  // namespace

std::filesystem::path running_file(const std::filesystem::path& rundir) {
    return rundir / kName;
}

Result<void> write_running(const std::filesystem::path& rundir, std::string_view text) {
    const Fd directory(::open(rundir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return fail_errno(format("open {}", rundir.string()), errno);
    const std::string temporary = running_file(rundir).string() + ".new";
    {
        const Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
        if (!file) return fail_errno("create " + temporary, errno);
        TRY(write_all(file.get(), text, temporary));
        if (::fsync(file.get()) != 0) return fail_errno("fsync " + temporary, errno);
    }
    const std::string path = running_file(rundir).string();
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return fail_errno(format("rename {} to {}", temporary, path), errno);
    if (::fsync(directory.get()) != 0)
        return fail_errno(format("fsync {}", rundir.string()), errno);
    return {};
}

Result<std::optional<std::string>> read_running(const std::filesystem::path& rundir) {
    const std::string path = running_file(rundir).string();
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        if (errno == ENOENT) return std::nullopt;
        return fail_errno("open " + path, errno);
    }
    std::string text;
    std::array<char, std::size_t{1} << 14> chunk;
    for (;;) {
        const ssize_t n = ::read(file.get(), chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno("read " + path, errno);
        if (n == 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(n));
    }
}

}  // namespace raicho::agent::config
