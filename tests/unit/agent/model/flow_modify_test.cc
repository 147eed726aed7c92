// SPDX-License-Identifier: Apache-2.0
// OFPFC_MODIFY and OFPFC_MODIFY_STRICT (OF 1.3.5 §6.4).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

using enum FlowModCommand;

class DatapathFlowModify : public Bench {
  protected:
    /// Flows 0..2 in table 0: 10/8 priority 5 cookie 1, 10.1/16 priority 5 cookie 2,
    /// 11/8 priority 6 cookie 3; all output 1.
    DatapathFlowModify() {
        std::uint64_t cookie = 0;
        for (FlowMod mod :
             {add_flow(ipv4_net(0x0a000000, 8), 5), add_flow(ipv4_net(0x0a010000, 16), 5),
              add_flow(ipv4_net(0x0b000000, 8), 6)}) {
            mod.cookie = ++cookie;
            mod.idle_timeout = 60;
            tell(mod);
        }
    }
    static FlowMod to(FlowModCommand command, std::uint32_t port, Match match,
                      std::uint16_t priority = 5) {
        FlowMod mod = flow(command, std::move(match), priority);
        mod.instructions = output_to(port);
        return mod;
    }
    /// Which flows send to `port`.
    std::string to_port(std::uint32_t port) {
        std::string found;
        store.for_each(kAllTables, [&](FlowId id) {
            if (store.instructions(id) == output_to(port)) found += format("{} ", id.value());
            return true;
        });
        return found;
    }
};

TEST_F(DatapathFlowModify, NonStrictChangesEqualAndMoreSpecificOfAnyPriority) {
    EXPECT_EQ(result(to(modify, 2, ipv4_net(0x0a000000, 8), 999)), "ok");
    EXPECT_EQ(to_port(2), "0 1 ");
    EXPECT_EQ(result(to(modify, 3, match({}))), "ok");
    EXPECT_EQ(to_port(3), "0 1 2 ");
}

TEST_F(DatapathFlowModify, StrictChangesTheOneWithSameMatchAndPriority) {
    EXPECT_EQ(result(to(modify_strict, 2, ipv4_net(0x0a000000, 8))), "ok");
    EXPECT_EQ(to_port(2), "0 ");
    EXPECT_EQ(result(to(modify_strict, 3, ipv4_net(0x0a000000, 8), 6)), "ok");
    EXPECT_EQ(to_port(3), "");
}

TEST_F(DatapathFlowModify, ChangesInstructionsOnly) {
    store.hit(FlowId{0}, 60, now);
    const FlowHead before = store.head(FlowId{0});
    FlowMod mod = to(modify, 2, match({}));
    mod.cookie = 99;
    mod.idle_timeout = 1;
    mod.hard_timeout = 1;
    mod.flags = flow_flag::kSendFlowRem;
    now += kSecond;
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(store.head(FlowId{0}), before);
    EXPECT_EQ(store.counts(FlowId{0}).packets, 1u);
    pass(10 * kSecond);
    EXPECT_EQ(store.size(), 3u);
}

TEST_F(DatapathFlowModify, ResetCountsClearsTheCountersOfEachChanged) {
    for (const std::uint32_t id : {0u, 1u, 2u}) store.hit(FlowId{id}, 60, now);
    FlowMod mod = to(modify, 2, ipv4_net(0x0a000000, 8));
    mod.flags = flow_flag::kResetCounts;
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(store.counts(FlowId{0}).packets, 0u);
    EXPECT_EQ(store.counts(FlowId{1}).bytes, 0u);
    EXPECT_EQ(store.counts(FlowId{2}).packets, 1u);
}

TEST_F(DatapathFlowModify, WithoutAMatchingEntryNothingHappensAndNoErrorComes) {
    EXPECT_EQ(result(to(modify, 2, ipv4_net(0x0c000000, 8))), "ok");
    EXPECT_EQ(result(to(modify_strict, 2, match({}))), "ok");
    FlowMod mod = to(modify, 2, match({}));
    mod.table = TableId{1};
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(to_port(1), "0 1 2 ");
    EXPECT_EQ(store.size(), 3u);
}

TEST_F(DatapathFlowModify, CookieMaskRestricts) {
    FlowMod mod = to(modify, 2, match({}));
    mod.cookie = 0xf2;
    mod.cookie_mask = 0x0f;
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(to_port(2), "1 ");
    mod = to(modify_strict, 3, ipv4_net(0x0a000000, 8));
    mod.cookie = 7;
    mod.cookie_mask = ~0ull;
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(to_port(3), "");
}

TEST_F(DatapathFlowModify, OutPortIsIgnored) {
    FlowMod mod = to(modify, 2, match({}));
    mod.out_port = PortNo{17};
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(to_port(2), "0 1 2 ");
}

TEST_F(DatapathFlowModify, FailingOneChangesNoEntry) {
    FlowMod mod = to(modify, 2, match({}));
    mod.instructions.go_to = TableId{0};
    EXPECT_EQ(result(mod), "OFPBIC_BAD_TABLE_ID (2)");
    EXPECT_EQ(to_port(1), "0 1 2 ");
}

}  // namespace
}  // namespace raicho::agent::test
