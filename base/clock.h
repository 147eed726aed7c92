// SPDX-License-Identifier: Apache-2.0
// The clock that both daemons count in: it goes on over restarts of either, and never back.
#pragma once

#include <cstdint>
#include <ctime>

namespace raicho {

/// Nanoseconds of CLOCK_MONOTONIC. Any thread; some 25 ns.
[[nodiscard]] inline std::uint64_t monotonic_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace raicho
