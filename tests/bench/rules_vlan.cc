// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/rules_vlan.h"

#include <memory>
#include <set>

#include "tests/bench/random.h"
#include "tests/bench/rule_parts.h"
#include "tests/bench/rules_acl.h"
#include "tests/bench/rules_prefix.h"

namespace raicho::bench {
namespace {

constexpr unsigned kPresent = 0x1000;  // OFPVID_PRESENT
constexpr unsigned kVlans = 1000, kGatewayVlans = 16, kRouters = 64, kBuckets = 4;
constexpr std::uint64_t kRouter = 0x020000010000;
constexpr GroupId kGroup{1};

unsigned vid(std::size_t number, unsigned vlans) {
    return 2 + static_cast<unsigned>(number % vlans);
}

test::FrameSpec udp_frame(std::uint64_t seed, std::size_t flow) {
    Random random(seed, flow);
    test::FrameSpec spec;
    spec.src4 = ipv4(static_cast<std::uint32_t>(0x0a000000 | flow));
    spec.dst4 = ipv4(static_cast<std::uint32_t>(0xc0000000 | random.below(1 << 24)));
    spec.dst = mac(kRouter + flow % kVlans);
    spec.sport = static_cast<std::uint16_t>(1024 + random.below(60000));
    return spec;
}

/// Half of the routes lead where the filter's rules do, half elsewhere.
std::vector<Prefix> routes_for(const std::vector<AclRule>& filters, std::uint64_t seed) {
    std::set<std::pair<std::uint32_t, unsigned>> seen;
    std::vector<Prefix> routes;
    const auto elsewhere = ipv4_prefixes(seed, filters.size());
    for (std::size_t i = 0; i < filters.size(); ++i) {
        Prefix route = elsewhere[i];
        if (i % 2 == 0) route.address = filters[i].dst & prefix_mask(route.length);
        if (seen.emplace(route.address, route.length).second) routes.push_back(route);
    }
    return routes;
}

openflow::GroupMod select_group() {
    openflow::GroupMod group;
    group.command = openflow::GroupModCommand::add;
    group.type = openflow::GroupType::select;
    group.group = kGroup;
    for (unsigned i = 0; i < kBuckets; ++i)
        group.buckets.push_back(
            {.weight = 1, .actions = {set_field(Field::eth_dst, 0x020000000200 | i), output()}});
    return group;
}

}  // namespace

RuleSet vlan_push(std::string name, std::uint64_t seed, std::size_t flows) {
    return {std::move(name), "1,000 exact Ethernet destinations, each pushes a tag", flows,
            [](const Take& take) {
                Numbered to(take);
                for (std::size_t i = 0; i < kVlans; ++i)
                    to.flow(0, 100, match({{Field::eth_dst, kRouter + i}}),
                            {openflow::PushVlan{},
                             set_field(Field::vlan_vid, kPresent | vid(i, kVlans)), output()});
            },
            [seed](std::size_t flow) { return of_60_bytes(udp_frame(seed, flow)); }};
}

RuleSet vlan_pop(std::string name, std::uint64_t seed, std::size_t flows) {
    return {std::move(name), "1,000 VLANs, each pops its tag", flows,
            [](const Take& take) {
                Numbered to(take);
                for (std::size_t i = 0; i < kVlans; ++i)
                    to.flow(0, 100,
                            match({{Field::in_port, kIn.value()},
                                   {Field::vlan_vid, kPresent | vid(i, kVlans)}}),
                            {openflow::PopVlan{}, output()});
            },
            [seed](std::size_t flow) {
                test::FrameSpec spec = udp_frame(seed, flow);
                spec.tags = {{0x8100, static_cast<std::uint16_t>(vid(flow, kVlans))}};
                return of_60_bytes(spec);
            }};
}

RuleSet gateway(std::string name, std::uint64_t seed, std::size_t filters, std::size_t flows) {
    const auto rules =
        std::make_shared<const std::vector<AclRule>>(acl_rules(AclKind::acl, seed, filters));
    return {std::move(name), "five tables: port and VLAN, MAC, filter, routes, select group", flows,
            [rules, seed](const Take& take) {
                Numbered to(take);
                to.group(select_group());
                for (std::size_t i = 0; i < kGatewayVlans; ++i)
                    to.flow_to(0, 100,
                               match({{Field::in_port, kIn.value()},
                                      {Field::vlan_vid, kPresent | vid(i, kGatewayVlans)}}),
                               {openflow::PopVlan{}}, 1);
                for (std::size_t i = 0; i < kRouters; ++i)
                    to.flow_to(1, 100, match({{Field::eth_dst, kRouter + i}}), {}, 2);
                unsigned priority = 60'000;
                for (const AclRule& rule : *rules) to.flow_to(2, priority--, match_of(rule), {}, 3);
                std::uint64_t hop = 0;
                for (const auto& [address, length] : routes_for(*rules, seed))
                    to.flow_to(3, 100 + length,
                               match({{Field::eth_type, 0x0800},
                                      {Field::ipv4_dst, address, prefix_mask(length)}}),
                               next_hop(hop++), 4);
                to.flow_to(3, 1, match({{Field::eth_type, 0x0800}}), next_hop(hop), 4);
                to.flow(4, 1, match({}), {openflow::GroupAction{kGroup}});
            },
            [rules, seed](std::size_t flow) {
                Random random(seed, ~flow);
                test::FrameSpec spec = frame_of((*rules)[random.below(rules->size())], seed, flow);
                spec.payload.clear();
                spec.tags = {{0x8100, static_cast<std::uint16_t>(vid(flow, kGatewayVlans))}};
                spec.dst = mac(kRouter + random.below(kRouters));
                return of_60_bytes(spec);
            }};
}

}  // namespace raicho::bench
