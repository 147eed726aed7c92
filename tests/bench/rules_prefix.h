// SPDX-License-Identifier: Apache-2.0
// Cases of a router: prefixes of the lengths that the Internet's table has, each with a next hop;
// dec_ttl and both Ethernet addresses written.
#pragma once

#include "tests/bench/rule_set.h"

namespace raicho::bench {

/// What of a frame is not alike in all of the traffic.
enum class Headers : bool {
    alike,
    varied  // 32 TTLs and 16 source addresses
};

[[nodiscard]] RuleSet l3(std::string name, std::uint64_t seed, std::size_t prefixes,
                         std::size_t flows, Headers headers = Headers::alike);
[[nodiscard]] RuleSet l3_ipv6(std::string name, std::uint64_t seed, std::size_t prefixes,
                              std::size_t flows);

struct Prefix {
    std::uint32_t address = 0;
    unsigned length = 0;
};
/// Different ones, of IPv4; no default route among them.
[[nodiscard]] std::vector<Prefix> ipv4_prefixes(std::uint64_t seed, std::size_t n);
/// What a router does for the next hop of that number, but the output.
[[nodiscard]] openflow::ActionList next_hop(std::uint64_t number);

}  // namespace raicho::bench
