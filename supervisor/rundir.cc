// SPDX-License-Identifier: Apache-2.0
#include "supervisor/rundir.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/log.h"
#include "base/text.h"

namespace raicho::supervisor {

namespace {

constexpr long kHugetlbfsMagic = 0x958458f6;

/// All that the programs ever make in a run directory (docs/architecture.md), but for our lock.
constexpr std::array<std::string_view, 10> kOurFiles{
    "arena",          "arena.new",     "dpdk-run",     "agent.sock",        "agent.pid",
    "dataplane.sock", "dataplane.pid", "running.conf", "running.conf.next", "running.conf.last",
};
/// Our folders; what lies in them and does not end so was put there by somebody else.
constexpr std::array<std::string_view, 2> kOurFolders{"history", "candidates"};
constexpr std::string_view kConfiguration = ".conf";

bool huge_pages_exist() {
    // The mount costs nothing, but an empty pool would only mislead who looks at it.
    std::ifstream total("/proc/sys/vm/nr_hugepages");
    unsigned long n = 0;
    return total >> n && n > 0;
}

/// The configurations in `folder`, and the folder when nothing else is in it.
void remove_configurations(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::vector<std::filesystem::path> ours;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
        if (entry.path().filename().string().find(kConfiguration) != std::string::npos)
            ours.push_back(entry.path());
    for (const std::filesystem::path& file : ours) std::filesystem::remove(file, ignored);
    std::filesystem::remove(folder, ignored);
}

bool is_hugetlbfs(const std::string& path) {
    struct statfs s{};
    return ::statfs(path.c_str(), &s) == 0 && s.f_type == kHugetlbfsMagic;
}

}  // namespace

std::optional<Account> agent_account() {
    if (::geteuid() != 0) return std::nullopt;
    const passwd* const user = ::getpwnam("raicho");
    if (user == nullptr) return std::nullopt;
    return Account{user->pw_uid, user->pw_gid};
}

Result<RunDirectory> RunDirectory::open(std::string path, const std::optional<Account>& account) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(path, error);
    if (error)
        return std::unexpected(Error{format("run directory \"{}\": {}", path, error.message()),
                                     "choose another with --rundir DIR", error.value()});
    Fd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return fail_errno(format("run directory \"{}\"", path), errno);
    TRY_ASSIGN(RunLock lock, RunLock::take(path, "raicho"));
    if (made && account && ::chown(path.c_str(), account->uid, account->gid) != 0)
        return fail_errno(format("owner of \"{}\"", path), errno);
    RunDirectory directory(std::move(path), std::move(folder), std::move(lock), made);
    TRY(directory.mount_huge(account));
    return directory;
}

Result<void> RunDirectory::mount_huge(const std::optional<Account>& account) {
    const std::string huge = path_ + "/huge";
    if (is_hugetlbfs(huge)) return {};  // left by a killed supervisor: the arena may lie in it
    if (::geteuid() != 0 || !huge_pages_exist()) return {};
    std::error_code error;
    std::filesystem::create_directory(huge, error);
    const std::string options =
        account ? format("mode=0770,uid={},gid={},pagesize=2M", account->uid, account->gid)
                : std::string("mode=0770,pagesize=2M");
    if (::mount("raicho", huge.c_str(), "hugetlbfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
        // Containers often forbid it; the arena then lies in 4 kB pages.
        LOG(warning, "supervisor", "no hugetlbfs on \"{}\": {}", huge, std::strerror(errno));
        std::filesystem::remove(huge, error);
    }
    return {};
}

bool RunDirectory::has_running_configuration() const {
    std::error_code ignored;
    return std::filesystem::exists(path_ + "/running.conf", ignored);
}

void RunDirectory::remove() {
    if (!is_ours()) {
        LOG(warning, "supervisor",
            "run directory \"{}\" was removed or made anew by others: left alone", path_);
        return;
    }
    const std::string huge = path_ + "/huge";
    if (is_hugetlbfs(huge) && ::umount2(huge.c_str(), MNT_DETACH) != 0)
        LOG(warning, "supervisor", "unmount \"{}\": {}", huge, std::strerror(errno));
    std::error_code ignored;
    // Where the directory lies on a disk the arena is a link to memory (shm/arena_file.h).
    const std::string arena = path_ + "/arena";
    if (const auto target = std::filesystem::read_symlink(arena, ignored);
        !ignored && target.parent_path() == "/dev/shm" &&
        target.filename().string().starts_with("raicho-"))
        std::filesystem::remove(target, ignored);
    for (const std::string_view name : kOurFiles)
        std::filesystem::remove_all(std::filesystem::path(path_) / name, ignored);
    for (const std::string_view name : kOurFolders)
        remove_configurations(std::filesystem::path(path_) / name);
    std::filesystem::remove(huge, ignored);
    lock_.reset();
    if (made_) std::filesystem::remove(path_, ignored);
}

}  // namespace raicho::supervisor
