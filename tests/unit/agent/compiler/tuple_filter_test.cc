// SPDX-License-Identifier: Apache-2.0
// The filter of tables of many tuples (shm/filter.h): it leaves few of them to search, keeps doing
// so while flows come and go, and never hides a flow.
#include <atomic>
#include <thread>

#include "shm/arena.h"
#include "tests/unit/agent/compiler/store_fixture.h"

namespace raicho::agent {
namespace {

using openflow::exact;
using openflow::Match;

constexpr TableId kTable{0};

/// Rule `n` of an access list: always the same one, of some 30 shapes.
Match rule(std::uint32_t n) {
    static constexpr std::array<unsigned, 5> kSource{0, 8, 16, 24, 32}, kTarget{16, 24, 24, 28, 32};
    std::mt19937 random(n);
    const auto below = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(random()) % most;
    };
    const auto prefix = [&](Field field, unsigned length) {
        return masked(field, random(), 0xffffffffull << (32 - length) & 0xffffffff);
    };
    Match match = match_of({exact(Field::eth_type, 0x0800)});
    const unsigned length = kSource[below(5)];
    EXPECT_TRUE(length == 0 || match.add(prefix(Field::ipv4_src, length)));
    EXPECT_TRUE(match.add(prefix(Field::ipv4_dst, kTarget[below(5)])));
    if (below(3) == 0) return match;
    EXPECT_TRUE(match.add(exact(Field::ip_proto, 6)));
    EXPECT_TRUE(below(2) == 0 || match.add(exact(Field::tcp_dst, below(1024))));
    return match;
}

class Filter : public ::testing::Test {
  protected:
    void add(std::uint32_t n) {
        const FlowHead head{.table = kTable,
                            .priority = static_cast<std::uint16_t>(1 + n % 1000),
                            .created = in_.now};
        const Match match = rule(n);
        const auto id = in_.store().insert(head, match, output(n % 8));
        ASSERT_TRUE(id);
        model_.put(*id, head, match, {});
        ids_[n] = *id;
    }
    void remove(std::uint32_t n) {
        const FlowId id = ids_.at(n);
        in_.store().remove(id);
        in_.store().release(id);
        model_.flows.erase(id.value());
        ids_.erase(n);
        in_.space().poll();
    }
    const shm::TableDescriptor& descriptor() {
        return in_.arena().descriptor(
            in_.arena().bridge(kBridge).tables[kTable.value()].load().descriptor);
    }
    /// Packets near the flows find what a model says, some hundred of them in bursts.
    void expect_right(std::uint64_t seed = 1) {
        RandomMatches random(seed);
        std::vector<shm::Key> keys;
        const std::size_t step = model_.flows.size() / 300 + 1;
        std::size_t at = 0;
        for (const auto& [id, flow] : model_.flows)
            if (at++ % step == 0) keys.push_back(random.key_near(flow.key));
        std::vector<const shm::Key*> pointers;
        for (const shm::Key& key : keys) pointers.push_back(&key);
        std::vector<std::uint32_t> flows(keys.size());
        shm::lookup(in_.arena(), kBridge, kTable, pointers, flows);
        for (std::size_t i = 0; i < keys.size(); ++i)
            EXPECT_TRUE(model_.right(kTable, keys[i], flows[i])) << "flow " << flows[i];
    }
    /// Tuples that the filter leaves of all, in the mean over packets of the flows.
    double left_to_search() {
        const shm::TableDescriptor& d = descriptor();
        const auto cells = in_.arena().filter_cells(d);
        RandomMatches random(1);
        int sum = 0;
        for (const auto& [id, flow] : model_.flows) {
            const shm::Key key = random.key_near(flow.key);
            std::array<std::uint64_t, 2> set{UINT64_MAX, UINT64_MAX};
            for (std::size_t f = 0; f < d.n_fields; ++f)
                for (std::size_t w = 0; w < 2; ++w)
                    set[w] &= cells[f * d.n_cells + shm::filter_cell(in_.arena().hash_key(),
                                                                     d.fields()[f], d.n_cells, key)]
                                  .tuples[w];
            for (std::size_t t = 0; t < d.n_tuples; ++t)
                sum += static_cast<int>(set[t / 64] >> (t % 64) & 1);
        }
        return sum / static_cast<double>(model_.flows.size());
    }

    StoreInArena in_{{.max_flows = 1u << 14, .max_ports = 512, .max_bridges = 2, .max_workers = 1}};
    LinearModel model_;
    std::map<std::uint32_t, FlowId> ids_;
};

TEST_F(Filter, LeavesFewOfManyTuples) {
    for (std::uint32_t n = 0; n < 1000; ++n) add(n);
    EXPECT_GT(descriptor().n_fields, 0);
    EXPECT_GT(descriptor().n_tuples, 20);
    EXPECT_LT(left_to_search(), 4);
    expect_right();
}

TEST_F(Filter, FewFlowsAndFewTuplesHaveNone) {
    for (std::uint32_t n = 0; n < 12; ++n) add(n);
    EXPECT_EQ(descriptor().n_fields, 0) << "few flows";
    expect_right();
    for (std::uint32_t n = 0; n < 200; ++n)
        ASSERT_TRUE(in_.store().insert({.table = TableId(1), .priority = 5},
                                       match_of({exact(Field::eth_dst, n)}), output(1)));
    const std::uint32_t other = in_.arena().bridge(kBridge).tables[1].load().descriptor;
    EXPECT_EQ(in_.arena().descriptor(other).n_fields, 0) << "one tuple";
}

TEST_F(Filter, FlowsAndTuplesThatComeLaterAreFound) {
    for (std::uint32_t n = 0; n < 600; ++n) add(n);
    ASSERT_GT(descriptor().n_fields, 0);
    const std::size_t before = descriptor().n_tuples;
    for (std::uint32_t i = 0; i < 20; ++i) {  // before it is made anew
        const FlowHead head{.table = kTable, .priority = 2000, .created = in_.now};
        Match match = match_of({exact(Field::in_port, i), exact(Field::metadata, i)});
        EXPECT_TRUE(i % 2 == 0 || match.add(exact(Field::eth_src, i)));
        const auto id = in_.store().insert(head, match, output(1));
        ASSERT_TRUE(id);
        model_.put(*id, head, match, {});
        expect_right(i);
    }
    EXPECT_EQ(descriptor().n_tuples, before + 2);
}

TEST_F(Filter, TuplesThatGoLeaveTheOthersWhereTheyAre) {
    for (std::uint32_t n = 0; n < 600; ++n) add(n);
    ASSERT_GT(descriptor().n_fields, 0);
    const std::size_t rows = descriptor().n_tuples;
    // all flows of one row, and what was there before comes back in its place
    const std::uint32_t mask = descriptor().tuples()[rows / 2].mask;
    std::vector<std::uint32_t> gone;
    for (const auto& [n, id] : ids_)
        if (in_.arena().cold(in_.arena().hot(id.value()).body.load().cold).tuple == mask)
            gone.push_back(n);
    ASSERT_FALSE(gone.empty());
    for (const std::uint32_t n : gone) remove(n);
    EXPECT_EQ(descriptor().n_tuples, rows);
    EXPECT_EQ(descriptor().tuples()[rows / 2].mask, shm::kNone);
    EXPECT_EQ(in_.store().form(kTable).n_tuples, rows - 1);
    expect_right();
    in_.reopen();  // the next agent takes the gap for what it is
    EXPECT_EQ(in_.store().form(kTable).n_tuples, rows - 1);
    for (const std::uint32_t n : gone) add(n);
    EXPECT_EQ(descriptor().n_tuples, rows);
    EXPECT_NE(descriptor().tuples()[rows / 2].mask, shm::kNone);
    expect_right();
}

TEST_F(Filter, IsMadeAnewBeforeFlowsThatWentMakeItUseless) {
    for (std::uint32_t n = 0; n < 1000; ++n) add(n);
    const double fresh = left_to_search();
    for (std::uint32_t n = 0; n < 8000; ++n) {
        remove(n);
        add(n + 1000);
        if (n % 1000 == 999) expect_right(n);
    }
    EXPECT_LT(left_to_search(), 3 * fresh + 1);
}

TEST_F(Filter, GoesWithTheLastTuplesButOne) {
    for (std::uint32_t n = 0; n < 300; ++n) add(n);
    ASSERT_GT(descriptor().n_fields, 0);
    const std::uint32_t kept =
        in_.arena().cold(in_.arena().hot(ids_.at(0).value()).body.load().cold).tuple;
    for (std::uint32_t n = 1; n < 300; ++n)
        if (in_.arena().cold(in_.arena().hot(ids_.at(n).value()).body.load().cold).tuple != kept)
            remove(n);
    EXPECT_EQ(descriptor().n_fields, 0);
    EXPECT_EQ(descriptor().n_tuples, 1);
    expect_right();
    in_.store().remove_all();
    in_.space().poll();
    EXPECT_EQ(in_.space().lines().free_lines(), in_.arena().n_lines() - 1);
}

TEST_F(Filter, ServesTheNextAgent) {
    for (std::uint32_t n = 0; n < 700; ++n) add(n);
    in_.reopen();
    for (std::uint32_t n = 0; n < 100; ++n) remove(n);
    for (std::uint32_t n = 700; n < 900; ++n) add(n);
    EXPECT_GT(descriptor().n_fields, 0);
    expect_right();
}

TEST_F(Filter, OneThatIsDamagedIsRefused) {
    for (std::uint32_t n = 0; n < 100; ++n) add(n);
    const std::uint32_t line = in_.arena().bridge(kBridge).tables[0].load().descriptor;
    auto& d = reinterpret_cast<shm::TableDescriptor&>(in_.arena().line(line));
    const auto opens = [&] { return ArenaSpace::open(in_.arena()).has_value(); };
    ASSERT_TRUE(opens());
    const shm::TableDescriptor before = d;
    d.cells = in_.arena().n_lines();
    EXPECT_FALSE(opens());
    d = before;
    d.n_cells = 3;
    EXPECT_FALSE(opens());
    expect_right();  // who reads it all the same searches every tuple
    d = before;
    d.cells = d.buckets;
    EXPECT_FALSE(opens()) << "lines that are used twice";
}

TEST(FilterOfAFullTable, TakesNoMemoryFromFlows) {
    StoreInArena in({.max_flows = 1024, .max_ports = 512, .max_bridges = 2, .max_workers = 1});
    for (std::uint32_t n = 0; n < 1023; ++n)
        ASSERT_TRUE(
            in.store().insert({.table = TableId(static_cast<std::uint8_t>(n % 20)), .priority = 5},
                              rule(n), output(1)))
            << n;
}

// The writer makes the filter anew, adds and drops tuples; a flow that stays is never missed.
TEST(FilterUnderReaders, FlowsThatStayAreAlwaysFound) {
    StoreInArena in({.max_flows = 8192, .max_ports = 512, .max_bridges = 2, .max_workers = 2});
    std::vector<shm::Key> keys;
    std::vector<std::uint32_t> ids;
    for (std::uint32_t n = 0; n < 48; ++n) {
        const Match match = rule(n);
        const auto id = in.store().insert(
            {.table = kTable, .priority = static_cast<std::uint16_t>(1000 + n)}, match, output(1));
        ids.push_back(id.value().value());
        keys.push_back(masked_key(match).key);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) ids[i] = in.lookup(kTable, keys[i]);
    auto attached = shm::DataplaneArena::attach(in.rundir());
    ASSERT_TRUE(attached);
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> bursts{0}, missing{0};
    std::thread reader([&] {
        auto word = attached->reader(WorkerId(0));
        std::vector<const shm::Key*> pointers;
        for (const shm::Key& key : keys) pointers.push_back(&key);
        std::vector<std::uint32_t> flows(keys.size());
        word.online();
        while (!stop.load(std::memory_order_relaxed)) {
            shm::lookup(*attached, kBridge, kTable, pointers, flows);
            for (std::size_t i = 0; i < flows.size(); ++i)
                if (flows[i] != ids[i]) missing.fetch_add(1);
            word.quiescent();
            bursts.fetch_add(1);
            std::this_thread::yield();
        }
        word.offline();
    });
    std::size_t filters = 0, before = 0;
    for (std::uint32_t round = 0; round < 6; ++round) {
        std::vector<FlowId> added;
        for (std::uint32_t n = 0; n < 400; ++n) {
            const auto id = in.store().insert({.table = kTable, .priority = 5},
                                              rule(1000 + 400 * round + n), output(2));
            if (id) added.push_back(*id);
            const std::size_t now =
                in.arena().descriptor(in.arena().bridge(kBridge).tables[0].load().descriptor).cells;
            filters += now != before ? 1 : 0;
            before = now;
        }
        for (const FlowId id : added) {
            in.store().remove(id);
            in.store().release(id);
        }
    }
    const std::uint64_t seen = bursts.load();
    while (bursts.load() < seen + 4) std::this_thread::yield();
    stop.store(true);
    reader.join();
    EXPECT_EQ(missing.load(), 0u);
    EXPECT_GT(filters, 3u);
}

}  // namespace
}  // namespace raicho::agent
