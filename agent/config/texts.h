// SPDX-License-Identifier: Apache-2.0
// Configuration texts on their way to a commit.
#pragma once

#include <string>
#include <string_view>

#include "agent/config/failure.h"
#include "dsl/edit/refusal.h"
#include "dsl/model/config.h"

namespace raicho::agent::config {

/// Canonical text in which every port of `numbered` has its number; comments and what is inactive
/// stay. `text` was checked.
[[nodiscard]] std::string with_numbers(std::string_view text, std::string_view file,
                                       const dsl::Config& numbered);

}  // namespace raicho::agent::config
