// SPDX-License-Identifier: Apache-2.0
#include "shm/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include "base/text.h"
#include "shm/tables.h"
#include "tests/unit/shm/scratch_rundir.h"

namespace raicho::shm {
namespace {

using testing::HasSubstr;

/// Overwrites bytes of the arena's file, as another version or a fault would.
void damage(const std::string& rundir, std::size_t offset, const std::string& bytes) {
    std::fstream file(rundir + "/arena", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.good());
}

TEST(Arena, BothSidesSeeWhatTheOtherWrites) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent) << agent.error().text;
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_TRUE(dataplane) << dataplane.error().text;
    agent->bridge(BridgeId(1)).miss_send_len.store(77);
    EXPECT_EQ(std::as_const(*dataplane).bridge(BridgeId(1)).miss_send_len.load(), 77u);
    dataplane->port_status(PortSlot(3)).ifindex = 5;
    EXPECT_EQ(std::as_const(*agent).port_status(PortSlot(3)).ifindex, 5u);
    EXPECT_EQ(agent->config(), kSmall);
    EXPECT_EQ(agent->size(), dataplane->size());
    EXPECT_TRUE(agent->dataplane_alive());
}

TEST(Arena, TheOthersPagesAreReadOnlyInProcMaps) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent);
    const std::uint64_t agent_size = agent->header().agent_size;
    agent = fail("closed");
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_TRUE(dataplane) << dataplane.error().text;
    // address perms offset dev inode path
    std::ifstream maps("/proc/self/maps");
    std::string line;
    int read_only = 0;
    int writable = 0;
    const std::string file = std::filesystem::canonical(dataplane->path()).string();
    while (std::getline(maps, line)) {
        if (line.find(file) == std::string::npos) continue;
        const std::uint64_t offset = std::stoull(line.substr(line.find(' ') + 6), nullptr, 16);
        if (line.find(" r--s ") != std::string::npos) {
            ++read_only;
            EXPECT_EQ(offset, 0u) << line;
        } else if (line.find(" rw-s ") != std::string::npos) {
            ++writable;
            EXPECT_EQ(offset, agent_size) << line;
        }
    }
    EXPECT_EQ(read_only, 1);
    EXPECT_EQ(writable, 1);
}

TEST(Arena, AStoreToTheOthersPagesKillsTheWriter) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent);
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGSEGV, SIG_DFL);
        auto dataplane = DataplaneArena::attach(rundir.path());
        const_cast<BridgeRecord&>(std::as_const(*dataplane).bridge(BridgeId(0))).dpid = 1;
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(agent->bridge(BridgeId(0)).dpid, 0u);
}

TEST(Arena, NoArenaIsENOENT) {
    const ScratchRundir rundir;
    auto agent = AgentArena::attach(rundir.path());
    ASSERT_FALSE(agent);
    EXPECT_EQ(agent.error().code, ENOENT);
    EXPECT_THAT(agent.error().text, HasSubstr(rundir.path()));
}

TEST(Arena, AnotherLayoutIsNamedWithBothHashes) {
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    damage(rundir.path(), offsetof(ArenaHeader, layout_hash), "12345678");
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_FALSE(dataplane);
    EXPECT_EQ(dataplane.error().code, ESTALE);
    EXPECT_THAT(dataplane.error().text, HasSubstr("0x3837363534333231"));
    EXPECT_THAT(dataplane.error().text, HasSubstr(format("{:#018x}", layout_hash())));
}

TEST(Arena, AnotherBootIsRefused) {
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    damage(rundir.path(), offsetof(ArenaHeader, boot_id), "00000000");
    auto agent = AgentArena::attach(rundir.path());
    ASSERT_FALSE(agent);
    EXPECT_EQ(agent.error().code, ESTALE);
    EXPECT_THAT(agent.error().text, HasSubstr("of boot 00000000"));
}

TEST(Arena, AFileThatIsNoArenaIsRefused) {
    const ScratchRundir rundir;
    std::ofstream(rundir.path() + "/arena") << std::string(8192, 'x');
    auto agent = AgentArena::attach(rundir.path());
    ASSERT_FALSE(agent);
    EXPECT_THAT(agent.error().text, HasSubstr("not an arena"));
    std::ofstream(rundir.path() + "/arena") << "x";
    agent = AgentArena::attach(rundir.path());
    ASSERT_FALSE(agent);
    EXPECT_THAT(agent.error().text, HasSubstr("too small"));
}

TEST(Arena, ATruncatedFileIsRefused) {
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    std::filesystem::resize_file(rundir.path() + "/arena", 4u << 20);
    auto agent = AgentArena::attach(rundir.path());
    ASSERT_FALSE(agent);
    EXPECT_THAT(agent.error().text, HasSubstr("size"));
}

TEST(Arena, OneAgentAndOneDataplaneAtATime) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent);
    auto second = AgentArena::attach(rundir.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, EBUSY);
    EXPECT_THAT(second.error().text, HasSubstr(format("pid {}", ::getpid())));
    EXPECT_FALSE(AgentArena::create(rundir.path(), kSmall));
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_TRUE(dataplane);
    auto other = DataplaneArena::attach(rundir.path());
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, EBUSY);
    dataplane = fail("closed");
    EXPECT_TRUE(DataplaneArena::attach(rundir.path()));
}

TEST(Arena, EachStartBumpsItsGeneration) {
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    auto agent = AgentArena::attach(rundir.path());
    ASSERT_TRUE(agent);
    EXPECT_EQ(agent->agent_words().generation.load(), 2u);
    EXPECT_EQ(agent->agent_words().pid.load(), static_cast<std::uint64_t>(::getpid()));
}

TEST(Arena, ANewArenaTellsTheDataplaneOfTheOldOne) {
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_TRUE(dataplane);
    EXPECT_FALSE(dataplane->superseded());
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    EXPECT_TRUE(dataplane->superseded());
}

TEST(Arena, AnArenaThatFindsNoRoomLeavesTheOldOneInForce) {
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_TRUE(dataplane);
    ASSERT_FALSE(AgentArena::create(rundir.path(), {.max_flows = 1u << 28, .max_workers = 64}));
    EXPECT_FALSE(dataplane->superseded());
    auto again = AgentArena::attach(rundir.path());
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(again->config(), kSmall);
}

TEST(Arena, TwoArenasOfOneNameHaveTwoIdentities) {
    const ScratchRundir rundir;
    const auto first = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(first);
    const std::uint64_t identity = first->identity();
    AgentArena::remove(rundir.path());
    const auto second = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(second);
    EXPECT_NE(second->identity(), identity);
}

// An agent that died before it could remove the old file: the name still leads to it.
TEST(Arena, ASupersededArenaIsStale) {
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    damage(rundir.path(), offsetof(ArenaHeader, superseded), {"\1\0\0\0", 4});
    const auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_FALSE(dataplane);
    EXPECT_EQ(dataplane.error().code, ESTALE);
    EXPECT_THAT(dataplane.error().text, HasSubstr("a newer one has taken its place"));
    const auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent) << agent.error().text;
    EXPECT_TRUE(DataplaneArena::attach(rundir.path()));
}

TEST(Arena, AnArenaThatCannotBeReadIsNotRemoved) {
    const ScratchRundir rundir;
    const std::string path = rundir.path() + "/arena";
    std::filesystem::create_symlink("arena", path);  // ELOOP, for root too
    const auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_FALSE(agent);
    EXPECT_EQ(agent.error().code, ELOOP);
    EXPECT_TRUE(std::filesystem::is_symlink(path));
}

TEST(Arena, RemoveLeavesNothing) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent);
    const std::string file = std::filesystem::canonical(agent->path());
    AgentArena::remove(rundir.path());
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_TRUE(std::filesystem::is_empty(rundir.path()));
}

TEST(Arena, AnArenaWhoseRunDirectoryIsGoneIsRemovedByTheNextOne) {
    std::string orphan;
    std::string held;
    std::optional<AgentArena> living;
    {
        const std::string disk = folder_on_disk();
        ASSERT_NE(disk, "") << "neither /tmp, /var/tmp nor this folder lies on a disk";
        const ScratchRundir first(disk);
        const ScratchRundir second(disk);
        auto arena = AgentArena::create(first.path(), kSmall);
        auto other = AgentArena::create(second.path(), kSmall);
        ASSERT_TRUE(arena && other);
        ASSERT_TRUE(arena->path().starts_with("/dev/shm/")) << arena->path();
        orphan = arena->path();
        held = other->path();
        living.emplace(std::move(*other));
        std::filesystem::remove(first.path() + "/arena");  // as rm -r of the directory
        std::filesystem::remove(second.path() + "/arena");
    }
    const ScratchRundir rundir;
    ASSERT_TRUE(AgentArena::create(rundir.path(), kSmall));
    EXPECT_FALSE(std::filesystem::exists(orphan));
    EXPECT_TRUE(std::filesystem::exists(held));
    std::filesystem::remove(held);
}

TEST(Arena, LackOfMemoryIsSaidInNumbersWithTheCommand) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), {.max_flows = 1u << 28, .max_workers = 64});
    ASSERT_FALSE(agent);
    EXPECT_THAT(agent.error().text, testing::ContainsRegex("needs [0-9]+ MB"));
    EXPECT_THAT(agent.error().hint, testing::ContainsRegex("sysctl vm.nr_hugepages=[0-9]+"));
    EXPECT_TRUE(std::filesystem::is_empty(rundir.path()));
}

TEST(Arena, SizesAreRoundedUpToPowersOfTwo) {
    const ArenaConfig config =
        rounded({.max_flows = 1'000'000, .max_ports = 5, .max_bridges = 3, .max_workers = 3});
    EXPECT_EQ(config, (ArenaConfig{1u << 20, 512, 4, 4}));
}

TEST(Arena, RegionsDoNotOverlapAndSidesDoNotShareAPage) {
    const ArenaPlan layout = plan(rounded({}));
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < kRegions; ++i) {
        EXPECT_GE(layout.regions[i].offset, end) << region_name(static_cast<Region>(i));
        EXPECT_GT(layout.regions[i].size, 0u);
        end = layout.regions[i].offset + layout.regions[i].size;
    }
    EXPECT_LE(end, layout.size);
    EXPECT_EQ(layout.agent_size % kHugePage, 0u);
    EXPECT_EQ(layout[kFirstDataplaneRegion].offset, layout.agent_size);
    EXPECT_LT(layout.size, 640u << 20);  // the default arena
}

TEST(Arena, ReadOnlyAttachNeedsNeitherDaemonAndTakesNoLock) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(agent);
    auto view = ArenaView::attach(rundir.path());
    ASSERT_TRUE(view) << view.error().text;
    EXPECT_EQ(view->backing_text(), "4 kB");
    EXPECT_TRUE(DataplaneArena::attach(rundir.path()));
}

TEST(PortMap, NumbersFindTheirSlotsThroughManyChanges) {
    const ScratchRundir rundir;
    auto arena = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(arena);
    const BridgeId bridge(1);
    std::vector<std::uint32_t> numbers(512);
    for (std::uint32_t round = 0; round < 20; ++round) {
        for (std::uint16_t s = 0; s < 512; ++s) {
            numbers[s] = round % 2 == 0 ? s + 1 : 0xffffff00u - s * 977u - round;
            ASSERT_TRUE(arena->bind_port(bridge, PortNo(numbers[s]), PortSlot(s)));
        }
        EXPECT_FALSE(arena->bind_port(bridge, PortNo(numbers[7]), PortSlot(7)));
        for (std::uint16_t s = 0; s < 512; ++s)
            ASSERT_EQ(port_slot(*arena, bridge, PortNo(numbers[s])), s);
        EXPECT_EQ(port_slot(*arena, BridgeId(0), PortNo(numbers[0])), kNoSlot);
        std::uint16_t visited = 0;
        for_each_port(*arena, bridge, [&](PortSlot slot) { EXPECT_EQ(slot.value(), visited++); });
        EXPECT_EQ(visited, 512);
        for (std::uint16_t s = 0; s < 512; ++s) {
            arena->unbind_port(bridge, PortNo(numbers[s]));
            ASSERT_EQ(port_slot(*arena, bridge, PortNo(numbers[s])), kNoSlot);
        }
    }
}

/// An attached row, as the agent leaves it; the number is bound by the test.
void put_row(AgentArena& arena, PortSlot slot, BridgeId bridge, PortNo number, PortPhase phase) {
    WantedPort& row = arena.wanted_port(slot);
    row.bridge = bridge.value();
    row.port_no = number.value();
    row.phase.store(phase);
}

TEST(PortMap, WhatAKilledAgentLeftHalfDoneIsReconciledWithTheRows) {
    const ScratchRundir rundir;
    auto arena = AgentArena::create(rundir.path(), kSmall);
    ASSERT_TRUE(arena);
    const BridgeId bridge(1);
    // killed between the number and the phase; its slot belongs to another bridge's port by now
    put_row(*arena, PortSlot(1), bridge, PortNo(7), PortPhase::prepared);
    ASSERT_TRUE(arena->bind_port(bridge, PortNo(7), PortSlot(1)));
    put_row(*arena, PortSlot(2), BridgeId(0), PortNo(8), PortPhase::attached);
    ASSERT_TRUE(arena->bind_port(bridge, PortNo(8), PortSlot(2)));
    // killed between the removal of the number and the phase
    put_row(*arena, PortSlot(3), bridge, PortNo(9), PortPhase::attached);
    // nothing is wrong with this one
    put_row(*arena, PortSlot(70), bridge, PortNo(10), PortPhase::attached);
    ASSERT_TRUE(arena->bind_port(bridge, PortNo(10), PortSlot(70)));
    arena->reconcile_ports();
    const auto flooded = [&](BridgeId of) {
        std::vector<int> slots;
        for_each_port(*arena, of, [&](PortSlot slot) { slots.push_back(slot.value()); });
        return slots;
    };
    EXPECT_EQ(port_slot(*arena, bridge, PortNo(7)), kNoSlot);
    EXPECT_EQ(port_slot(*arena, bridge, PortNo(8)), kNoSlot);
    EXPECT_EQ(port_slot(*arena, BridgeId(0), PortNo(8)), 2);
    EXPECT_EQ(port_slot(*arena, bridge, PortNo(9)), 3);
    EXPECT_EQ(port_slot(*arena, bridge, PortNo(10)), 70);
    EXPECT_EQ(flooded(bridge), (std::vector<int>{3, 70}));
    EXPECT_EQ(flooded(BridgeId(0)), (std::vector<int>{2}));
}

TEST(Counters, TotalsAreSinceTheBaseOverAllWorkers) {
    const ScratchRundir rundir;
    auto agent = AgentArena::create(rundir.path(), kSmall);
    auto dataplane = DataplaneArena::attach(rundir.path());
    ASSERT_TRUE(agent && dataplane);
    const PortSlot slot(4);
    dataplane->port_counters(WorkerId(0), slot).rx_packets = 5;
    dataplane->port_counters(WorkerId(1), slot).rx_packets = 7;
    dataplane->drop_counters(WorkerId(1), slot)[DropReason::ttl] = 3;
    EXPECT_EQ(agent->port_totals(slot).rx_packets, 12u);
    agent->rebase_port(slot);
    EXPECT_EQ(agent->port_totals(slot).rx_packets, 0u);
    EXPECT_EQ(agent->drop_totals(slot)[DropReason::ttl], 0u);
    dataplane->port_counters(WorkerId(1), slot).rx_packets += 2;
    EXPECT_EQ(agent->port_totals(slot).rx_packets, 2u);
    dataplane->table_counters(WorkerId(1), BridgeId(1), TableId(254)).matched = 9;
    EXPECT_EQ(agent->table_totals(BridgeId(1), TableId(254)).matched, 9u);
    agent->rebase_bridge(BridgeId(1));
    EXPECT_EQ(agent->table_totals(BridgeId(1), TableId(254)).matched, 0u);
}

TEST(Counters, PacketsWrapAtFortyBitsAndTheTickIsKept) {
    FlowCounter counter;
    add(counter, kPacketsMask, 10, 0x123456);
    add(counter, 3, 5, 0xabcdef);
    EXPECT_EQ(counter.packets(), 2u);
    EXPECT_EQ(counter.tick(), 0xabcdefu);
    EXPECT_EQ(load(counter).bytes, 15u);
    const std::uint64_t now = 40ull * 24 * 3600 * 1'000'000'000;  // the tick has wrapped
    EXPECT_EQ(time_of_tick(tick_of(now), now), now / 125'000'000 * 125'000'000);
    EXPECT_EQ(time_of_tick(tick_of(now - 1'000'000'000), now), now - 1'000'000'000);
    for (const std::uint64_t ahead : {125'000'000u, 1'000'000'000u})  // another worker's clock
        EXPECT_EQ(time_of_tick(tick_of(now + ahead), now), now);
}

TEST(Arena, ArenasMadeAtTheSameTimeLeaveEachOtherAlone) {
    const auto make_many = [] {
        for (int i = 0; i < 25; ++i) {
            const ScratchRundir rundir;
            const auto arena = AgentArena::create(rundir.path(), kSmall);
            ASSERT_TRUE(arena) << arena.error().text;
            AgentArena::remove(rundir.path());
        }
    };
    std::jthread other(make_many);
    make_many();
}

}  // namespace
}  // namespace raicho::shm
