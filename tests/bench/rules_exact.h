// SPDX-License-Identifier: Apache-2.0
// Cases whose rules are exact: one port, Ethernet destinations, five-tuples.
#pragma once

#include "tests/bench/rule_set.h"

namespace raicho::bench {

[[nodiscard]] RuleSet forward(std::uint64_t seed, std::size_t flows);
/// As many flows as rules, one of each.
[[nodiscard]] RuleSet l2_exact(std::string name, std::uint64_t seed, std::size_t rules);
[[nodiscard]] RuleSet five_tuple(std::string name, std::uint64_t seed, std::size_t rules);

}  // namespace raicho::bench
