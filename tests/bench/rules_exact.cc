// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/rules_exact.h"

#include "tests/bench/random.h"
#include "tests/bench/rule_parts.h"

namespace raicho::bench {
namespace {

struct FiveTuple {
    std::uint32_t src, dst;
    std::uint16_t sport, dport;
    bool tcp;
};

FiveTuple five_tuple_of(std::uint64_t seed, std::size_t number) {
    Random random(seed, number);
    // The source address holds the number: no two are alike.
    return {static_cast<std::uint32_t>(0x0a000000 | number),
            static_cast<std::uint32_t>(0xc0000000 | random.below(1 << 24)),
            static_cast<std::uint16_t>(1024 + random.below(60000)),
            static_cast<std::uint16_t>(random.below(1024) + 1), random.percent(80)};
}

test::FrameSpec frame_of(const FiveTuple& t) {
    test::FrameSpec spec;
    spec.src4 = ipv4(t.src), spec.dst4 = ipv4(t.dst);
    spec.l4 = t.tcp ? test::L4::tcp : test::L4::udp;
    spec.sport = t.sport, spec.dport = t.dport;
    return of_60_bytes(spec);
}

/// Bits of an odd multiplication: as good as random, and no two numbers give the same.
std::uint64_t address_of(std::uint64_t seed, std::size_t number) {
    const std::uint64_t spread = (number + 1) * (Random(seed).next() | 1) & 0xffffffff;
    return 0x020000000000 | spread;
}

}  // namespace

RuleSet forward(std::uint64_t seed, std::size_t flows) {
    return {"forward", "one port-to-port flow", flows,
            [](const Take& take) {
                Numbered to(take);
                to.flow(0, 100, match({{Field::in_port, kIn.value()}}), {output()});
            },
            [seed](std::size_t flow) { return frame_of(five_tuple_of(seed, flow)); }};
}

RuleSet l2_exact(std::string name, std::uint64_t seed, std::size_t rules) {
    return {std::move(name), "exact Ethernet destinations", rules,
            [seed, rules](const Take& take) {
                Numbered to(take);
                for (std::size_t i = 0; i < rules; ++i)
                    to.flow(0, 100, match({{Field::eth_dst, address_of(seed, i)}}), {output()});
            },
            [seed](std::size_t flow) {
                test::FrameSpec spec = frame_of(five_tuple_of(seed, flow));
                spec.dst = mac(address_of(seed, flow));
                return spec;
            }};
}

RuleSet five_tuple(std::string name, std::uint64_t seed, std::size_t rules) {
    return {std::move(name), "exact five-tuples", rules,
            [seed, rules](const Take& take) {
                Numbered to(take);
                for (std::size_t i = 0; i < rules; ++i) {
                    const FiveTuple t = five_tuple_of(seed, i);
                    to.flow(0, 100,
                            match({{Field::eth_type, 0x0800},
                                   {Field::ip_proto, t.tcp ? 6u : 17u},
                                   {Field::ipv4_src, t.src},
                                   {Field::ipv4_dst, t.dst},
                                   {t.tcp ? Field::tcp_src : Field::udp_src, t.sport},
                                   {t.tcp ? Field::tcp_dst : Field::udp_dst, t.dport}}),
                            {output()});
                }
            },
            [seed](std::size_t flow) { return frame_of(five_tuple_of(seed, flow)); }};
}

}  // namespace raicho::bench
