// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/rule_set.h"

#include <array>

#include "base/text.h"
#include "tests/bench/rules_acl.h"
#include "tests/bench/rules_exact.h"
#include "tests/bench/rules_prefix.h"
#include "tests/bench/rules_vlan.h"

namespace raicho::bench {
namespace {

struct Named {
    std::string_view name;
    RuleSet (*make)(std::uint64_t seed);
};

constexpr std::size_t k1k = 1000, k10k = 10'000, k100k = 100'000, k1m = 1'000'000;

constexpr auto kCases = std::to_array<Named>({
    {"forward", [](std::uint64_t seed) { return forward(seed, k100k); }},
    {"l2_1k", [](std::uint64_t seed) { return l2_exact("l2_1k", seed, k1k); }},
    {"l2_100k", [](std::uint64_t seed) { return l2_exact("l2_100k", seed, k100k); }},
    {"l2_1m", [](std::uint64_t seed) { return l2_exact("l2_1m", seed, k1m); }},
    {"five_tuple_1k", [](std::uint64_t seed) { return five_tuple("five_tuple_1k", seed, k1k); }},
    {"l3_1k", [](std::uint64_t seed) { return l3("l3_1k", seed, k1k, k100k); }},
    {"l3_10k", [](std::uint64_t seed) { return l3("l3_10k", seed, k10k, k100k); }},
    {"l3_100k", [](std::uint64_t seed) { return l3("l3_100k", seed, k100k, k100k); }},
    {"l3_10k_varied",
     [](std::uint64_t seed) { return l3("l3_10k_varied", seed, k10k, k100k, Headers::varied); }},
    {"l3_ipv6_10k", [](std::uint64_t seed) { return l3_ipv6("l3_ipv6_10k", seed, k10k, k100k); }},
    {"acl_1k", [](std::uint64_t seed) { return acl("acl_1k", AclKind::acl, seed, k1k, k100k); }},
    {"acl_10k", [](std::uint64_t seed) { return acl("acl_10k", AclKind::acl, seed, k10k, k100k); }},
    {"acl_1k_hot",
     [](std::uint64_t seed) { return acl("acl_1k_hot", AclKind::acl, seed, k1k, k1k); }},
    {"fw_1k", [](std::uint64_t seed) { return acl("fw_1k", AclKind::fw, seed, k1k, k100k); }},
    {"ipc_1k", [](std::uint64_t seed) { return acl("ipc_1k", AclKind::ipc, seed, k1k, k100k); }},
    {"gateway", [](std::uint64_t seed) { return gateway("gateway", seed, k1k, k100k); }},
    {"gateway_hot", [](std::uint64_t seed) { return gateway("gateway_hot", seed, k1k, k1k); }},
    {"vlan_push", [](std::uint64_t seed) { return vlan_push("vlan_push", seed, k100k); }},
    {"vlan_pop", [](std::uint64_t seed) { return vlan_pop("vlan_pop", seed, k100k); }},
});

}  // namespace

std::vector<std::string_view> case_names() {
    std::vector<std::string_view> names;
    for (const Named& row : kCases) names.push_back(row.name);
    return names;
}

Result<RuleSet> make_case(std::string_view name, std::uint64_t seed) {
    std::string known;
    for (const Named& row : kCases) {
        if (row.name == name) return row.make(seed);
        known += format(" {}", row.name);
    }
    return fail(format("case \"{}\": unknown; there are{}", name, known));
}

}  // namespace raicho::bench
