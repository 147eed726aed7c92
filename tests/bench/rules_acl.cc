// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/rules_acl.h"

#include <array>
#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "tests/bench/random.h"
#include "tests/bench/rule_parts.h"

namespace raicho::bench {
namespace {

struct Share {
    unsigned value;
    unsigned percent;
};

/// How a kind names things. Lengths of prefixes spread a few bits around those given.
struct Seed {
    std::array<Share, 4> src, dst;  // prefix lengths
    unsigned any_proto, udp;        // percent
    unsigned any_sport, any_dport;  // percent
    unsigned dport_range;           // percent of the named ones
};

constexpr Seed kAcl{{{{0, 10}, {16, 25}, {24, 35}, {32, 30}}},
                    {{{8, 5}, {20, 25}, {27, 30}, {32, 40}}},
                    8,
                    20,
                    96,
                    30,
                    25};
constexpr Seed kFw{{{{0, 45}, {16, 15}, {24, 20}, {32, 20}}},
                   {{{0, 30}, {16, 15}, {24, 25}, {32, 30}}},
                   15,
                   25,
                   60,
                   25,
                   40};
constexpr Seed kIpc{{{{0, 15}, {12, 15}, {22, 35}, {32, 35}}},
                    {{{0, 15}, {12, 15}, {22, 35}, {32, 35}}},
                    25,
                    30,
                    80,
                    50,
                    30};

const Seed& seed_of(AclKind kind) {
    switch (kind) {
        case AclKind::acl: return kAcl;
        case AclKind::fw: return kFw;
        case AclKind::ipc: return kIpc;
    }
    return kAcl;
}

constexpr auto kServices = std::to_array<std::uint16_t>(
    {20, 21, 22, 25, 53, 80, 110, 123, 143, 161, 389, 443, 445, 514, 1433, 1521, 3306, 5060, 8080});
/// Those of rule sets as they are found: the high ports, those of RPC, of X11, of gateways.
constexpr auto kRanges = std::to_array<std::pair<unsigned, unsigned>>({{1024, 65535},
                                                                       {0, 1023},
                                                                       {6000, 6063},
                                                                       {135, 139},
                                                                       {2000, 2100},
                                                                       {5000, 5004},
                                                                       {32768, 61000}});

unsigned length_of(std::span<const Share> shares, Random& random) {
    std::uint64_t point = random.below(100);
    for (const Share& share : shares) {
        if (point >= share.percent) {
            point -= share.percent;
            continue;
        }
        // The ends are what they are: any address, one host.
        if (share.value == 0 || share.value == 32) return share.value;
        return share.value - 2 + static_cast<unsigned>(random.below(5));
    }
    return 32;
}

/// Sites: rules of one set name the same few networks again and again.
std::uint32_t address(std::uint64_t seed, Random& random) {
    Random site(seed, 0x73697465 + random.below(64));
    const auto network =
        static_cast<std::uint32_t>((1 + site.below(223)) << 24 | site.below(256) << 16);
    return network | static_cast<std::uint32_t>(random.below(1 << 16));
}

auto key(const AclRule& r) {
    return std::tuple(r.src, r.src_mask, r.dst, r.dst_mask, r.proto, r.sport, r.sport_mask, r.dport,
                      r.dport_mask);
}

/// One of the rule as a person wrote it; a range becomes several.
std::vector<AclRule> written(const Seed& seed, std::uint64_t number, Random& random) {
    AclRule rule;
    rule.src_mask = prefix_mask(length_of(seed.src, random));
    rule.dst_mask = prefix_mask(length_of(seed.dst, random));
    rule.src = address(number, random) & rule.src_mask;
    rule.dst = address(number + 1, random) & rule.dst_mask;
    if (random.percent(seed.any_proto)) return {rule};  // ports are those of a protocol
    rule.proto = random.percent(seed.udp) ? 17 : 6;
    if (!random.percent(seed.any_sport)) {
        rule.sport = kServices[random.below(kServices.size())];
        rule.sport_mask = 0xffff;
    }
    if (random.percent(seed.any_dport)) return {rule};
    if (!random.percent(seed.dport_range)) {
        rule.dport = kServices[random.below(kServices.size())];
        rule.dport_mask = 0xffff;
        return {rule};
    }
    std::vector<AclRule> rules;
    const auto& [first, last] = kRanges[random.below(kRanges.size())];
    for (const auto& [value, mask] : masks_of_range(first, last)) {
        rule.dport = value, rule.dport_mask = mask;
        rules.push_back(rule);
    }
    return rules;
}

}  // namespace

std::vector<std::pair<std::uint16_t, std::uint16_t>> masks_of_range(unsigned first, unsigned last) {
    std::vector<std::pair<std::uint16_t, std::uint16_t>> parts;
    while (first <= last) {
        unsigned size = 1;
        while (first % (size * 2) == 0 && first + size * 2 - 1 <= last && size < 0x8000) size *= 2;
        parts.emplace_back(static_cast<std::uint16_t>(first),
                           static_cast<std::uint16_t>(~(size - 1)));
        first += size;
    }
    return parts;
}

std::vector<AclRule> acl_rules(AclKind kind, std::uint64_t seed, std::size_t n) {
    Random random(seed, 0x61636c);
    std::set<decltype(key(AclRule{}))> seen;
    std::vector<AclRule> rules;
    while (rules.size() < n)
        for (const AclRule& rule : written(seed_of(kind), seed, random))
            // A rule for everything would leave the others nothing.
            if (rules.size() < n && (rule.src_mask != 0 || rule.dst_mask != 0) &&
                seen.insert(key(rule)).second)
                rules.push_back(rule);
    return rules;
}

openflow::Match match_of(const AclRule& r) {
    const bool tcp = r.proto == 6;
    return match({{Field::eth_type, 0x0800},
                  {Field::ip_proto, r.proto, r.proto == 0 ? 0 : ~0ull},
                  {Field::ipv4_src, r.src, r.src_mask},
                  {Field::ipv4_dst, r.dst, r.dst_mask},
                  {tcp ? Field::tcp_src : Field::udp_src, r.sport, r.sport_mask},
                  {tcp ? Field::tcp_dst : Field::udp_dst, r.dport, r.dport_mask}});
}

test::FrameSpec frame_of(const AclRule& r, std::uint64_t seed, std::size_t flow) {
    Random random(seed, flow);
    const auto fill = [&](auto value, auto mask) {
        return static_cast<decltype(value)>(value |
                                            (static_cast<decltype(value)>(random.next()) & ~mask));
    };
    test::FrameSpec spec;
    spec.src4 = ipv4(fill(r.src, r.src_mask)), spec.dst4 = ipv4(fill(r.dst, r.dst_mask));
    const bool tcp = r.proto == 6 || (r.proto == 0 && random.percent(70));
    spec.l4 = tcp ? test::L4::tcp : test::L4::udp;
    spec.sport = fill(r.sport, r.sport_mask), spec.dport = fill(r.dport, r.dport_mask);
    // What tells flows of one exact rule apart, and no rule looks at.
    spec.id = static_cast<std::uint16_t>(flow);
    return of_60_bytes(spec);
}

RuleSet acl(std::string name, AclKind kind, std::uint64_t seed, std::size_t n, std::size_t flows) {
    const auto rules = std::make_shared<const std::vector<AclRule>>(acl_rules(kind, seed, n));
    return {std::move(name), "filters in ClassBench's manner, a priority each", flows,
            [rules](const Take& take) {
                Numbered to(take);
                unsigned priority = 60'000;
                for (const AclRule& rule : *rules)
                    to.flow(0, priority--, match_of(rule), {output()});
            },
            [rules, seed](std::size_t flow) {
                Random random(seed, ~flow);
                return frame_of((*rules)[random.below(rules->size())], seed, flow);
            }};
}

}  // namespace raicho::bench
