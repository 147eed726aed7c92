// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/rule_set.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "openflow/codec.h"
#include "tests/bench/rules_acl.h"
#include "tests/bench/rules_prefix.h"
#include "tests/bench/slow_run.h"

namespace raicho::bench {
namespace {

/// The sets that are small enough for a test; the others are the same code with other numbers.
std::vector<std::string> small_cases() {
    std::vector<std::string> names;
    for (const std::string_view name : case_names())
        if (name.find("00k") == std::string_view::npos &&
            name.find("_1m") == std::string_view::npos)
            names.emplace_back(name);
    return names;
}

openflow::ByteVector rule_bytes(const RuleSet& set) {
    openflow::ByteVector bytes;
    set.rules([&](const openflow::Message& message) {
        openflow::encode(message, openflow::version::k13, 1, bytes);
    });
    return bytes;
}

TEST(RuleSet, OfOneSeedIsTheSameBytes) {
    for (const std::string& name : small_cases()) {
        const auto one = make_case(name, 7), again = make_case(name, 7);
        EXPECT_EQ(rule_bytes(*one), rule_bytes(*again)) << name;
        for (const std::size_t flow : {0u, 1u, 999u})
            EXPECT_EQ(test::build(one->frame(flow)).bytes, test::build(again->frame(flow)).bytes)
                << name;
    }
}

TEST(RuleSet, OfAnotherSeedIsAnotherSet) {
    for (const std::string& name : small_cases()) {
        const auto one = make_case(name, 7), other = make_case(name, 8);
        // The rules of these three have nothing to choose.
        if (name != "forward" && !name.starts_with("vlan")) {
            EXPECT_NE(rule_bytes(*one), rule_bytes(*other)) << name;
        }
        EXPECT_NE(test::build(one->frame(3)).bytes, test::build(other->frame(3)).bytes) << name;
    }
}

TEST(RuleSet, NumbersItsFlowsFromOne) {
    for (const std::string& name : small_cases()) {
        std::uint64_t number = 0;
        make_case(name, 1)->rules([&](const openflow::Message& message) {
            const auto* mod = std::get_if<openflow::FlowMod>(&message);
            if (mod != nullptr) {
                EXPECT_EQ(mod->cookie, ++number) << name;
            }
        });
        EXPECT_GT(number, 0u) << name;
    }
}

// The second of two that differ in their actions alone would replace the first (OF 1.3.5 §6.4).
TEST(RuleSet, HasEveryRuleOnce) {
    for (const std::string& name : small_cases()) {
        std::set<openflow::ByteVector> seen;
        std::size_t rules = 0;
        make_case(name, 1)->rules([&](const openflow::Message& message) {
            const auto* mod = std::get_if<openflow::FlowMod>(&message);
            if (mod == nullptr) return;
            openflow::ByteVector key{static_cast<std::byte>(mod->table.value()),
                                     static_cast<std::byte>(mod->priority >> 8),
                                     static_cast<std::byte>(mod->priority & 255)};
            openflow::encode_match_fields(mod->match, key);
            seen.insert(key);
            ++rules;
        });
        EXPECT_EQ(seen.size(), rules) << name;
    }
}

TEST(RuleSet, MakesFramesOf60BytesThatTheSlowModelSendsOn) {
    for (const std::string& name : small_cases()) {
        const auto set = make_case(name, 1);
        std::vector<test::FrameBytes> frames;
        std::set<test::FrameBytes> different;
        for (std::size_t flow = 0; flow < 60; ++flow) {
            frames.push_back(test::build(set->frame(flow * 16)).bytes);
            EXPECT_EQ(frames.back().size(), 60u) << name;
            different.insert(frames.back());
        }
        EXPECT_EQ(different.size(), frames.size()) << name;
        const SlowRun run = slow_run(*set, frames);
        EXPECT_EQ(run.outputs.size(), frames.size()) << name;
        std::uint64_t counted = 0;
        for (const auto& [cookie, packets] : run.packets) counted += packets;
        EXPECT_GE(counted, frames.size()) << name;
    }
}

// More than half of a router's prefixes are /24, hardly any is shorter than /16 (BGP tables).
TEST(RuleSet, HasPrefixesOfTheInternetsLengths) {
    std::map<unsigned, std::size_t> by_length;
    for (const Prefix& prefix : ipv4_prefixes(1, 10'000)) ++by_length[prefix.length];
    EXPECT_NEAR(static_cast<double>(by_length[24]), 5320, 200);
    EXPECT_NEAR(static_cast<double>(by_length[22]), 1100, 120);
    EXPECT_NEAR(static_cast<double>(by_length[16]), 350, 80);
    std::size_t shorter = 0;
    for (const auto& [length, n] : by_length) {
        EXPECT_LE(length, 24u);
        if (length < 16) shorter += n;
    }
    EXPECT_GT(shorter, 50u);
    EXPECT_LT(shorter, 300u);
}

TEST(RuleSet, WritesARangeAsMasks) {
    using Parts = std::vector<std::pair<std::uint16_t, std::uint16_t>>;
    EXPECT_EQ(masks_of_range(1024, 65535), (Parts{{1024, 0xfc00},
                                                  {2048, 0xf800},
                                                  {4096, 0xf000},
                                                  {8192, 0xe000},
                                                  {16384, 0xc000},
                                                  {32768, 0x8000}}));
    EXPECT_EQ(masks_of_range(135, 139), (Parts{{135, 0xffff}, {136, 0xfffc}}));
    EXPECT_EQ(masks_of_range(80, 80), (Parts{{80, 0xffff}}));
}

// A filter of a thousand rules has some hundred combinations of masks, ranges of ports among them
// (ClassBench's seeds); that is what makes it dear to search.
TEST(RuleSet, HasFiltersOfManyMasks) {
    for (const AclKind kind : {AclKind::acl, AclKind::fw, AclKind::ipc}) {
        std::set<std::tuple<std::uint32_t, std::uint32_t, bool, std::uint16_t, std::uint16_t>>
            masks;
        std::size_t ranges = 0;
        for (const AclRule& r : acl_rules(kind, 1, 1000)) {
            masks.emplace(r.src_mask, r.dst_mask, r.proto != 0, r.sport_mask, r.dport_mask);
            ranges += r.dport_mask != 0 && r.dport_mask != 0xffff ? 1 : 0;
        }
        EXPECT_GT(masks.size(), 200u);
        EXPECT_LT(masks.size(), 600u);
        EXPECT_GT(ranges, 50u);
    }
}

TEST(RuleSet, VariesTtlsAndAddressesWhereItSaysSo) {
    std::set<std::uint8_t> ttls;
    std::set<Mac> sources;
    const auto set = make_case("l3_10k_varied", 1);
    for (std::size_t flow = 0; flow < 2000; ++flow) {
        const test::FrameSpec spec = set->frame(flow);
        ttls.insert(spec.ttl);
        sources.insert(spec.src);
    }
    EXPECT_EQ(ttls.size(), 32u);
    EXPECT_EQ(sources.size(), 16u);
}

TEST(RuleSet, NamesTheKnownCasesWhenAskedForAnother) {
    const auto set = make_case("l2_2k", 1);
    ASSERT_FALSE(set);
    EXPECT_NE(set.error().text.find("case \"l2_2k\": unknown"), std::string::npos);
    EXPECT_NE(set.error().text.find(" l2_1k"), std::string::npos);
}

}  // namespace
}  // namespace raicho::bench
