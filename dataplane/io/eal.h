// SPDX-License-Identifier: Apache-2.0
// DPDK's environment: one object that starts it from the arena's settings and ends it. Without
// secondary processes, configuration files or telemetry; its log goes into ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace raicho::io {

struct EalSettings {
    std::string rundir;
    std::uint32_t memory_mb = 0;
    enum class Pages : std::uint8_t { small, huge } pages = Pages::small;
    /// The run directory's own mount of huge pages; empty where it has none. DPDK locks a mount
    /// while it starts: without a name the first one of the machine, which may be another
    /// program's.
    std::string huge_folder;
    /// Further arguments of the operator, blank-separated: `-d FILE`, `--vdev …`.
    std::string arguments;
};

/// The argument list for rte_eal_init, program name first. Pure.
[[nodiscard]] std::vector<std::string> eal_arguments(const EalSettings& settings,
                                                     std::string_view cpus,
                                                     std::string_view drivers);

/// Free huge pages of 2 MB that a private mapping could take.
[[nodiscard]] std::uint64_t free_huge_pages();

class Eal {
  public:
    /// Starts DPDK in this process; the calling thread becomes its main lcore and keeps its
    /// affinity.
    static Result<Eal> start(const EalSettings& settings);
    Eal(Eal&& other) noexcept;
    Eal& operator=(Eal&&) = delete;
    ~Eal();

  private:
    explicit Eal(std::string runtime_folder) : runtime_folder_(std::move(runtime_folder)) {}
    std::string runtime_folder_;  // empty = moved from
};

}  // namespace raicho::io
