// SPDX-License-Identifier: Apache-2.0
// Cases with VLAN tags: pushed, popped, and a gateway of five tables (port and VLAN, router's
// addresses, filter, routes, select group).
#pragma once

#include "tests/bench/rule_set.h"

namespace raicho::bench {

[[nodiscard]] RuleSet vlan_push(std::string name, std::uint64_t seed, std::size_t flows);
[[nodiscard]] RuleSet vlan_pop(std::string name, std::uint64_t seed, std::size_t flows);
[[nodiscard]] RuleSet gateway(std::string name, std::uint64_t seed, std::size_t filters,
                              std::size_t flows);

}  // namespace raicho::bench
