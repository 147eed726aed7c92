// SPDX-License-Identifier: Apache-2.0
// The ports that texts may name: one, `p1`.
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.h"

namespace raicho::fuzz {

inline std::optional<PortNo> ports(std::string_view name) {
    if (name == "p1") return PortNo(1);
    return std::nullopt;
}

}  // namespace raicho::fuzz
