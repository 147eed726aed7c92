// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/port_rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "shm/text_field.h"
#include "tests/unit/agent/plane/test_loop.h"

namespace raicho::agent {
namespace {

using openflow::PortReason;
using shm::PortHealth;
using shm::PortPhase;

class PortRowsTest : public testing::Test {
  protected:
    PortRowsTest() : arena(small_arena(rundir.path)) {
        client = std::move(
            *ControlClient::open(loop, rundir.path, arena,
                                 {.attached =
                                      [this] {
                                          if (rows) rows->dataplane_attached();
                                      },
                                  .lost = [] {},
                                  .port_event = [this](PortSlot slot) { rows->refresh(slot); },
                                  .rung = [] {}}));
        make_rows();
    }
    void make_rows() {
        rows.reset();
        rows = std::make_unique<PortRows>(
            loop, arena, *client, [this](PortSlot, PortReason reason, const openflow::PortDesc& d) {
                constexpr std::array kNames{"added", "removed", "modified"};
                told.push_back(
                    std::string(kNames.at(std::to_underlying(reason))) + " " + d.name +
                    ((d.state & openflow::port_state::kLinkDown) != 0 ? " down" : " up"));
            });
    }
    static PortSpec spec(std::string name, std::uint32_t number) {
        return {.bridge = BridgeId(1),
                .number = PortNo(number),
                .name = name,
                .kind = shm::PortKind::af_packet,
                .device = name};
    }
    PortSlot add(const PortSpec& what) {
        bool done = false;
        const auto slot = rows->prepare(what, [&](Result<void> r) { done = r.has_value(); });
        EXPECT_TRUE(slot);
        EXPECT_TRUE(loop.until([&] { return done; }));
        EXPECT_TRUE(rows->attach(*slot));
        return *slot;
    }
    /// Writes a status row as the dataplane does.
    void report(shm::DataplaneArena& dataplane, PortSlot slot, PortHealth health,
                std::uint32_t speed = 10000) {
        shm::PortStatus& row = dataplane.port_status(slot);
        row.sequence.fetch_add(1);
        row.health = health;
        row.speed_mbps = speed;
        row.mac = {2, 0, 0, 0, 0, 9};
        row.sequence.fetch_add(1);
        rows->refresh(slot);
    }

    RunDirectory rundir;
    PollLoop loop;
    shm::AgentArena arena;
    std::unique_ptr<ControlClient> client;
    std::vector<std::string> told;
    std::unique_ptr<PortRows> rows;
};

TEST_F(PortRowsTest, PortIsPreparedOutsideEveryBridgeAndThenAttached) {
    bool done = false;
    const auto slot = rows->prepare(spec("p1", 1), [&](Result<void> r) { done = bool(r); });
    ASSERT_TRUE(slot);
    EXPECT_EQ(arena.wanted_port(*slot).phase.load(), PortPhase::prepared);
    EXPECT_FALSE(rows->find(BridgeId(1), PortNo(1)));
    ASSERT_TRUE(loop.until([&] { return done; }));
    ASSERT_TRUE(rows->attach(*slot));
    EXPECT_EQ(arena.wanted_port(*slot).phase.load(), PortPhase::attached);
    EXPECT_EQ(rows->find(BridgeId(1), PortNo(1)), *slot);
    EXPECT_EQ(rows->find(BridgeId(1), std::string_view("p1")), *slot);
    EXPECT_EQ(told, (std::vector<std::string>{"added p1 down"}));
}

TEST_F(PortRowsTest, QueuesThatAKilledAgentLeftHalfWrittenAreFinished) {
    PortSpec wanted = spec("p1", 1);
    wanted.egress = {{.id = 3, .priority = 7}};
    const PortSlot slot = add(wanted);
    auto& row = const_cast<shm::PortQueues&>(arena.wanted_queues(slot));
    row.sequence.fetch_add(1);
    EXPECT_FALSE(shm::read_queues(row));
    const std::array<shm::QueueRow, 1> same{row.queues[0]};
    arena.set_queues(slot, same, row.max_bps);
    EXPECT_TRUE(shm::read_queues(row));
}

TEST_F(PortRowsTest, QueuesAreKeptInTheArenaWithTheirCounters) {
    PortSpec wanted = spec("p1", 1);
    wanted.egress = {{.id = 3, .priority = 7, .weight = 2, .max_bps = 50'000'000},
                     {.id = 9, .min_bps = 10'000'000}};
    wanted.egress_bps = 100'000'000;
    const PortSlot slot = add(wanted);
    EXPECT_EQ(rows->spec(slot), wanted);
    const auto descs = rows->queues(slot);
    ASSERT_EQ(descs.size(), 2u);
    EXPECT_EQ(descs[0], (openflow::QueueDesc{3, PortNo(1), std::nullopt, 500}));
    EXPECT_EQ(descs[1], (openflow::QueueDesc{9, PortNo(1), 100, std::nullopt}));
    {
        auto dataplane = shm::DataplaneArena::attach(rundir.path);
        ASSERT_TRUE(dataplane);
        const auto plan = shm::read_queues(arena.wanted_queues(slot));
        ASSERT_TRUE(plan);
        EXPECT_EQ(plan->max_bps, 100'000'000u);
        EXPECT_EQ(plan->queues[1].id, 9u);
        auto& counters = dataplane->queue_counters(WorkerId(1), slot).queues;
        counters[0] = {5, 500, 1, 0};
        counters[1] = {6, 600, 2, 0};
    }
    EXPECT_EQ(rows->queue_stats(slot, 9)->tx_packets, 6u);
    EXPECT_EQ(rows->queue_stats(slot, 9)->tx_errors, 2u);
    EXPECT_FALSE(rows->queue_stats(slot, 4));
    EXPECT_TRUE(rows->has_queue(BridgeId(1), 9));
    EXPECT_FALSE(rows->has_queue(BridgeId(1), 4));
    EXPECT_FALSE(rows->has_queue(BridgeId(2), 9));
    PortSpec next = spec("p2", 2);  // prepared only: its flows come before it is attached
    next.egress = {{.id = 5}};
    ASSERT_TRUE(rows->prepare(next, [](const Result<void>&) {}));
    EXPECT_TRUE(rows->has_queue(BridgeId(1), 5));
    // one goes, one comes in its place, one stays
    wanted.egress = {{.id = 4}, {.id = 9, .min_bps = 20'000'000}};
    rows->change(slot, wanted);
    EXPECT_EQ(rows->spec(slot), wanted);
    EXPECT_EQ(rows->queue_stats(slot, 9)->tx_packets, 6u);
    EXPECT_EQ(rows->queue_stats(slot, 4)->tx_packets, 0u);
    EXPECT_FALSE(rows->queue_stats(slot, 3));
    wanted.egress.clear();
    wanted.egress_bps = 0;
    rows->change(slot, wanted);
    EXPECT_TRUE(rows->queues(slot).empty());
    EXPECT_EQ(shm::read_queues(arena.wanted_queues(slot))->n_queues, 0u);
}

TEST_F(PortRowsTest, ADeviceIsOpenedWhenThePortThatLeavesHasLetGo) {
    ScriptedDataplane dataplane(rundir.path);
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), client->attached(); }));
    const auto answer = [&](shm::ControlType type) {
        std::optional<PortSlot> slot;
        EXPECT_TRUE(loop.until([&] {
            const auto request = dataplane.take();
            if (!request) return false;
            EXPECT_EQ(request->type, type);
            slot = PortSlot(static_cast<std::uint16_t>(request->slot));
            dataplane.say(shm::ControlType::reply, request->request, 0, "");
            return true;
        }));
        return slot;
    };
    PortSpec tap = spec("t", 1);
    tap.kind = shm::PortKind::tap;
    tap.device = "tap0";
    bool done = false;
    const auto first = rows->prepare(tap, [&](Result<void> r) { done = bool(r); });
    ASSERT_TRUE(first);
    EXPECT_EQ(answer(shm::ControlType::open_port), *first);
    ASSERT_TRUE(loop.until([&] { return done; }));
    ASSERT_TRUE(rows->attach(*first));
    rows->remove(*first);
    tap.bridge = BridgeId(2);
    done = false;
    const auto second = rows->prepare(tap, [&](Result<void> r) { done = bool(r); });
    ASSERT_TRUE(second);
    EXPECT_EQ(answer(shm::ControlType::close_port), *first);
    EXPECT_EQ(answer(shm::ControlType::open_port), *second);
    EXPECT_TRUE(loop.until([&] { return done; }));
}

TEST_F(PortRowsTest, VlansAndPolicersAreInTheArena) {
    PortSpec wanted = spec("p1", 1);
    wanted.vlan = {VlanSpec::Kind::trunk, 7, {10, 4094}};
    wanted.policer = {8'000'000, 10'000};
    const PortSlot slot = add(wanted);
    EXPECT_EQ(rows->spec(slot).vlan, wanted.vlan);
    const shm::WantedPort& row = arena.wanted_port(slot);
    EXPECT_EQ(row.policer_cost.load(), shm::band_cost(shm::meter_flag::kKbps, 8000));
    const auto depth = static_cast<double>(row.policer_depth.load());
    EXPECT_NEAR(depth / static_cast<double>(shm::meter_time(10'000'000)), 1, 1e-6);
    const std::uint32_t cleared = row.mac_generation.load();
    wanted.policer = {};
    rows->change(slot, wanted);
    EXPECT_EQ(row.policer_cost.load(), 0u);
    EXPECT_EQ(row.mac_generation.load(), cleared);
    wanted.vlan = {VlanSpec::Kind::access, 20, {}};
    rows->change(slot, wanted);
    EXPECT_EQ(rows->spec(slot).vlan, wanted.vlan);
    EXPECT_EQ(row.mac_generation.load(), cleared + 1);  // they were learned in other VLANs
    wanted.vlan = {};
    rows->change(slot, wanted);
    EXPECT_EQ(row.vlan.load(), 0u);
    EXPECT_FALSE(arena.wanted_vlans(slot).has(10));
}

TEST_F(PortRowsTest, RefusedDeviceGivesTheSlotBack) {
    ScriptedDataplane dataplane(rundir.path);
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), client->attached(); }));
    std::string why;
    const auto slot =
        rows->prepare(spec("p1", 1), [&](Result<void> r) { why = r ? "ok" : r.error().text; });
    ASSERT_TRUE(loop.until([&] {
        if (const auto request = dataplane.take())
            dataplane.say(shm::ControlType::reply, request->request, 16, "interface p1: busy");
        return !why.empty();
    }));
    EXPECT_EQ(why, "port \"p1\": interface p1: busy");
    EXPECT_EQ(arena.wanted_port(*slot).phase.load(), PortPhase::free);
    EXPECT_TRUE(loop.until([&] { return dataplane.agree(), rows->n_used() == 0; }));
}

TEST_F(PortRowsTest, LinkChangesAreToldOnce) {
    auto dataplane = shm::DataplaneArena::attach(rundir.path);
    ASSERT_TRUE(dataplane) << dataplane.error().text;
    const PortSlot slot = add(spec("p1", 1));
    rows->set_vouched(PortRows::Vouched::yes);
    told.clear();
    report(*dataplane, slot, PortHealth::up);
    report(*dataplane, slot, PortHealth::up);
    report(*dataplane, slot, PortHealth::down);
    EXPECT_EQ(told, (std::vector<std::string>{"modified p1 up", "modified p1 down"}));
    rows->set_config(slot, openflow::port_config::kNoFwd);
    EXPECT_EQ(told.size(), 2u) << "a port-mod is told by the model";
    EXPECT_EQ(rows->desc(slot).config, openflow::port_config::kNoFwd);
}

TEST_F(PortRowsTest, DescribesSpeedAddressAndLiveness) {
    auto dataplane = shm::DataplaneArena::attach(rundir.path);
    ASSERT_TRUE(dataplane);
    const PortSlot slot = add(spec("p1", 1));
    rows->set_vouched(PortRows::Vouched::yes);
    report(*dataplane, slot, PortHealth::up, 10000);
    const openflow::PortDesc desc = rows->desc(slot);
    EXPECT_EQ(desc.state, openflow::port_state::kLive);
    EXPECT_EQ(desc.curr, 1u << 6) << "OFPPF_10GB_FD";
    EXPECT_EQ(desc.curr_speed, 10'000'000u);
    EXPECT_EQ(to_string(desc.hw_addr), "02:00:00:00:00:09");
    EXPECT_EQ(port_features(2500), 1u << 10) << "OFPPF_OTHER";
}

TEST_F(PortRowsTest, TheAddressStaysWhileTheDataplaneIsAway) {
    auto dataplane = shm::DataplaneArena::attach(rundir.path);
    ASSERT_TRUE(dataplane);
    const PortSlot slot = add(spec("p1", 1));
    rows->set_vouched(PortRows::Vouched::yes);
    report(*dataplane, slot, PortHealth::up);
    rows->set_vouched(PortRows::Vouched::no);
    EXPECT_EQ(told.back(), "modified p1 down");
    EXPECT_EQ(to_string(rows->desc(slot).hw_addr), "02:00:00:00:00:09");
}

TEST_F(PortRowsTest, AttachAndRemovalWakeEveryWorker) {
    ScriptedDataplane dataplane(rundir.path);
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), client->attached(); }));
    const auto n_rung = [&] {
        std::uint64_t rings = 0;
        int n = 0;
        for (std::size_t bell = 1; bell < dataplane.bells.size(); ++bell)
            n += ::read(dataplane.bells[bell].get(), &rings, sizeof rings) == sizeof rings;
        return n;
    };
    bool done = false;
    const auto slot = rows->prepare(spec("p1", 1), [&](Result<void>) { done = true; });
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), done; }));
    n_rung();
    ASSERT_TRUE(rows->attach(*slot));
    EXPECT_EQ(n_rung(), 2);
    rows->remove(*slot);
    EXPECT_EQ(n_rung(), 2);
}

TEST_F(PortRowsTest, NothingIsKnownWithoutADataplane) {
    const PortSlot slot = add(spec("p1", 1));
    EXPECT_EQ(rows->condition(slot).health, PortHealth::closed);
    EXPECT_EQ(to_text(rows->condition(slot)), "no dataplane");
}

TEST_F(PortRowsTest, SlotIsUsedAgainOnlyAfterTheClose) {
    ScriptedDataplane dataplane(rundir.path);
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), client->attached(); }));
    bool done = false;
    const auto slot = rows->prepare(spec("p1", 1), [&](Result<void>) { done = true; });
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), done; }));
    ASSERT_TRUE(rows->attach(*slot));
    rows->remove(*slot);
    EXPECT_EQ(told.back(), "removed p1 down");
    const auto other = rows->prepare(spec("p2", 2), [](Result<void>) {});
    EXPECT_NE(*other, *slot);
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), rows->n_used() == 1; }));
    EXPECT_EQ(dataplane.requests.back().type, shm::ControlType::close_port);
    EXPECT_EQ(*rows->prepare(spec("p3", 3), [](Result<void>) {}), *slot);
}

TEST_F(PortRowsTest, NewAgentAdoptsAttachedPortsAndTakesPreparedOnesBack) {
    PortSpec wanted = spec("p1", 7);
    wanted.mtu = 1400;
    wanted.mac = Mac{{2, 0, 0, 0, 0, 1}};
    wanted.admin = PortSpec::Admin::down;
    const PortSlot slot = add(wanted);
    const auto half = rows->prepare(spec("p2", 8), [](Result<void>) {});
    make_rows();
    EXPECT_EQ(rows->n_attached(), 1u);
    EXPECT_EQ(rows->spec(slot), wanted);
    EXPECT_EQ(rows->config(slot), openflow::port_config::kPortDown);
    EXPECT_EQ(arena.wanted_port(*half).phase.load(), PortPhase::free);
    EXPECT_TRUE(loop.until([&] { return rows->n_used() == 1; }));
}

// An agent killed between the two stores of attach() once left the number taken for good.
TEST_F(PortRowsTest, ANumberThatAKilledAgentBoundIsFreeAgain) {
    const auto half = rows->prepare(spec("p1", 7), [](Result<void>) {});
    ASSERT_TRUE(half);
    ASSERT_TRUE(arena.bind_port(BridgeId(1), PortNo(7), *half));
    make_rows();
    EXPECT_FALSE(rows->find(BridgeId(1), PortNo(7)));
    add(spec("p2", 7));
}

TEST_F(PortRowsTest, APortThatWasGivenUpBeforeItsDeviceWasRefusedIsClosedOnce) {
    ScriptedDataplane dataplane(rundir.path);
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), client->attached(); }));
    bool refused = false;
    const auto slot = rows->prepare(spec("p1", 1), [&](Result<void> r) { refused = !r; });
    ASSERT_TRUE(slot);
    rows->abort(*slot);
    int n_closes = 0;
    const auto serve = [&] {
        while (const auto request = dataplane.take()) {
            const bool open = request->type == shm::ControlType::open_port;
            n_closes += open ? 0 : 1;
            dataplane.say(shm::ControlType::reply, request->request, open ? 16 : 0, "busy");
        }
    };
    ASSERT_TRUE(loop.until([&] { return serve(), refused && rows->n_used() == 0; }));
    // whatever is still under way comes before the answer to this
    bool done = false;
    ASSERT_TRUE(rows->prepare(spec("p2", 2), [&](Result<void>) { done = true; }));
    ASSERT_TRUE(loop.until([&] { return serve(), done && rows->n_used() == 0; }));
    EXPECT_EQ(n_closes, 2) << "one a port";
}

TEST_F(PortRowsTest, PortModOutlivesAChangeOfTheMtu) {
    const PortSlot slot = add(spec("p1", 1));
    rows->set_config(slot, openflow::port_config::kPortDown);
    PortSpec changed = spec("p1", 1);
    changed.mtu = 9000;
    const std::uint32_t generation = arena.wanted_port(slot).generation.load();
    rows->change(slot, changed);
    EXPECT_EQ(rows->config(slot), openflow::port_config::kPortDown);
    EXPECT_EQ(arena.wanted_port(slot).mtu, 9000);
    EXPECT_GT(arena.wanted_port(slot).generation.load(), generation);
}

TEST_F(PortRowsTest, AChangeOfALocalPortIsInItsRow) {
    PortSpec local{.bridge = BridgeId(1),
                   .number = port::kLocal,
                   .name = "br0",
                   .kind = shm::PortKind::local,
                   .device = "10.0.0.1/24",
                   .mtu = 1500,
                   .mac = std::nullopt};
    const PortSlot slot = add(local);
    const std::uint32_t before = shm::read_wish(arena.wanted_port(slot))->generation;
    local.device = "10.0.0.2/24,2001:db8::1/64";
    local.mtu = 1400;
    local.mac = Mac{{2, 0, 0, 0, 0, 7}};
    rows->change(slot, local);
    EXPECT_EQ(rows->spec(slot), local);
    const auto wish = shm::read_wish(arena.wanted_port(slot));
    ASSERT_TRUE(wish);
    EXPECT_NE(wish->generation, before);
    EXPECT_EQ(shm::get_text(wish->device), local.device);
}

TEST_F(PortRowsTest, ARowThatAKilledAgentLeftHalfWrittenIsFinished) {
    const PortSlot slot = add(spec("p1", 1));
    shm::begin_change(arena.wanted_port(slot));
    EXPECT_FALSE(shm::read_wish(arena.wanted_port(slot)));
    make_rows();
    rows->change(slot, spec("p1", 1));
    EXPECT_TRUE(shm::read_wish(arena.wanted_port(slot)));
}

TEST_F(PortRowsTest, PortDownAndRemovalForgetItsAddresses) {
    const PortSlot slot = add(spec("p1", 1));
    const auto& generation = arena.wanted_port(slot).mac_generation;
    const std::uint32_t before = generation.load();
    rows->set_config(slot, openflow::port_config::kPortDown);
    EXPECT_EQ(generation.load(), before + 1);
    rows->remove(slot);
    EXPECT_EQ(generation.load(), before + 2);
}

TEST_F(PortRowsTest, WhatWasLearnedWhileAPortWentIsNotTheNextOnes) {
    const PortSlot slot = add(spec("p1", 1));
    rows->remove(slot);
    const std::uint32_t learned_with = arena.wanted_port(slot).mac_generation.load();
    ASSERT_TRUE(loop.until([&] { return rows->n_used() == 0; }));
    ASSERT_EQ(add(spec("p2", 2)), slot);
    EXPECT_NE(arena.wanted_port(slot).mac_generation.load(), learned_with);
}

TEST_F(PortRowsTest, ADataplaneThatComesIsAskedForWhatItLacks) {
    const PortSlot slot = add(spec("p1", 1));
    ScriptedDataplane dataplane(rundir.path);
    ASSERT_TRUE(loop.until([&] { return dataplane.agree(), dataplane.requests.size() == 2; }));
    EXPECT_EQ(dataplane.requests.back().type, shm::ControlType::open_port);
    EXPECT_EQ(dataplane.requests.back().slot, slot.value());
}

TEST_F(PortRowsTest, RefusesANumberThatIsTaken) {
    add(spec("p1", 1));
    const auto slot = rows->prepare(spec("p2", 1), [](Result<void>) {});
    EXPECT_FALSE(rows->attach(*slot));
}

TEST_F(PortRowsTest, RefusesTextsThatDoNotFit) {
    EXPECT_FALSE(rows->prepare(spec(std::string(32, 'x'), 1), [](Result<void>) {}));
    EXPECT_EQ(rows->n_used(), 0u);
}

}  // namespace
}  // namespace raicho::agent
