// SPDX-License-Identifier: Apache-2.0
// One way of saying it: statements in the table's order, lists of objects taken apart, values as
// the schema prints them. Comparing, converting and merging begin here.
#pragma once

#include <vector>

#include "dsl/edit/scheme.h"

namespace raicho::dsl {

/// Where a port's number stands: behind its name, or as a setting of its own.
enum class Numbers : std::uint8_t { in_head, as_setting };

/// Brings judged statements into canonical form. Comments stay, empty lines go (one stands before
/// each bridge but the first statement). Values with references stay as they are.
void make_canonical(std::vector<Node>& nodes, Level level, Numbers numbers);
/// Moves the number of every port below to where it is wanted.
void place_numbers(Node& node, Level level, Numbers numbers);

/// Equal in what they say: both canonical, comments ignored.
[[nodiscard]] bool same(const Node& a, const Node& b);

}  // namespace raicho::dsl
