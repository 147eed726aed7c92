// SPDX-License-Identifier: Apache-2.0
#include "shm/arena_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "shm/layout.h"

namespace raicho::shm {
namespace {

constexpr const char* kSharedDirectory = "/dev/shm";
constexpr std::string_view kSharedPrefix = "/dev/shm/raicho-";

std::uint64_t filesystem_of(const std::string& path) {
    struct statfs fs{};
    if (::statfs(path.c_str(), &fs) != 0) return 0;
    return static_cast<std::uint64_t>(fs.f_type);
}

std::uint64_t free_bytes_of(const std::string& path) {
    struct statfs fs{};
    if (::statfs(path.c_str(), &fs) != 0) return 0;
    return static_cast<std::uint64_t>(fs.f_bavail) * static_cast<std::uint64_t>(fs.f_bsize);
}

/// The first line of a small file that starts with `key`, as a number behind it.
std::optional<std::uint64_t> number_in(const char* path, std::string_view key) {
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) return std::nullopt;
    char line[256];
    std::optional<std::uint64_t> number;
    while (!number && std::fgets(line, sizeof line, file) != nullptr) {
        const std::string_view text = line;
        if (!text.starts_with(key)) continue;
        const std::string_view rest = trim(text.substr(key.size()));
        number = parse_number(rest.substr(0, rest.find(' ')));
    }
    std::fclose(file);
    return number;
}

std::uint64_t megabytes(std::uint64_t bytes) {
    return (bytes + (1u << 20) - 1) >> 20;
}

/// A name in /dev/shm that only this run directory has.
std::string shared_path(const std::string& rundir) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : real_rundir(rundir))
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return format("{}{:016x}", kSharedPrefix, hash);
}

std::string link_target(const std::string& path) {
    char target[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

/// Makes `path`.new with all its memory, or an errno.
std::expected<Fd, int> allocate(const std::string& temporary, std::uint64_t size) {
    ::unlink(temporary.c_str());
    Fd fd(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0660));
    if (!fd) return std::unexpected(errno);
    int result = 0;
    do {
        // not ftruncate: only fallocate reports a lack of memory, instead of SIGBUS later
        result = ::fallocate(fd.get(), 0, 0, static_cast<off_t>(size));
    } while (result != 0 && errno == EINTR);
    if (result != 0) {
        const int code = errno;
        ::unlink(temporary.c_str());
        return std::unexpected(code);
    }
    return fd;
}

/// Huge pages to reserve so that `size` bytes fit, beside those in use.
std::string huge_hint(std::uint64_t size) {
    const char* dir = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
    const std::uint64_t total = number_in(format("{}nr_hugepages", dir).c_str(), "").value_or(0);
    const std::uint64_t free = number_in(format("{}free_hugepages", dir).c_str(), "").value_or(0);
    return format("sysctl vm.nr_hugepages={}", total - std::min(free, total) + size / kHugePage);
}

std::string huge_lack(const std::string& directory, std::uint64_t size, int code) {
    if (code != ENOSPC && code != ENOMEM)
        return format("\"{}\": {}", directory, std::strerror(code));
    const std::uint64_t free =
        number_in("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "").value_or(0);
    return format("{} huge pages of 2 MB needed, {} free: {}", size / kHugePage, free,
                  huge_hint(size));
}

}  // namespace

std::string huge_folder(const std::string& rundir) {
    const std::string huge = real_rundir(rundir) + "/huge";
    return filesystem_of(huge) == HUGETLBFS_MAGIC ? huge : std::string();
}

Result<ArenaFile> open_arena_file(const std::string& rundir, Access access) {
    const int flags = (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC;
    for (const std::string& path : {rundir + "/huge/arena", rundir + "/arena"}) {
        Fd fd(::open(path.c_str(), flags));
        if (fd) {
            struct statfs fs{};
            const bool huge = ::fstatfs(fd.get(), &fs) == 0 && fs.f_type == HUGETLBFS_MAGIC;
            return ArenaFile{std::move(fd), path, huge};
        }
        if (errno != ENOENT && errno != ENOTDIR)
            return fail_errno(format("arena \"{}\"", path), errno);
    }
    return fail_errno(format("arena \"{}/arena\"", rundir), ENOENT);
}

Result<ArenaFile> create_arena_file(const std::string& rundir, std::uint64_t size,
                                    PagePolicy pages) {
    std::string note;
    const std::string huge = rundir + "/huge";
    const bool mounted = !huge_folder(rundir).empty();
    if (!mounted && pages == PagePolicy::huge)
        return fail(format("huge-pages on: no hugetlbfs is mounted on \"{}\"", huge),
                    format("raicho run mounts it when it starts as root and finds huge pages: {}",
                           huge_hint(size)));
    if (mounted && pages != PagePolicy::small) {
        const std::string temporary = huge + "/arena.new";
        auto fd = allocate(temporary, size);
        if (fd) return ArenaFile{std::move(*fd), huge + "/arena", true, {}, temporary, {}};
        note = huge_lack(huge, size, fd.error());
        if (pages == PagePolicy::huge) return fail("huge-pages on: " + note);
    }
    const std::uint64_t available =
        number_in("/proc/meminfo", "MemAvailable:").value_or(~std::uint64_t{0} >> 10) * 1024 +
        number_in("/proc/meminfo", "SwapFree:").value_or(0) * 1024;
    if (available < size)
        return std::unexpected(
            Error{format("the arena needs {} MB of memory, {} MB are available", megabytes(size),
                         megabytes(available)),
                  format("lower max-flows, or reserve huge pages while there is room: {}",
                         huge_hint(size)),
                  ENOMEM});

    struct Candidate {
        std::string directory, path, link;
    };
    std::vector<Candidate> candidates;
    if (filesystem_of(rundir) == TMPFS_MAGIC) candidates.push_back({rundir, rundir + "/arena", {}});
    if (filesystem_of(kSharedDirectory) == TMPFS_MAGIC)
        candidates.push_back({kSharedDirectory, shared_path(rundir), rundir + "/arena"});
    if (candidates.empty()) candidates.push_back({rundir, rundir + "/arena", {}});
    Error why;
    for (const Candidate& c : candidates) {
        const std::string temporary = c.path + ".new";
        auto fd = allocate(temporary, size);
        if (fd) return ArenaFile{std::move(*fd), c.path, false, note, temporary, c.link};
        if (fd.error() == ENOSPC) {
            why = {format("the arena needs {} MB, \"{}\" has {} MB free", megabytes(size),
                          c.directory, megabytes(free_bytes_of(c.directory))),
                   format("mount -o remount,size={}M {}, or huge pages: {}", megabytes(size) + 64,
                          c.directory, huge_hint(size)),
                   ENOSPC};
        } else {
            why = fail_errno(format("arena \"{}\"", temporary), fd.error()).error();
        }
    }
    return std::unexpected(why);
}

Result<void> publish_arena_file(ArenaFile& file) {
    if (::rename(file.temporary.c_str(), file.path.c_str()) != 0) {
        const int code = errno;
        ::unlink(file.temporary.c_str());
        return fail_errno(format("arena \"{}\"", file.path), code);
    }
    file.temporary.clear();
    if (file.link.empty()) return {};
    const std::string fresh = file.link + ".new";
    ::unlink(fresh.c_str());
    if (::symlink(file.path.c_str(), fresh.c_str()) != 0 ||
        ::rename(fresh.c_str(), file.link.c_str()) != 0) {
        const int code = errno;
        ::unlink(fresh.c_str());
        ::unlink(file.path.c_str());
        return fail_errno(format("arena \"{}\"", file.link), code);
    }
    return {};
}

void remove_arena_file(const std::string& rundir, const std::string& except) {
    const std::string link = rundir + "/arena";
    const std::string target = link_target(link);
    if (except.empty() || (except != link && except != target)) {
        if (target.starts_with(kSharedPrefix)) ::unlink(target.c_str());
        ::unlink(link.c_str());
    }
    const std::string huge = rundir + "/huge/arena";
    if (except != huge) ::unlink(huge.c_str());
}

std::string real_rundir(const std::string& rundir) {
    char resolved[PATH_MAX];
    return ::realpath(rundir.c_str(), resolved) != nullptr ? resolved : rundir;
}

namespace {

/// Whether the arena at `path` has lost its run directory and both its daemons.
bool is_orphan(const std::string& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    ArenaHeader header;
    if (!fd || ::pread(fd.get(), &header, sizeof header, 0) != sizeof header) return false;
    if (header.magic != kArenaMagic || header.layout_hash != layout_hash()) return false;
    const std::string rundir(header.rundir.data(),
                             ::strnlen(header.rundir.data(), header.rundir.size()));
    if (rundir.size() + 1 >= header.rundir.size() || link_target(rundir + "/arena") == path)
        return false;
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 2;  // the agent's and the dataplane's byte
    return ::fcntl(fd.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

}  // namespace

void remove_orphans() {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(kSharedDirectory), ::closedir);
    if (!directory) return;
    while (const dirent* entry = ::readdir(directory.get())) {
        const std::string path = format("{}/{}", kSharedDirectory, entry->d_name);
        if (path.starts_with(kSharedPrefix) && is_orphan(path)) ::unlink(path.c_str());
    }
}

std::string boot_id() {
    std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == nullptr) return {};
    char line[64] = {};
    const bool read = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    return read ? std::string(trim(line)) : std::string();
}

}  // namespace raicho::shm
