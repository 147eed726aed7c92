// SPDX-License-Identifier: Apache-2.0
// Multipart requests (OF 1.3.5 §7.3.5).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

class DatapathMultipart : public Bench {
  protected:
    template <class Reply, class Body>
    Reply stats(Body body) {
        const auto reply = answer<MultipartReply>(MultipartRequest{0, std::move(body)});
        EXPECT_EQ(reply.more, ReplyMore::no);
        EXPECT_TRUE(std::holds_alternative<Reply>(reply.body));
        return std::get<Reply>(reply.body);
    }
    void add_flows(std::uint32_t n) {
        for (std::uint32_t i = 0; i < n; ++i)
            ASSERT_TRUE(store.insert({.priority = 1, .cookie = i, .created = now},
                                     match({{Field::metadata, i}}), output_to(1)));
    }
    /// Cookies of all parts, in order.
    std::vector<std::uint64_t> cookies() {
        std::vector<std::uint64_t> all;
        for (const MultipartReply& reply : sent<MultipartReply>())
            for (const FlowStats& flow : std::get<std::vector<FlowStats>>(reply.body))
                all.push_back(flow.cookie);
        return all;
    }
};

TEST_F(DatapathMultipart, DescSaysWhoWeAre) {
    const Desc desc = stats<Desc>(DescRequest{});
    EXPECT_EQ(desc.mfr + desc.hw + desc.sw + desc.serial + desc.dp, "mhsnd");
}

TEST_F(DatapathMultipart, FlowEntryTellsAllOfTheFlow) {
    FlowMod mod = add_flow(match({{Field::in_port, 1}}), 9, output_to(2));
    mod.table = TableId{3};
    mod.cookie = 0xc0;
    mod.idle_timeout = 10;
    mod.hard_timeout = 20;
    mod.flags = flow_flag::kSendFlowRem | flow_flag::kNoBytCounts;
    tell(mod);
    store.hit(FlowId{0}, 60, now);
    now += 2 * kSecond + 5;
    const auto flows = stats<std::vector<FlowStats>>(FlowStatsRequest{});
    ASSERT_EQ(flows.size(), 1u);
    const FlowStats& flow = flows[0];
    EXPECT_EQ(flow.table, TableId{3});
    EXPECT_EQ(flow.duration_sec, 2u);
    EXPECT_EQ(flow.duration_nsec, 5u);
    EXPECT_EQ(flow.priority, 9);
    EXPECT_EQ(flow.idle_timeout, 10);
    EXPECT_EQ(flow.hard_timeout, 20);
    EXPECT_EQ(flow.flags, mod.flags);
    EXPECT_EQ(flow.cookie, 0xc0u);
    EXPECT_EQ(flow.packet_count, 1u);
    EXPECT_EQ(flow.byte_count, 60u);
    EXPECT_EQ(flow.match, mod.match);
    EXPECT_EQ(flow.instructions, mod.instructions);
}

class DatapathFlowSelection : public DatapathMultipart {
  protected:
    DatapathFlowSelection() {
        tell_flow(0, ipv4_net(0x0a000000, 8), 1, 0x10);
        tell_flow(0, ipv4_net(0x0a010000, 16), 2, 0x21);
        tell_flow(1, match({{Field::in_port, 1}}), 2, 0x22);
        for (const std::uint32_t id : {0u, 1u, 1u, 2u}) store.hit(FlowId{id}, 100, now);
    }
    void tell_flow(std::uint8_t table, const Match& match, std::uint32_t port,
                   std::uint64_t cookie) {
        FlowMod mod = add_flow(match, 5, output_to(port));
        mod.table = TableId{table};
        mod.cookie = cookie;
        tell(mod);
    }
    /// Cookies selected, and the same by aggregate.
    std::string selected(const FlowStatsRequest& request) {
        std::string found;
        std::uint64_t packets = 0;
        const auto flows = stats<std::vector<FlowStats>>(request);
        for (const FlowStats& flow : flows) {
            found += format("{:x} ", flow.cookie);
            packets += flow.packet_count;
        }
        const auto sum = stats<AggregateStats>(AggregateRequest{request});
        EXPECT_EQ(sum.flow_count, flows.size());
        EXPECT_EQ(sum.packet_count, packets);
        EXPECT_EQ(sum.byte_count, packets * 100);
        return found;
    }
};

TEST_F(DatapathFlowSelection, ByTable) {
    EXPECT_EQ(selected({}), "10 21 22 ");
    EXPECT_EQ(selected({.table = TableId{1}}), "22 ");
    EXPECT_EQ(selected({.table = TableId{9}}), "");
}

TEST_F(DatapathFlowSelection, ByMatchAsNonStrictCommandsDo) {
    EXPECT_EQ(selected({.match = ipv4_net(0x0a000000, 8)}), "10 21 ");
    EXPECT_EQ(selected({.match = ipv4_net(0x0a010000, 16)}), "21 ");
}

TEST_F(DatapathFlowSelection, ByOutPortGroupAndCookie) {
    EXPECT_EQ(selected({.out_port = PortNo{2}}), "21 22 ");
    EXPECT_EQ(selected({.out_group = GroupId{1}}), "");
    EXPECT_EQ(selected({.cookie = 0x20, .cookie_mask = 0xf0}), "21 22 ");
    EXPECT_EQ(selected({.out_port = PortNo{2}, .cookie = 2, .cookie_mask = 2}), "22 ");
}

TEST_F(DatapathMultipart, NoFlowsIsAnEmptyReply) {
    EXPECT_TRUE(stats<std::vector<FlowStats>>(FlowStatsRequest{}).empty());
    EXPECT_EQ(stats<AggregateStats>(AggregateRequest{}).flow_count, 0u);
}

// §7.3.5: all parts but the last say that more follows.
TEST_F(DatapathMultipart, LongFlowReplyComesInPartsThatSayMore) {
    add_flows(300);
    tell(MultipartRequest{0, FlowStatsRequest{}}, kAlice, 42);
    ASSERT_GT(outbox.items.size(), 2u);
    for (const auto& item : outbox.items) {
        EXPECT_EQ(item.xid, 42u);
        const bool last = &item == &outbox.items.back();
        EXPECT_EQ(std::get<MultipartReply>(item.message).more,
                  last ? ReplyMore::no : ReplyMore::yes);
    }
    EXPECT_EQ(cookies().size(), 300u);
}

TEST_F(DatapathMultipart, LongFlowReplyPausesForASlowController) {
    add_flows(300);
    outbox.room = 2;
    tell(MultipartRequest{0, FlowStatsRequest{}});
    EXPECT_EQ(outbox.items.size(), 2u);
    EXPECT_FALSE(datapath().wants_poll());  // the connection's event wakes it
    pass(kSecond);
    EXPECT_EQ(outbox.items.size(), 2u);
    outbox.room = ~std::size_t{0};
    pass(kSecond);
    const auto all = cookies();
    ASSERT_EQ(all.size(), 300u);
    for (std::size_t n = 0; n < all.size(); ++n) EXPECT_EQ(all[n], n);
    EXPECT_EQ(sent<MultipartReply>().back().more, ReplyMore::no);
}

TEST_F(DatapathMultipart, ChangesDuringALongReplyLoseNoFlowThatStays) {
    add_flows(300);
    outbox.room = 2;
    tell(MultipartRequest{0, FlowStatsRequest{}});
    for (const std::uint64_t gone : {10u, 200u})
        ASSERT_TRUE(datapath().flow_mod(
            flow(FlowModCommand::remove, match({{Field::metadata, gone}})), now));
    outbox.room = ~std::size_t{0};
    pass(1);
    const auto all = cookies();
    EXPECT_EQ(all.size(), 299u);  // 10 was told before it went, 200 not
    EXPECT_EQ(std::ranges::count(all, 200u), 0);
}

TEST_F(DatapathMultipart, LongSearchGoesOnInSlices) {
    // More than a slice of flows that are not meant.
    for (std::uint32_t i = 0; i < 20000; ++i)
        ASSERT_TRUE(store.insert({.cookie = 1, .created = now}, {}, {}));
    FlowStatsRequest request{.cookie = 2, .cookie_mask = ~0ull};
    tell(MultipartRequest{0, request});
    EXPECT_TRUE(outbox.items.empty());
    EXPECT_TRUE(datapath().wants_poll());
    pass(1);
    EXPECT_EQ(outbox.items.size(), 1u);
    EXPECT_FALSE(datapath().wants_poll());
}

TEST_F(DatapathMultipart, TableStatsListAllTables) {
    tell(add_flow());
    store.hit(FlowId{0}, 60, now);
    store.miss(TableId{0});
    const auto tables = stats<std::vector<TableStats>>(TableStatsRequest{});
    ASSERT_EQ(tables.size(), 255u);
    for (std::size_t n = 0; n < tables.size(); ++n) EXPECT_EQ(tables[n].table.value(), n);
    EXPECT_EQ(tables[0].active_count, 1u);
    EXPECT_EQ(tables[0].lookup_count, 2u);
    EXPECT_EQ(tables[0].matched_count, 1u);
    EXPECT_EQ(tables[254].active_count, 0u);
}

TEST_F(DatapathMultipart, PortStatsOfOneAndOfAll) {
    const auto one = stats<std::vector<PortStats>>(PortStatsRequest{PortNo{2}});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].port, PortNo{2});
    EXPECT_EQ(one[0].rx_packets, 102u);
    EXPECT_EQ(stats<std::vector<PortStats>>(PortStatsRequest{}).size(), 4u);
}

TEST_F(DatapathMultipart, PortStatsOfAnUnknownPortIsAnError) {
    EXPECT_EQ(result(MultipartRequest{0, PortStatsRequest{PortNo{9}}}), "OFPBRC_BAD_PORT (11)");
}

TEST_F(DatapathMultipart, PortDescListsAllPorts) {
    const auto ports = stats<std::vector<PortDesc>>(PortDescRequest{});
    ASSERT_EQ(ports.size(), 4u);
    EXPECT_EQ(ports[0].name, "p1");
    EXPECT_EQ(ports[3].port, port::kLocal);
}

TEST_F(DatapathMultipart, ExperimenterIsRefused) {
    EXPECT_EQ(result(MultipartRequest{0, Experimenter{0x2320, 1, {}}}),
              "OFPBRC_BAD_EXPERIMENTER (3)");
}

TEST_F(DatapathMultipart, RequestInPartsIsRefused) {
    EXPECT_EQ(result(MultipartRequest{1, DescRequest{}}), "OFPBRC_MULTIPART_BUFFER_OVERFLOW (13)");
}

}  // namespace
}  // namespace raicho::agent::test
