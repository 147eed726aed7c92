// SPDX-License-Identifier: Apache-2.0
// Where the arena's file lies and how it comes to be: `<rundir>/huge/arena` on a hugetlbfs, else
// `<rundir>/arena` on a tmpfs, else a file of /dev/shm to which `<rundir>/arena` points. A fixed
// place, so that both daemons may die. Knows nothing of what lies inside.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/handle.h"
#include "shm/layout.h"

namespace raicho::shm {

/// An open arena file.
struct ArenaFile {
    Fd fd;
    std::string path;         // where it lies
    bool huge = false;        // on a hugetlbfs
    std::string note{};       // why not on the hugetlbfs that is there
    std::string temporary{};  // its name until publish_file(), empty when opened
    std::string link{};       // the name in the run directory that points to it, or empty
};

enum class Access : std::uint8_t { read, write };

/// The file of a run directory; Error::code ENOENT when there is none.
[[nodiscard]] Result<ArenaFile> open_arena_file(const std::string& rundir, Access access);

/// A new file of `size` bytes, all of them backed by memory, under a temporary name. A lack of
/// memory is an error in numbers, with the command that provides it.
[[nodiscard]] Result<ArenaFile> create_arena_file(const std::string& rundir, std::uint64_t size,
                                                  PagePolicy pages);
/// Gives it the name.
[[nodiscard]] Result<void> publish_arena_file(ArenaFile& file);

/// Removes the file and its name, if any; not the one at the path `except`.
void remove_arena_file(const std::string& rundir, const std::string& except = {});

/// Removes arenas of /dev/shm whose daemons were killed and whose run directory is gone or has
/// another arena: nothing else ever would. Those that anybody has open for writing stay.
void remove_orphans();

/// The run directory's own mount of huge pages, without symbolic links; empty where it has none.
[[nodiscard]] std::string huge_folder(const std::string& rundir);

/// The run directory as the arena names it: without symbolic links.
[[nodiscard]] std::string real_rundir(const std::string& rundir);

/// The kernel's boot id.
[[nodiscard]] std::string boot_id();

}  // namespace raicho::shm
