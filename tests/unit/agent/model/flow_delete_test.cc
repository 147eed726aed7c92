// SPDX-License-Identifier: Apache-2.0
// OFPFC_DELETE and OFPFC_DELETE_STRICT (OF 1.3.5 §6.4), and flow-removed (§6.5, §7.4.2).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

using enum FlowModCommand;

class DatapathFlowDelete : public Bench {
  protected:
    /// 0: table 0, 10/8, priority 5, cookie 1, output 1
    /// 1: table 0, 10.1/16, priority 5, cookie 2, write output 2
    /// 2: table 1, 10/8, priority 5, cookie 3, output 1 then 2
    DatapathFlowDelete() {
        tell_flow(ipv4_net(0x0a000000, 8), 0, 1, output_to(1));
        Instructions write;
        write.write = ActionList{OutputAction{PortNo{2}, 0}};
        tell_flow(ipv4_net(0x0a010000, 16), 0, 2, write);
        Instructions both = output_to(1);
        both.apply->push_back(OutputAction{PortNo{2}, 0});
        tell_flow(ipv4_net(0x0a000000, 8), 1, 3, both);
    }
    void tell_flow(const Match& match, std::uint8_t table, std::uint64_t cookie,
                   const Instructions& instructions) {
        FlowMod mod = add_flow(match, 5, instructions);
        mod.table = TableId{table};
        mod.cookie = cookie;
        mod.flags = flow_flag::kSendFlowRem;
        tell(mod);
    }
    static FlowMod from(FlowModCommand command, std::uint8_t table, Match match,
                        std::uint16_t priority = 5) {
        FlowMod mod = flow(command, std::move(match), priority);
        mod.table = TableId{table};
        return mod;
    }
    /// Cookies of what is left.
    std::string left() {
        std::string found;
        store.for_each(kAllTables, [&](FlowId id) {
            found += format("{} ", store.head(id).cookie);
            return true;
        });
        return found;
    }
};

TEST_F(DatapathFlowDelete, NonStrictDeletesEqualAndMoreSpecificOfAnyPriority) {
    EXPECT_EQ(result(from(remove, 0, ipv4_net(0x0a000000, 8), 1)), "ok");
    EXPECT_EQ(left(), "3 ");
}

TEST_F(DatapathFlowDelete, StrictKeepsOtherPrioritiesAndMatches) {
    EXPECT_EQ(result(from(remove_strict, 0, ipv4_net(0x0a000000, 8), 6)), "ok");
    EXPECT_EQ(left(), "1 2 3 ");
    EXPECT_EQ(result(from(remove_strict, 0, ipv4_net(0x0a000000, 8))), "ok");
    EXPECT_EQ(left(), "2 3 ");
}

TEST_F(DatapathFlowDelete, Table255MeansAllTables) {
    EXPECT_EQ(result(from(remove_strict, 255, ipv4_net(0x0a000000, 8))), "ok");
    EXPECT_EQ(left(), "2 ");
    EXPECT_EQ(result(from(remove, 255, match({}))), "ok");
    EXPECT_EQ(left(), "");
}

TEST_F(DatapathFlowDelete, OutPortWantsAnOutputOfTheEntry) {
    FlowMod mod = from(remove, 255, match({}));
    mod.out_port = PortNo{3};
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(left(), "1 2 3 ");
    mod.out_port = PortNo{2};  // of apply and of write actions
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(left(), "1 ");
    mod = from(remove_strict, 0, ipv4_net(0x0a000000, 8));
    mod.out_port = PortNo{2};
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(left(), "1 ");
}

TEST_F(DatapathFlowDelete, OutGroupWantsAGroupOfTheEntry) {
    FlowMod mod = from(remove, 255, match({}));
    mod.out_group = GroupId{1};
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(left(), "1 2 3 ");
}

TEST_F(DatapathFlowDelete, CookieMaskRestricts) {
    FlowMod mod = from(remove, 255, match({}));
    mod.cookie = 2;
    mod.cookie_mask = 2;
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(left(), "1 ");
}

TEST_F(DatapathFlowDelete, WithoutAMatchingEntryNoErrorComes) {
    EXPECT_EQ(result(from(remove, 7, match({}))), "ok");
    EXPECT_EQ(result(from(remove_strict, 0, match({}))), "ok");
    EXPECT_EQ(left(), "1 2 3 ");
}

TEST_F(DatapathFlowDelete, InstructionsAndBufferOfADeleteMeanNothing) {
    FlowMod mod = from(remove, 0, match({}));
    mod.instructions.go_to = TableId{0};
    mod.buffer_id = 0;
    EXPECT_EQ(result(mod), "ok");
    EXPECT_EQ(left(), "3 ");
}

// §7.4.2.
TEST_F(DatapathFlowDelete, FlowRemovedTellsWhoWentWhyWithWhichCounts) {
    datapath().connected(kBob, now);
    store.hit(FlowId{0}, 60, now);
    store.hit(FlowId{0}, 1500, now);
    now += 2 * kSecond + 500;
    outbox.items.clear();
    tell(from(remove_strict, 0, ipv4_net(0x0a000000, 8)));
    pass(kSecond);
    ASSERT_EQ(outbox.items.size(), 2u);
    EXPECT_EQ(outbox.items[0].to, kAlice);
    EXPECT_EQ(outbox.items[1].to, kBob);
    EXPECT_EQ(outbox.items[0].xid, 0u);
    const FlowRemoved message = sent<FlowRemoved>().at(0);
    EXPECT_EQ(message.cookie, 1u);
    EXPECT_EQ(message.priority, 5);
    EXPECT_EQ(message.reason, FlowRemovedReason::removed);
    EXPECT_EQ(message.table, TableId{0});
    EXPECT_EQ(message.duration_sec, 2u);
    EXPECT_EQ(message.duration_nsec, 500u);
    EXPECT_EQ(message.packet_count, 2u);
    EXPECT_EQ(message.byte_count, 1560u);
    EXPECT_EQ(message.match, ipv4_net(0x0a000000, 8));
}

// House rule 12 and dataplane section 7: counted to the last packet.
TEST_F(DatapathFlowDelete, FlowRemovedWaitsForTheGracePeriodAndCountsWhatComesInIt) {
    store.set_grace(VectorFlowStore::Grace::held);
    tell(from(remove, 0, ipv4_net(0x0a010000, 16)));
    pass(kSecond);
    EXPECT_TRUE(sent<FlowRemoved>().empty());
    EXPECT_TRUE(datapath().wants_poll());
    EXPECT_EQ(left(), "1 3 ");
    store.hit(FlowId{1}, 99, now);
    store.set_grace(VectorFlowStore::Grace::passes);
    pass(1);
    ASSERT_EQ(sent<FlowRemoved>().size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>()[0].byte_count, 99u);
    EXPECT_EQ(sent<FlowRemoved>()[0].duration_sec, 0u);
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathFlowDelete, WithoutSendFlowRemNobodyIsTold) {
    tell(add_flow(match({{Field::in_port, 9}})));
    tell(from(remove, 0, match({{Field::in_port, 9}})));
    pass(kSecond);
    EXPECT_TRUE(sent<FlowRemoved>().empty());
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathFlowDelete, FlowRemovedWithoutControllersIsDropped) {
    datapath().disconnected(kAlice, now);
    ASSERT_TRUE(datapath().flow_mod(from(remove, 255, match({})), now));
    pass(kSecond);
    EXPECT_TRUE(outbox.items.empty());
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathFlowDelete, EndOfTheDatapathGivesBackWhatWasLeaving) {
    store.set_grace(VectorFlowStore::Grace::held);
    tell(from(remove, 0, match({})));
    restart();
    store.set_grace(VectorFlowStore::Grace::passes);
    tell_flow(match({{Field::in_port, 9}}), 0, 9, output_to(1));
    EXPECT_LT(*store.find_strict(TableId{0}, 5, match({{Field::in_port, 9}})), FlowId{2});
    pass(kSecond);
    EXPECT_TRUE(sent<FlowRemoved>().empty());
}

TEST_F(DatapathFlowDelete, RoomOfADeletedEntryIsUsedAgain) {
    for (int n = 0; n < 10; ++n) {
        tell_flow(match({{Field::in_port, 9}}), 0, 9, output_to(1));
        tell(from(remove, 0, match({{Field::in_port, 9}})));
        pass(kSecond);
    }
    EXPECT_EQ(sent<FlowRemoved>().size(), 10u);
    tell_flow(match({{Field::in_port, 9}}), 0, 9, output_to(1));
    EXPECT_TRUE(store.find_strict(TableId{0}, 5, match({{Field::in_port, 9}})) == FlowId{3});
}

}  // namespace
}  // namespace raicho::agent::test
