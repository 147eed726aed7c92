// SPDX-License-Identifier: Apache-2.0
// Groups and meters in the arena as the model sees them: kept as sent, counted since they were
// made, adopted by the next agent, whole after a kill at every step.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "agent/compiler/arena_group_store.h"
#include "agent/compiler/arena_meter_store.h"
#include "tests/unit/agent/compiler/store_fixture.h"

namespace raicho::agent {
namespace {

using openflow::Bucket, openflow::Buckets, openflow::GroupType, openflow::MeterBand,
    openflow::MeterBands, openflow::OutputAction;
using shm::DataplaneArena;
namespace flag = openflow::meter_flag;

Buckets two_buckets() {
    return {{.weight = 3, .actions = {OutputAction{PortNo(2), 77}, openflow::PushVlan{0x8100}}},
            {.weight = 5,
             .watch_port = PortNo(9),
             .watch_group = GroupId(4),
             .actions = {openflow::SetQueue{6}, openflow::GroupAction{GroupId(4)}}}};
}
MeterBands two_bands() {
    return {{.type = openflow::BandType::dscp_remark, .rate = 1000, .prec_level = 2},
            {.type = openflow::BandType::drop, .rate = 5000, .burst_size = 9}};
}

/// Stores over StoreInArena's space, taken up again with it.
class Stores : public testing::Test {
  protected:
    Stores() { open(); }
    void open() {
        groups_.emplace(in_.space(), kBridge);
        meters_.emplace(in_.space(), kBridge);
    }
    void reopen() {
        in_.reopen();
        open();
    }
    void add(std::uint32_t group, GroupType type, const Buckets& buckets) {
        const auto done = groups_->insert(GroupId(group), {type, in_.now}, buckets);
        EXPECT_TRUE(done) << done.error().why;
    }
    void add_meter(MeterId meter, std::uint16_t flags, const MeterBands& bands) {
        const auto done = meters_->insert(meter, {flags, in_.now}, bands);
        EXPECT_TRUE(done) << done.error().why;
    }
    DataplaneArena dataplane() {
        auto attached = DataplaneArena::attach(in_.rundir());
        EXPECT_TRUE(attached) << attached.error().text;
        return std::move(*attached);
    }
    [[nodiscard]] std::uint32_t group_row(std::uint32_t id) {
        return in_.arena().groups().find(kBridge, id);
    }
    [[nodiscard]] std::uint32_t meter_row(std::uint32_t id) {
        return in_.arena().meters().find(kBridge, id);
    }
    [[nodiscard]] std::span<const shm::BucketRow> buckets_of(std::uint32_t id) {
        return in_.arena().buckets_of(in_.arena().groups()[group_row(id)].body);
    }
    void expect_no_leak() {
        groups_->remove_all();
        meters_->remove_all();
        in_.space().poll();
        EXPECT_EQ(in_.space().groups().pool().used(), 0u);
        EXPECT_EQ(in_.space().meters().pool().used(), 0u);
        EXPECT_EQ(in_.space().buckets().used(), 0u);
        EXPECT_EQ(in_.space().meter_states().used(), 0u);
        EXPECT_EQ(in_.space().chunks().pool().used(), 0u);
        EXPECT_EQ(in_.space().lines().free_lines(), in_.arena().n_lines() - 1);
    }

    StoreInArena in_;
    std::optional<ArenaGroupStore> groups_;
    std::optional<ArenaMeterStore> meters_;
};

TEST_F(Stores, AGroupIsKeptAsSentOverARestart) {
    add(4, GroupType::all, {});
    add(7, GroupType::select, two_buckets());
    for (int life = 0; life < 2; ++life, reopen()) {
        EXPECT_EQ(groups_->size(), 2u);
        EXPECT_EQ(groups_->buckets(GroupId(7)), two_buckets());
        EXPECT_EQ(groups_->head(GroupId(7)), (GroupHead{GroupType::select, in_.now}));
        EXPECT_EQ(groups_->buckets(GroupId(4)), Buckets{});
        EXPECT_EQ(groups_->next(GroupId(0)), GroupId(4));
        EXPECT_EQ(groups_->next(GroupId(5)), GroupId(7));
        EXPECT_EQ(groups_->next(GroupId(8)), std::nullopt);
        EXPECT_FALSE(groups_->contains(GroupId(5)));
    }
    expect_no_leak();
}

// §5.10 for a bucket: a set, so the order of sending does not count, the last of a kind does, and
// an output beside a group is none.
TEST_F(Stores, ABucketsActionsAreCompiledAsASet) {
    const auto codes = [&](const openflow::ActionList& actions) {
        std::vector<shm::OpCode> all;
        const std::vector<std::uint64_t> words = compile_set(actions);
        for (std::size_t i = 0; i < words.size();) {
            const auto op = std::bit_cast<shm::Op>(words[i]);
            all.push_back(op.code);
            i += shm::op_words(op.code, op.arg16);
        }
        return all;
    };
    using enum shm::OpCode;
    EXPECT_EQ(codes({OutputAction{PortNo(1)}, openflow::DecNwTtl{}, openflow::PopVlan{}}),
              (std::vector{pop_vlan, dec_nw_ttl, output, end}));
    EXPECT_EQ(codes({OutputAction{PortNo(1)}, openflow::GroupAction{GroupId(2)}}),
              (std::vector{group, end}));
    const auto words = compile_set({OutputAction{PortNo(1)}, OutputAction{PortNo(2)}});
    EXPECT_EQ(std::bit_cast<shm::Op>(words[0]).arg32, 2u);
}

TEST_F(Stores, LivenessIsWatchedWhereTheBucketSendsUnlessItSays) {
    const auto watch_of = [&](GroupType type, const Bucket& bucket) {
        if (groups_->contains(GroupId(1)))
            EXPECT_TRUE(groups_->replace(GroupId(1), type, {bucket}));
        else
            add(1, type, {bucket});
        const shm::BucketRow& row = buckets_of(1)[0];
        return std::tuple(row.watch, row.watch_port, row.watch_group);
    };
    using enum shm::Watch;
    constexpr std::uint32_t kNone = shm::kWatchNone;
    const Bucket to_port{.actions = {OutputAction{PortNo(3)}}};
    const Bucket to_group{.actions = {OutputAction{PortNo(3)}, openflow::GroupAction{GroupId(8)}}};
    const Bucket to_controller{.actions = {OutputAction{port::kController}}};
    EXPECT_EQ(watch_of(GroupType::select, to_port), std::tuple(watched, 3u, kNone));
    EXPECT_EQ(watch_of(GroupType::indirect, to_group), std::tuple(watched, kNone, 8u));
    EXPECT_EQ(watch_of(GroupType::all, to_controller), std::tuple(always_live, kNone, kNone));
    EXPECT_EQ(watch_of(GroupType::all, {}), std::tuple(always_live, kNone, kNone));
    EXPECT_EQ(watch_of(GroupType::fast_failover, to_port), std::tuple(always_live, kNone, kNone));
    Bucket says = to_port;
    says.watch_port = PortNo(5);
    EXPECT_EQ(watch_of(GroupType::fast_failover, says), std::tuple(watched, 5u, kNone));
}

// §6.7: a modify keeps the group's counters and starts those of the buckets anew.
TEST_F(Stores, CountsOfGroupsAreSumsSinceTheyWereMade) {
    add(7, GroupType::all, two_buckets());
    {
        auto workers = dataplane();
        for (const WorkerId w : {WorkerId(0), WorkerId(1)}) {
            workers.group_counter(w, group_row(7)).add(3, 300);
            workers.bucket_counter(w, buckets_of(7)[1].counter).add(2, 200);
        }
    }
    reopen();
    GroupCount count = groups_->counts(GroupId(7));
    EXPECT_EQ(count.packets, 6u);
    EXPECT_EQ(count.bytes, 600u);
    ASSERT_EQ(count.buckets.size(), 2u);
    EXPECT_EQ(count.buckets[0], openflow::BucketCount{});
    EXPECT_EQ(count.buckets[1], (openflow::BucketCount{4, 400}));
    EXPECT_TRUE(groups_->replace(GroupId(7), GroupType::select, two_buckets()));
    count = groups_->counts(GroupId(7));
    EXPECT_EQ(count.packets, 6u);
    EXPECT_EQ(count.buckets[1], openflow::BucketCount{});
    groups_->remove(GroupId(7));
    in_.space().poll();
    for (int i = 0; i < 3; ++i) {  // the same rows again
        add(7, GroupType::all, two_buckets());
        EXPECT_EQ(groups_->counts(GroupId(7)).packets, 0u);
        EXPECT_EQ(groups_->counts(GroupId(7)).buckets[1], openflow::BucketCount{});
        groups_->remove(GroupId(7));
        in_.space().poll();
    }
}

TEST_F(Stores, AReplacedBodyWaitsForTheWorkers) {
    add(7, GroupType::all, two_buckets());
    auto workers = dataplane();
    auto reader = workers.reader(WorkerId(0));
    reader.online();
    const std::uint32_t used = in_.space().lines().free_lines();
    EXPECT_TRUE(groups_->replace(GroupId(7), GroupType::all, {}));
    in_.space().poll();
    EXPECT_LT(in_.space().lines().free_lines(), used) << "the old body is still there";
    EXPECT_TRUE(groups_->reclaims());
    reader.quiescent();
    in_.space().poll();
    EXPECT_GT(in_.space().lines().free_lines(), used);
    EXPECT_FALSE(groups_->reclaims());
}

TEST_F(Stores, WhatDoesNotFitIsRefusedAndChangesNothing) {
    const std::uint32_t most = groups_->limits().buckets;
    Buckets many(most + 1);
    auto refused = groups_->insert(GroupId(1), {GroupType::all, in_.now}, many);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().why.find(std::to_string(most)), std::string::npos);
    many.resize(most);
    // the table memory of this small arena is what runs out, and says so
    const std::uint32_t free = in_.space().lines().free_lines();
    refused = groups_->insert(GroupId(1), {GroupType::all, in_.now}, many);
    EXPECT_EQ(refused.has_value(), in_.space().lines().free_lines() < free);
    EXPECT_FALSE(meters_->insert(MeterId(1), {flag::kKbps, in_.now}, MeterBands(9)));
    EXPECT_FALSE(meters_->insert(MeterId(1), {flag::kKbps, in_.now}, {MeterBand{}})) << "rate 0";
    expect_no_leak();
}

TEST_F(Stores, AMeterIsKeptAsSentOverARestart) {
    add_meter(MeterId(7), flag::kPktps | flag::kBurst, two_bands());
    add_meter(openflow::meter::kController, flag::kKbps, {{openflow::BandType::drop, 1}});
    for (int life = 0; life < 2; ++life, reopen()) {
        EXPECT_EQ(meters_->bands(MeterId(7)), two_bands());
        EXPECT_EQ(meters_->head(MeterId(7)).flags, flag::kPktps | flag::kBurst);
        EXPECT_EQ(meters_->next(MeterId(0)), MeterId(7));
        EXPECT_EQ(meters_->next(MeterId(8)), openflow::meter::kController);
        EXPECT_EQ(in_.arena().bridge(kBridge).controller_meter.load(),
                  meter_row(openflow::meter::kController.value()));
        EXPECT_EQ(in_.arena().bridge(kBridge).slowpath_meter.load(), shm::kNoRow);
    }
    // workers look at the band of the highest rate first
    const auto bands = in_.arena().bands_of(in_.arena().meters()[meter_row(7)].body);
    EXPECT_EQ(bands[0].rate, 5000u);
    EXPECT_EQ(bands[1].rate, 1000u);
    meters_->remove(openflow::meter::kController);
    EXPECT_EQ(in_.arena().bridge(kBridge).controller_meter.load(), shm::kNoRow);
    expect_no_leak();
}

TEST_F(Stores, CountsOfMetersAreSumsSinceTheyWereMadeAndBucketsStartFull) {
    for (int life = 0; life < 3; ++life) {
        add_meter(MeterId(7), flag::kPktps | flag::kBurst, two_bands());
        EXPECT_EQ(meters_->counts(MeterId(7)).packets, 0u);
        EXPECT_EQ(meters_->counts(MeterId(7)).bands[1], openflow::BandCount{});
        auto workers = dataplane();
        const auto& body = in_.arena().meter_body(in_.arena().meters()[meter_row(7)].body);
        const shm::MeterBand& drop = body.bands()[0];
        auto& word = workers.meter_state(body.state).spent[0];
        const shm::MeterTime now = shm::meter_time(in_.now);
        unsigned passed = 0;
        while (shm::band_take(drop, word, now, shm::band_charge(drop, 1)) == shm::Meter::within)
            ++passed;
        EXPECT_EQ(passed, 9u) << "a full bucket, whoever had the row before";
        workers.meter_counter(WorkerId(1), meter_row(7)).add(11, 1100);
        workers.band_counters(WorkerId(0), body.state).bands[0].add(2, 200);
        const MeterCount count = meters_->counts(MeterId(7));
        EXPECT_EQ(count.packets, 11u);
        EXPECT_EQ(count.bytes, 1100u);
        EXPECT_EQ(count.bands[0], openflow::BandCount{});
        EXPECT_EQ(count.bands[1], (openflow::BandCount{2, 200})) << "in the order sent";
        EXPECT_TRUE(meters_->replace(MeterId(7), flag::kKbps, {two_bands()[0]}));
        EXPECT_EQ(meters_->counts(MeterId(7)).packets, 11u);
        EXPECT_EQ(meters_->counts(MeterId(7)).bands.at(0), openflow::BandCount{});
        meters_->remove(MeterId(7));
        in_.space().poll();
    }
    expect_no_leak();
}

TEST_F(Stores, AnAgentKilledAtAnyStepLeavesTheOldOrTheNew) {
    add(4, GroupType::indirect, {Bucket{}});
    add(7, GroupType::all, two_buckets());
    add_meter(MeterId(3), flag::kKbps, two_bands());
    const std::vector<std::function<void()>> changes{
        [&] { (void)groups_->insert(GroupId(9), {GroupType::all, 1}, two_buckets()); },
        [&] { (void)groups_->replace(GroupId(7), GroupType::select, {Bucket{}}); },
        [&] { groups_->remove(GroupId(4)); },
        [&] { (void)meters_->insert(MeterId(5), {flag::kKbps, 1}, two_bands()); },
        [&] { (void)meters_->replace(MeterId(3), flag::kPktps, {two_bands()[1]}); },
        [&] {
            (void)meters_->insert(openflow::meter::kSlowpath, {flag::kKbps, 1}, two_bands());
            meters_->remove(openflow::meter::kSlowpath);
        },
    };
    for (const auto& change : changes) {
        for (int kill_at = 1, status = 1; status != 0; ++kill_at) {
            const pid_t child = ::fork();
            if (child == 0) {
                int left = kill_at;
                in_.space().set_step_hook([&] {
                    if (--left == 0) ::_exit(1);
                });
                change();
                ::_exit(0);
            }
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            reopen();
            const Buckets seven = groups_->buckets(GroupId(7));
            EXPECT_TRUE(seven == two_buckets() || seven == Buckets{Bucket{}});
            EXPECT_EQ(seven == two_buckets(), groups_->head(GroupId(7)).type == GroupType::all);
            const MeterBands three = meters_->bands(MeterId(3));
            EXPECT_TRUE(three == two_bands() || three == MeterBands{two_bands()[1]});
            if (groups_->contains(GroupId(9))) groups_->remove(GroupId(9));
            if (meters_->contains(MeterId(5))) meters_->remove(MeterId(5));
            if (meters_->contains(openflow::meter::kSlowpath))
                meters_->remove(openflow::meter::kSlowpath);
            if (!groups_->contains(GroupId(4))) add(4, GroupType::indirect, {Bucket{}});
            ASSERT_LT(kill_at, 20);
        }
    }
    expect_no_leak();
}

TEST_F(Stores, TheGroupsOfAnotherBridgeAreNotTouched) {
    ArenaGroupStore other(in_.space(), BridgeId(0));
    add(7, GroupType::all, two_buckets());
    EXPECT_FALSE(other.contains(GroupId(7)));
    EXPECT_TRUE(other.insert(GroupId(7), {GroupType::all, 1}, {}));
    EXPECT_EQ(groups_->buckets(GroupId(7)), two_buckets());
    groups_->remove_all();
    EXPECT_TRUE(other.contains(GroupId(7)));
    other.remove_all();
    expect_no_leak();
}

}  // namespace
}  // namespace raicho::agent
