// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/arena_flow_store.h"

#include <gmock/gmock.h>

#include <ctime>
#include <thread>

#include "tests/unit/agent/compiler/store_fixture.h"

namespace raicho::agent {
namespace {

using openflow::exact;
using openflow::Match;
using shm::DataplaneArena;
using shm::Template;

FlowHead head(std::uint16_t priority, std::uint8_t table = 0) {
    return {.table = TableId(table), .priority = priority, .created = 1000 * kSecond};
}
Match l2(std::uint64_t n) {
    return match_of({exact(Field::eth_dst, n)});
}
Match prefix(std::uint32_t address, int length) {
    return match_of(
        {exact(Field::eth_type, 0x0800),
         masked(Field::ipv4_dst, address, 0xffffffffull << (32 - length) & 0xffffffff)});
}
shm::Key key_of(const Match& match) {
    return masked_key(match).key;
}

class Store : public testing::Test {
  protected:
    ArenaFlowStore& store() { return in_.store(); }
    FlowId add(const FlowHead& h, const Match& match, std::uint32_t port = 1) {
        const auto id = store().insert(h, match, output(port));
        EXPECT_TRUE(id) << id.error().why;
        return id.value_or(FlowId(0));
    }
    void remove(FlowId id) {
        store().remove(id);
        store().release(id);
    }
    const shm::TableDescriptor& descriptor(std::uint8_t table = 0) {
        return in_.arena().descriptor(in_.arena().bridge(kBridge).tables[table].load().descriptor);
    }
    DataplaneArena dataplane() {
        auto attached = DataplaneArena::attach(in_.rundir());
        EXPECT_TRUE(attached) << attached.error().text;
        return std::move(*attached);
    }

    StoreInArena in_;
};

TEST_F(Store, AFlowOfOneMaskMakesAnExactTableAnotherMaskTupleMerge) {
    add(head(5), l2(1));
    add(head(5), l2(2));
    EXPECT_EQ(descriptor().kind, Template::exact);
    const FlowId other = add(head(5), prefix(0x0a000000, 8));
    EXPECT_EQ(descriptor().kind, Template::tuple_merge);
    remove(other);
    EXPECT_EQ(descriptor().kind, Template::exact);
    EXPECT_NE(in_.lookup(TableId(0), key_of(l2(1))), shm::kNoFlow);
    EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(3))), shm::kNoFlow);
}

TEST_F(Store, ATemplateThatIsWantedIsTakenWhereItCanHoldTheTable) {
    const auto finds = [&] {
        return in_.lookup(TableId(0), key_of(l2(1))) != shm::kNoFlow &&
               in_.lookup(TableId(0), key_of(l2(3))) == shm::kNoFlow;
    };
    add(head(5), l2(1));
    store().set_template(Template::tuple_merge);  // while packets come
    EXPECT_EQ(descriptor().kind, Template::tuple_merge);
    EXPECT_TRUE(finds());
    const FlowId other = add(head(5), prefix(0x0a000000, 8));
    store().set_template(Template::exact);
    EXPECT_EQ(descriptor().kind, Template::tuple_merge) << "two masks are not exact";
    remove(other);
    EXPECT_EQ(descriptor().kind, Template::exact);
    EXPECT_TRUE(finds());
    store().set_template(Template::none);
    EXPECT_EQ(descriptor().kind, Template::exact);
}

TEST_F(Store, ATemplateThatIsWantedIsThatOfTablesToComeToo) {
    store().set_template(Template::tuple_merge);
    add(head(5), l2(1));
    add(head(5, 7), l2(1));
    EXPECT_EQ(descriptor().kind, Template::tuple_merge);
    EXPECT_EQ(descriptor(7).kind, Template::tuple_merge);
    EXPECT_EQ(store().form(TableId(7)).kind, Template::tuple_merge);
    EXPECT_EQ(store().form(TableId(7)).n_tuples, 1u);
    EXPECT_EQ(store().form(TableId(7)).n_lines, 3u) << "a descriptor of two, a bucket";
    EXPECT_EQ(store().form(TableId(8)).kind, Template::none);
}

// While a table becomes tuple-merge, a worker that still has the exact descriptor meets flows of
// other masks in its buckets.
TEST_F(Store, AnExactSearchTakesNoEntryOfAnotherMask) {
    const FlowId flow = add(head(5), l2(1));
    const FlowId other = add(head(5, 1), prefix(0x0a000000, 8));
    shm::FlowHot& entry = in_.arena().hot(flow.value());
    const std::uint32_t own = entry.mask;
    entry.mask = in_.arena().hot(other.value()).mask;
    EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(1))), shm::kNoFlow);
    entry.mask = own;
    EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(1))), flow.value());
}

TEST_F(Store, PrioritiesOfOneMatchStandBehindEachOther) {
    const FlowId low = add(head(1), l2(1));
    const FlowId high = add(head(9), l2(1));
    const FlowId middle = add(head(5), l2(1));
    const shm::Key key = key_of(l2(1));
    EXPECT_EQ(in_.lookup(TableId(0), key), high.value());
    remove(high);
    EXPECT_EQ(in_.lookup(TableId(0), key), middle.value());
    remove(middle);
    EXPECT_EQ(in_.lookup(TableId(0), key), low.value());
    EXPECT_EQ(descriptor().kind, Template::exact);
}

TEST_F(Store, LongChainsGoToLongerMasks) {
    // All within 10/8, so one coarse chain: TupleMerge's weak spot.
    add(head(1), match_of({exact(Field::in_port, 1)}));
    std::vector<FlowId> ids;
    for (std::uint32_t i = 0; i < 600; ++i)
        ids.push_back(
            add(head(static_cast<std::uint16_t>(2 + i % 7)), prefix(0x0a000000 | i << 10, 22)));
    std::size_t longest = 0;
    for (const FlowId id : ids) {
        std::size_t length = 0;
        for (std::uint32_t f = id.value(); f != shm::kNoFlow; f = in_.arena().hot(f).next.load())
            ++length;
        longest = std::max(longest, length);
    }
    EXPECT_LE(longest, 40u);
    EXPECT_GE(descriptor().n_tuples, 3u);
    for (std::uint32_t i = 0; i < 600; ++i) {
        shm::Key key = key_of(prefix(0x0a000000 | i << 10, 22));
        EXPECT_EQ(in_.lookup(TableId(0), key), ids[i].value());
    }
}

TEST_F(Store, MoreMasksThanTuplesStillFindTheirFlows) {
    add(head(1), l2(77));
    std::vector<std::pair<Match, FlowId>> flows;
    for (std::uint32_t i = 0; i < 300; ++i) {
        // any subset of nine exact fields
        Match m;
        const auto put = [&](unsigned bit, Field field, std::uint64_t value) {
            EXPECT_TRUE((i >> bit & 1) == 0 || m.add(exact(field, value)));
        };
        put(0, Field::in_port, 1);
        put(1, Field::eth_src, 2);
        put(2, Field::eth_dst, 3);
        put(3, Field::metadata, 4);
        put(4, Field::tunnel_id, 5);
        put(5, Field::vlan_vid, kVlanPresent | 6);
        put(6, Field::eth_type, 0x9000);
        put(7, Field::in_phy_port, 8);
        put(8, Field::vlan_pcp, 1);
        flows.emplace_back(m, add(head(static_cast<std::uint16_t>(10 + i)), m));
    }
    EXPECT_LE(descriptor().n_tuples, shm::kMaxTuples);
    LinearModel model;
    for (const auto& [match, id] : flows) model.put(id, store().head(id), match, {});
    for (const auto& [match, id] : flows)
        EXPECT_TRUE(model.right(TableId(0), key_of(match), in_.lookup(TableId(0), key_of(match))));
}

TEST_F(Store, TheTableMissEntryIsASlotOfItsOwn) {
    add(head(5), l2(1));
    const FlowId miss = add(head(0), Match{});
    EXPECT_TRUE(in_.arena().hot(miss.value()).is_miss());
    EXPECT_EQ(descriptor().kind, Template::exact);
    EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(2))), miss.value());
    EXPECT_EQ(in_.lookup(TableId(1), key_of(l2(2))), shm::kNoFlow);
    EXPECT_EQ(store().table_counts(TableId(0)).active, 2u);
    // match-all of a higher priority is an ordinary flow
    const FlowId all = add(head(1), Match{});
    EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(2))), all.value());
    EXPECT_EQ(store().find_strict(TableId(0), 0, Match{}), miss);
}

TEST_F(Store, EqualInstructionsShareOneProgram) {
    const FlowId a = add(head(5), l2(1), 7);
    const std::uint32_t used = in_.space().chunks().pool().used();
    const FlowId b = add(head(5), l2(2), 7);
    EXPECT_EQ(in_.space().chunks().pool().used(), used);
    EXPECT_EQ(in_.arena().hot(a.value()).program(), in_.arena().hot(b.value()).program());
    ASSERT_TRUE(store().replace_instructions(std::array{a}, output(8), KeepCounts::yes));
    EXPECT_NE(in_.arena().hot(a.value()).program(), in_.arena().hot(b.value()).program());
    EXPECT_EQ(store().instructions(b), output(7));
}

TEST_F(Store, AMatchIsKeptAsSentAndFoundInAnyOrder) {
    const Match sent = match_of(
        {exact(Field::eth_type, 0x0800), exact(Field::ipv4_dst, 5), exact(Field::in_port, 1)});
    const Match turned =
        match_of({exact(Field::in_port, 1), masked(Field::eth_type, 0x0800, 0xffff),
                  exact(Field::ipv4_dst, 5)});
    const FlowId id = add(head(5), sent);
    EXPECT_EQ(store().match(id), sent);
    EXPECT_EQ(store().find_strict(TableId(0), 5, turned), id);
    EXPECT_FALSE(store().find_strict(TableId(0), 6, turned));
    EXPECT_FALSE(store().find_strict(TableId(1), 5, turned));
}

TEST_F(Store, CountsAreSumsOverWorkersSinceTheFlowWasMade) {
    auto workers = dataplane();
    FlowId id = add(head(5), l2(1));
    shm::add(workers.flow_counter(WorkerId(0), id.value()), 3, 300, shm::tick_of(in_.now));
    shm::add(workers.flow_counter(WorkerId(1), id.value()), 4, 400,
             shm::tick_of(in_.now + kSecond));
    in_.now += 2 * kSecond;
    EXPECT_EQ(store().counts(id).packets, 7u);
    EXPECT_EQ(store().counts(id).bytes, 700u);
    const Time used = store().counts(id).last_used;
    EXPECT_GE(used, in_.now - kSecond);
    EXPECT_LE(used, in_.now - kSecond + kSecond / 8);
    remove(id);
    in_.space().poll();
    FlowHead next = head(5);
    next.created = in_.now;
    id = add(next, l2(2));  // the same row
    EXPECT_EQ(store().counts(id).packets, 0u);
    EXPECT_EQ(store().counts(id).bytes, 0u);
    EXPECT_EQ(store().counts(id).last_used, 0u);
}

TEST_F(Store, CountsSurviveBothRestartsReplaceAndWrap) {
    FlowId id = add(head(5), l2(1));
    {
        auto workers = dataplane();
        shm::add(workers.flow_counter(WorkerId(0), id.value()), shm::kPacketsMask - 1, 10, 0);
    }
    store().harvest(100);
    in_.reopen();
    {
        auto workers = dataplane();
        shm::add(workers.flow_counter(WorkerId(0), id.value()), 5, 10, 0);  // wraps
    }
    EXPECT_EQ(store().counts(id).packets, shm::kPacketsMask + 4);
    id = store().replace(id, head(5), l2(1), output(9), KeepCounts::yes).value();
    EXPECT_EQ(store().counts(id).packets, shm::kPacketsMask + 4);
    EXPECT_EQ(store().counts(id).bytes, 20u);
    ASSERT_TRUE(store().replace_instructions(std::array{id}, output(9), KeepCounts::no));
    EXPECT_EQ(store().counts(id).packets, 0u);
    id = store().replace(id, head(5), l2(1), output(9), KeepCounts::no).value();
    EXPECT_EQ(store().counts(id).bytes, 0u);
}

TEST_F(Store, ARemovedFlowSettlesWhenEveryWorkerHasPassed) {
    auto workers = dataplane();
    auto reader = workers.reader(WorkerId(0));
    reader.online();
    const FlowId id = add(head(5), l2(1));
    store().remove(id);
    EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(1))), shm::kNoFlow);
    EXPECT_FALSE(store().settled(id));
    // the worker is still at a burst that hit the flow
    shm::add(workers.flow_counter(WorkerId(0), id.value()), 1, 60, 0);
    reader.quiescent();
    EXPECT_TRUE(store().settled(id));
    EXPECT_EQ(store().counts(id).packets, 1u);
    EXPECT_EQ(store().match(id), l2(1));
    store().release(id);
}

TEST_F(Store, RowsAreNotReusedUnderAWorker) {
    auto workers = dataplane();
    auto reader = workers.reader(WorkerId(0));
    const FlowId first = add(head(5), l2(1));
    reader.online();
    remove(first);
    const FlowId second = add(head(5), l2(1));
    EXPECT_NE(second, first);
    remove(second);
    reader.quiescent();
    in_.space().poll();
    EXPECT_EQ(in_.space().n_retired(), 0u);
    EXPECT_EQ(in_.space().flows().used(), 0u);
}

TEST_F(Store, AFullArenaSaysTableFullAndNothingIsHalfApplied) {
    std::vector<FlowId> ids;
    for (std::uint64_t n = 0;; ++n) {
        const auto id = store().insert(head(5), l2(n), output(1));
        if (!id) {
            EXPECT_EQ(id.error().type, openflow::ErrorType::flow_mod_failed);
            EXPECT_EQ(id.error().code,
                      static_cast<std::uint16_t>(openflow::FlowModFailed::table_full));
            EXPECT_EQ(id.error().why, "all 1023 flow entries are in use: raise max-flows");
            EXPECT_FALSE(store().reclaims());
            EXPECT_FALSE(store().find_strict(TableId(0), 5, l2(n)));
            EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(n))), shm::kNoFlow);
            break;
        }
        ids.push_back(*id);
        ASSERT_LT(n, 2000u);
    }
    EXPECT_EQ(ids.size(), 1023u);
    EXPECT_EQ(store().size(), 1023u);
    EXPECT_EQ(in_.space().flows().used(), 1023u);
    remove(ids[500]);
    EXPECT_TRUE(store().insert(head(5), l2(5000), output(1)));
    for (std::size_t n = 0; n < ids.size(); ++n)
        ASSERT_EQ(in_.lookup(TableId(0), key_of(l2(n))), n == 500 ? 0 : ids[n].value());
}

TEST_F(Store, NoRoomForInstructionsLeavesTheFlowAsItWas) {
    openflow::Instructions huge;
    huge.apply.emplace();
    for (std::uint32_t i = 0; i < 4000; ++i)
        huge.apply->push_back(openflow::OutputAction{PortNo(i + 1), 0});
    const FlowId id = add(head(5), l2(1));
    std::uint64_t n = 0;
    while (true) {
        (*huge.apply)[0] = openflow::OutputAction{PortNo(static_cast<std::uint32_t>(++n)), 0};
        const auto result = store().replace_instructions(std::array{id}, huge, KeepCounts::yes);
        if (!result) break;
        ASSERT_TRUE(store().insert(head(5), l2(100 + n), huge));
        ASSERT_LT(n, 100u);
    }
    const auto before = store().instructions(id);
    (*huge.apply)[0] = openflow::OutputAction{PortNo(123456), 0};
    EXPECT_FALSE(store().replace(id, head(5), l2(1), huge, KeepCounts::yes));
    EXPECT_EQ(store().instructions(id), before);
    const auto refused = store().insert(head(5), l2(2), huge);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().why,
                testing::MatchesRegex("no room for the instructions: [0-9]+ of [0-9]+ chunks are "
                                      "free: raise max-flows"));
    EXPECT_FALSE(store().find_strict(TableId(0), 5, l2(2)));
}

TEST_F(Store, WithoutMasksTheTextSaysSo) {
    std::string why;
    for (std::uint64_t n = 1; why.empty(); ++n) {
        ASSERT_LT(n, 5000u);
        const Match match = match_of({masked(Field::metadata, 0, n)});
        if (const auto id = store().insert(head(5), match, output(1)); !id) why = id.error().why;
    }
    EXPECT_EQ(why, format("all {} masks are in use: raise max-flows", in_.arena().n_masks() - 1));
}

TEST_F(Store, CountsOfAllFlowsAreResetOrOfNone) {
    std::vector<FlowId> ids;
    for (std::uint64_t n = 0; n < 1000; ++n) ids.push_back(add(head(5), l2(n)));
    {
        auto workers = dataplane();
        shm::add(workers.flow_counter(WorkerId(0), ids[0].value()), 3, 180, 0);
    }
    const std::uint32_t colds = in_.space().colds().used();
    const auto refused = store().replace_instructions(ids, output(7), KeepCounts::no);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().why,
              format("all {} flow records are in use: raise max-flows", in_.arena().n_cold() - 1));
    EXPECT_EQ(store().counts(ids[0]).packets, 3u);
    EXPECT_EQ(store().instructions(ids[0]), output(1));
    EXPECT_EQ(in_.space().colds().used(), colds);
    const std::span<const FlowId> few(ids.data(), 10);
    ASSERT_TRUE(store().replace_instructions(few, output(7), KeepCounts::no));
    EXPECT_EQ(store().counts(ids[0]).packets, 0u);
    EXPECT_EQ(store().instructions(ids[9]), output(7));
}

TEST_F(Store, IsNotReadyWhileAWorkerMayUseWhatTheLastAgentUnlinked) {
    auto workers = dataplane();
    auto reader = workers.reader(WorkerId(0));
    reader.online();
    in_.reopen();
    EXPECT_FALSE(store().ready());
    EXPECT_FALSE(store().insert(head(5), l2(1), output(1)));
    reader.quiescent();
    EXPECT_TRUE(store().ready());
    const FlowId id = add(head(5), l2(1));
    EXPECT_FALSE(store().reclaims());
    store().remove(id);
    EXPECT_TRUE(store().reclaims());
    store().release(id);
    EXPECT_TRUE(store().reclaims());
    reader.quiescent();
    in_.space().poll();
    EXPECT_FALSE(store().reclaims());
}

TEST_F(Store, EveryChangeBumpsTheVersionAndSoDoesANewAgent) {
    const auto version = [&] { return shm::table_version(in_.arena(), kBridge, TableId(0)); };
    std::uint32_t last = version();
    const auto bumped = [&] { return std::exchange(last, version()) != last; };
    FlowId id = add(head(5), l2(1));
    EXPECT_TRUE(bumped());
    ASSERT_TRUE(store().replace_instructions(std::array{id}, output(3), KeepCounts::yes));
    EXPECT_TRUE(bumped());
    id = store().replace(id, head(5), l2(1), output(4), KeepCounts::yes).value();
    EXPECT_TRUE(bumped());
    in_.reopen();
    EXPECT_TRUE(bumped());
    remove(id);
    EXPECT_TRUE(bumped());
}

TEST_F(Store, NonStrictSelectionAndOverlapFollowTheMasks) {
    const FlowId wide = add(head(5), prefix(0x0a000000, 8));
    const FlowId narrow = add(head(5), prefix(0x0a010000, 16));
    const FlowId other = add(head(5), l2(1));
    std::vector<FlowId> within;
    store().for_each_within(kAllTables, prefix(0x0a000000, 8), [&](FlowId id) {
        within.push_back(id);
        return true;
    });
    EXPECT_EQ(within, (std::vector{wide, narrow}));
    EXPECT_TRUE(store().find_overlap(TableId(0), 5, prefix(0x0a010200, 24)));
    EXPECT_EQ(store().find_overlap(TableId(0), 5, prefix(0x0b000000, 8)), other);
    EXPECT_FALSE(store().find_overlap(TableId(0), 6, prefix(0x0a010200, 24)));
}

TEST_F(Store, BridgesKeepTheirFlowsApart) {
    ArenaFlowStore second(in_.space(), BridgeId(0));
    add(head(5), l2(1));
    EXPECT_EQ(second.size(), 0u);
    ASSERT_TRUE(second.insert(head(5), l2(2), output(1)));
    EXPECT_EQ(store().size(), 1u);
    EXPECT_EQ(in_.lookup(TableId(0), key_of(l2(2))), shm::kNoFlow);
    second.remove_all();
    EXPECT_EQ(second.size(), 0u);
    EXPECT_NE(in_.lookup(TableId(0), key_of(l2(1))), shm::kNoFlow);
}

TEST_F(Store, ADamagedArenaIsRefusedNotFollowed) {
    const FlowId id = add(head(5), l2(1));
    in_.arena().hot(id.value()).next.store(id.value());  // a circle
    auto space = ArenaSpace::open(in_.arena());
    ASSERT_FALSE(space);
    EXPECT_NE(space.error().text.find("damaged"), std::string::npos) << space.error().text;
}

TEST(Adoption, AHundredThousandFlowsTakeWellUnderASecond) {
    StoreInArena in({.max_flows = 1u << 17, .max_ports = 512, .max_bridges = 2, .max_workers = 1});
    for (std::uint64_t n = 0; n < 100'000; ++n)
        ASSERT_TRUE(
            in.store().insert(head(5), l2(n * 7919), output(static_cast<std::uint32_t>(n % 16))));
    timespec before{};
    timespec after{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);  // others may have the cores
    in.reopen();
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const auto ms =
        (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1'000'000;
    RecordProperty("adoption_ms", static_cast<int>(ms));
    EXPECT_EQ(in.store().size(), 100'000u);
    EXPECT_LT(ms, 1000);
    EXPECT_NE(in.lookup(TableId(0), key_of(l2(99'999 * 7919))), shm::kNoFlow);
}

TEST(StoreUnderReaders, PermanentFlowsAreAlwaysFoundWhileTheTableChanges) {
    StoreInArena in({.max_flows = 8192, .max_ports = 512, .max_bridges = 2, .max_workers = 2});
    std::vector<shm::Key> keys;
    std::vector<std::uint32_t> ids;
    for (std::uint64_t n = 0; n < 32; ++n) {
        const Match match = l2(n << 20 | n);
        ids.push_back(in.store().insert(head(100), match, output(1)).value().value());
        keys.push_back(key_of(match));
    }
    auto attached = DataplaneArena::attach(in.rundir());
    ASSERT_TRUE(attached);
    DataplaneArena& workers = *attached;
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> bursts{0};
    std::atomic<std::uint64_t> missing{0};
    std::vector<std::thread> threads;
    for (std::uint8_t w = 0; w < 2; ++w)
        threads.emplace_back([&, w] {
            auto reader = workers.reader(WorkerId(w));
            std::vector<const shm::Key*> pointers;
            for (const shm::Key& key : keys) pointers.push_back(&key);
            std::vector<std::uint32_t> flows(keys.size());
            reader.online();
            while (!stop.load(std::memory_order_relaxed)) {
                shm::lookup(workers, kBridge, TableId(0), pointers, flows);
                for (std::size_t i = 0; i < flows.size(); ++i)
                    if (flows[i] != ids[i]) missing.fetch_add(1);
                reader.quiescent();
                bursts.fetch_add(1);
                std::this_thread::yield();
            }
            reader.offline();
        });
    // Growth, exact <-> tuple-merge, tuples and chains come and go.
    for (int round = 0; round < 3; ++round) {
        std::vector<FlowId> added;
        const auto keep = [&](const openflow::OfResult<FlowId>& id) {
            if (id) added.push_back(*id);
        };
        for (std::uint64_t n = 0; n < 300; ++n)
            keep(in.store().insert(head(5), l2(0x900000000 + n), output(2)));
        for (std::uint32_t n = 0; n < 300; ++n)
            keep(in.store().insert(head(static_cast<std::uint16_t>(n % 50)),
                                   prefix(0x0a000000 | n << 8, n % 2 == 0 ? 24 : 25), output(3)));
        for (const FlowId id : added) {
            in.store().remove(id);
            in.store().release(id);
        }
    }
    const std::uint64_t seen = bursts.load();
    while (bursts.load() < seen + 4) std::this_thread::yield();
    stop.store(true);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(missing.load(), 0u);
}

}  // namespace
}  // namespace raicho::agent
