// SPDX-License-Identifier: Apache-2.0
// A run directory of a test's own, with everything in it gone at the end.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "shm/arena.h"

namespace raicho::shm {

class ScratchRundir {
  public:
    ScratchRundir() {
        std::string name = "/tmp/raicho-test-XXXXXX";
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

/// The smallest arena: a few MB.
inline constexpr ArenaConfig kSmall{
    .max_flows = 1024, .max_ports = 512, .max_bridges = 2, .max_workers = 2};

}  // namespace raicho::shm
