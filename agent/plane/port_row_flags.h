// SPDX-License-Identifier: Apache-2.0
// Bits of WantedPort::flags, which only the agent heeds.
#pragma once

#include <cstdint>

namespace raicho::agent {

/// Down by configuration, not by port-mod.
inline constexpr std::uint32_t kAdminDown = 1u << 1;

}  // namespace raicho::agent
