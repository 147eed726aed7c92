// SPDX-License-Identifier: Apache-2.0
// How many workers run, and on which cores. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace raicho::io {

/// `2,3`, `2-5`, `1,4-6`; blanks allowed, no core twice. Empty text gives an empty list.
[[nodiscard]] Result<std::vector<unsigned>> parse_cores(std::string_view text);

/// One element a worker: its core, or nothing = any core of the process.
using WorkerPlan = std::vector<std::optional<unsigned>>;

/// `wanted` 0 = automatic: as many as cores are named, else one on up to three cores (agent,
/// controller and hosts need room), two on up to seven, four on more. `cores` as configured,
/// `allowed` what the process may use.
[[nodiscard]] Result<WorkerPlan> plan_workers(unsigned wanted, std::span<const unsigned> cores,
                                              std::span<const unsigned> allowed,
                                              std::size_t max_workers);

/// The cores this process may use.
[[nodiscard]] std::vector<unsigned> allowed_cores();

}  // namespace raicho::io
