// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/rules_prefix.h"

#include <array>
#include <memory>
#include <set>

#include "tests/bench/random.h"
#include "tests/bench/rule_parts.h"

namespace raicho::bench {
namespace {

constexpr std::uint64_t kRouter = 0x020000000001, kHost = 0x020000000002;
constexpr unsigned kNextHops = 16;

struct Share {
    unsigned length;
    unsigned permille;
};

/// Lengths in the Internet's tables: most are /24, and the longer half of IPv6 is /48.
constexpr auto kLengths4 = std::to_array<Share>({{8, 1},
                                                 {10, 1},
                                                 {11, 1},
                                                 {12, 2},
                                                 {13, 3},
                                                 {14, 4},
                                                 {15, 4},
                                                 {16, 35},
                                                 {17, 16},
                                                 {18, 27},
                                                 {19, 47},
                                                 {20, 60},
                                                 {21, 65},
                                                 {22, 110},
                                                 {23, 92},
                                                 {24, 532}});
constexpr auto kLengths6 = std::to_array<Share>({{20, 5},
                                                 {28, 15},
                                                 {29, 60},
                                                 {32, 190},
                                                 {33, 20},
                                                 {34, 25},
                                                 {36, 65},
                                                 {38, 15},
                                                 {40, 100},
                                                 {42, 20},
                                                 {44, 125},
                                                 {46, 20},
                                                 {47, 15},
                                                 {48, 325}});

template <std::size_t N>
unsigned length_of(const std::array<Share, N>& shares, std::uint64_t point) {
    for (const Share& share : shares) {
        if (point < share.permille) return share.length;
        point -= share.permille;
    }
    return shares.back().length;
}

/// The first half of an IPv6 address: no prefix here is longer.
struct Prefix6 {
    std::uint64_t high = 0;
    unsigned length = 0;
};

std::uint64_t mask6(unsigned length) {
    return ~0ull << (64 - length);
}

std::vector<Prefix6> ipv6_prefixes(std::uint64_t seed, std::size_t n) {
    Random random(seed, 0x6970'7636);
    std::set<std::pair<std::uint64_t, unsigned>> seen;
    std::vector<Prefix6> prefixes;
    while (prefixes.size() < n) {
        const unsigned length = length_of(kLengths6, random.below(1000));
        const std::uint64_t high = (0x2000'0000'0000'0000 | random.next() >> 3) & mask6(length);
        if (seen.emplace(high, length).second) prefixes.push_back({high, length});
    }
    return prefixes;
}

FieldValue value6(std::uint64_t high, std::uint64_t low) {
    FieldValue value;
    for (std::size_t i = 0; i < 16; ++i) {
        const std::uint64_t half = i < 8 ? high : low;
        value.bytes[i] = static_cast<std::byte>(half >> (56 - 8 * (i % 8)));
    }
    return value;
}

Ipv6 address6(std::uint64_t high, std::uint64_t low) {
    Ipv6 address;
    const FieldValue value = value6(high, low);
    for (std::size_t i = 0; i < 16; ++i)
        address.bytes[i] = std::to_integer<std::uint8_t>(value.bytes[i]);
    return address;
}

openflow::ActionList routed(std::uint64_t hop) {
    openflow::ActionList actions = next_hop(hop);
    actions.push_back(output());
    return actions;
}

}  // namespace

openflow::ActionList next_hop(std::uint64_t number) {
    return {openflow::DecNwTtl{}, set_field(Field::eth_src, kRouter),
            set_field(Field::eth_dst, 0x020000000100 | number % kNextHops)};
}

std::vector<Prefix> ipv4_prefixes(std::uint64_t seed, std::size_t n) {
    Random random(seed, 0x6970'7634);
    std::set<std::pair<std::uint32_t, unsigned>> seen;
    std::vector<Prefix> prefixes;
    while (prefixes.size() < n) {
        const unsigned length = length_of(kLengths4, random.below(1000));
        // 1.0.0.0 to 223.255.255.255: what may be routed.
        const auto whole =
            static_cast<std::uint32_t>((1 + random.below(223)) << 24 | random.below(1 << 24));
        const std::uint32_t address = whole & prefix_mask(length);
        if (address != 0 && seen.emplace(address, length).second)
            prefixes.push_back({address, length});
    }
    return prefixes;
}

RuleSet l3(std::string name, std::uint64_t seed, std::size_t n, std::size_t flows,
           Headers headers) {
    const auto prefixes = std::make_shared<const std::vector<Prefix>>(ipv4_prefixes(seed, n));
    return {std::move(name), "IPv4 prefixes; dec_ttl, both Ethernet addresses rewritten", flows,
            [prefixes](const Take& take) {
                Numbered to(take);
                for (std::size_t i = 0; i < prefixes->size(); ++i) {
                    const auto& [address, length] = (*prefixes)[i];
                    to.flow(0, 100 + length,
                            match({{Field::eth_type, 0x0800},
                                   {Field::ipv4_dst, address, prefix_mask(length)}}),
                            routed(i));
                }
            },
            [prefixes, seed, headers](std::size_t flow) {
                Random random(seed, flow);
                const auto& [address, length] = (*prefixes)[random.below(prefixes->size())];
                test::FrameSpec spec;
                spec.dst = mac(kRouter), spec.src = mac(kHost);
                spec.src4 = ipv4(static_cast<std::uint32_t>(0x0a000000 | flow));
                spec.dst4 = ipv4(
                    address | (static_cast<std::uint32_t>(random.next()) & ~prefix_mask(length)));
                spec.sport = static_cast<std::uint16_t>(1024 + random.below(60000));
                if (headers == Headers::varied) {
                    spec.ttl = static_cast<std::uint8_t>(33 + random.below(32));
                    spec.src = mac(kHost + 0x1000 + random.below(16));
                }
                return of_60_bytes(spec);
            }};
}

RuleSet l3_ipv6(std::string name, std::uint64_t seed, std::size_t n, std::size_t flows) {
    const auto prefixes = std::make_shared<const std::vector<Prefix6>>(ipv6_prefixes(seed, n));
    return {std::move(name), "IPv6 prefixes; dec_ttl, both Ethernet addresses rewritten", flows,
            [prefixes](const Take& take) {
                Numbered to(take);
                for (std::size_t i = 0; i < prefixes->size(); ++i) {
                    const auto& [high, length] = (*prefixes)[i];
                    openflow::Match m = match({{Field::eth_type, 0x86dd}});
                    ASSERT(m.add({Field::ipv6_dst, openflow::HasMask::yes, value6(high, 0),
                                  value6(mask6(length), 0)}));
                    to.flow(0, 100 + length, m, routed(i));
                }
            },
            [prefixes, seed](std::size_t flow) {
                Random random(seed, flow);
                const auto& [high, length] = (*prefixes)[random.below(prefixes->size())];
                test::FrameSpec spec;
                spec.dst = mac(kRouter), spec.src = mac(kHost);
                spec.l3 = test::L3::ipv6;
                spec.src6 = address6(0x2001'0db8'0000'0000, flow);
                spec.dst6 = address6(high | (random.next() & ~mask6(length)), random.next());
                // No transport header: with TCP's a frame would be longer than the others.
                spec.l4 = test::L4::none;
                return of_60_bytes(spec);
            }};
}

}  // namespace raicho::bench
