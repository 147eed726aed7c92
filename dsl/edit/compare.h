// SPDX-License-Identifier: Apache-2.0
// What two configuration texts say differently, in JunOS style. Order, layout, comments and
// spelling of values (9k and 9000) make no difference.
#pragma once

#include <string>
#include <string_view>

#include "dsl/edit/refusal.h"

namespace raicho::dsl {

/// Lines of the difference, grouped by level, empty when there is none:
///   [edit bridge br0]
///   +  port p3 3 {
///   +      device tap
///   +  }
///   [edit bridge br0 port p1]
///   -  mtu 1500
///   +  mtu 9000
///   !  inactive: port p2        (`!  active: port p2`)
/// Texts with faults of syntax are refused, the first of the two first.
[[nodiscard]] OrRefusal<std::string> compare(std::string_view before, std::string_view after);

}  // namespace raicho::dsl
