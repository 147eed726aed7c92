// SPDX-License-Identifier: Apache-2.0
// What an adopted switch does, as a configuration.
#pragma once

#include "dsl/model/config.h"

namespace raicho::agent::config {

/// Bridges and ports as they live (Target::live()), in the words of the last commit where the arena
/// has none (devices). Connections are gone; flows are not looked at.
[[nodiscard]] dsl::Config adopted(const dsl::Config& saved, dsl::Config live);

}  // namespace raicho::agent::config
