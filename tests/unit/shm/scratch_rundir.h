// SPDX-License-Identifier: Apache-2.0
// A run directory of a test's own, with everything in it gone at the end.
#pragma once

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "shm/arena.h"

namespace raicho::shm {

class ScratchRundir {
  public:
    ScratchRundir() : ScratchRundir("/tmp") {}
    explicit ScratchRundir(const std::string& parent) {
        std::string name = parent + "/raicho-test-XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    ScratchRundir(const ScratchRundir&) = delete;
    ScratchRundir& operator=(const ScratchRundir&) = delete;
    ~ScratchRundir() {
        AgentArena::remove(path_);
        std::filesystem::remove_all(path_);
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// A folder that is no memory: there the arena lies in /dev/shm. Empty when there is none.
inline std::string folder_on_disk() {
    for (const char* folder : {"/tmp", "/var/tmp", "."}) {
        struct statfs fs{};
        if (::access(folder, W_OK) == 0 && ::statfs(folder, &fs) == 0 && fs.f_type != TMPFS_MAGIC)
            return folder;
    }
    return {};
}

/// The smallest arena: a few MB.
inline constexpr ArenaConfig kSmall{
    .max_flows = 1024, .max_ports = 512, .max_bridges = 2, .max_workers = 2};

}  // namespace raicho::shm
