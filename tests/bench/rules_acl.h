// SPDX-License-Identifier: Apache-2.0
// Cases of filters in the manner of ClassBench's seeds: what an access list (acl), a firewall (fw)
// and a chain of IP filters (ipc) name of source, destination, protocol and ports. Ranges of ports
// are rules with masks.
#pragma once

#include "tests/bench/rule_set.h"

namespace raicho::bench {

enum class AclKind { acl, fw, ipc };

/// One rule; a mask of zero is a wildcard.
struct AclRule {
    std::uint32_t src = 0, src_mask = 0, dst = 0, dst_mask = 0;
    std::uint8_t proto = 0;  // 6, 17, or 0: any
    std::uint16_t sport = 0, sport_mask = 0, dport = 0, dport_mask = 0;
};

/// No two match the same; the first counts most.
[[nodiscard]] std::vector<AclRule> acl_rules(AclKind kind, std::uint64_t seed, std::size_t n);
[[nodiscard]] openflow::Match match_of(const AclRule& rule);
/// A frame that the rule matches (an earlier one may too), another for each `flow`.
[[nodiscard]] test::FrameSpec frame_of(const AclRule& rule, std::uint64_t seed, std::size_t flow);
[[nodiscard]] RuleSet acl(std::string name, AclKind kind, std::uint64_t seed, std::size_t rules,
                          std::size_t flows);

/// The ports from first to last as values under masks, in order.
[[nodiscard]] std::vector<std::pair<std::uint16_t, std::uint16_t>> masks_of_range(unsigned first,
                                                                                  unsigned last);

}  // namespace raicho::bench
