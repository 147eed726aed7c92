// SPDX-License-Identifier: Apache-2.0
// What the dataplane decides before it starts: workers, DPDK's arguments, drivers; and the rows of
// the arena it reads and writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "dataplane/io/driver_library.h"
#include "dataplane/io/eal.h"
#include "dataplane/io/status_row.h"
#include "dataplane/io/worker_plan.h"
#include "shm/text_field.h"

namespace raicho::io {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(Cores, ListsAndRangesInAnyOrder) {
    EXPECT_THAT(*parse_cores("2,3"), ElementsAre(2u, 3u));
    EXPECT_THAT(*parse_cores(" 7 , 1-3"), ElementsAre(7u, 1u, 2u, 3u));
    EXPECT_THAT(*parse_cores(""), IsEmpty());
}

TEST(Cores, NonsenseIsQuoted) {
    for (const char* text : {"a", "3-1", "1,", "1-", "-1", "99999"})
        EXPECT_THAT(parse_cores(text).error().text, HasSubstr("no core number or range")) << text;
    EXPECT_THAT(parse_cores("1,1-2").error().text, HasSubstr("core 1 is named twice"));
}

TEST(WorkerPlan, AutomaticLeavesRoomOnSmallMachines) {
    const std::vector<unsigned> cores{0, 1, 2, 3, 4, 5, 6, 7};
    const auto workers_on = [&](std::size_t n) {
        return plan_workers(0, {}, std::span(cores).first(n), 8)->size();
    };
    EXPECT_EQ(workers_on(1), 1u);
    EXPECT_EQ(workers_on(2), 1u);
    EXPECT_EQ(workers_on(4), 2u);
    EXPECT_EQ(workers_on(8), 4u);
}

TEST(WorkerPlan, NamedCoresGiveTheWorkersAndBindThem) {
    const std::vector<unsigned> allowed{0, 1, 2, 3};
    const std::vector<unsigned> cores{3, 1};
    EXPECT_THAT(*plan_workers(0, cores, allowed, 8), ElementsAre(3u, 1u));
    EXPECT_THAT(*plan_workers(1, cores, allowed, 8), ElementsAre(3u));
    EXPECT_THAT(plan_workers(3, cores, allowed, 8).error().text, HasSubstr("3 workers on 2"));
    EXPECT_THAT(plan_workers(9, {}, allowed, 8).error().text, HasSubstr("room for 8"));
    const std::vector<unsigned> absent{4};
    EXPECT_THAT(plan_workers(0, absent, allowed, 8).error().text,
                HasSubstr("core 4: this process cannot use it, only 0, 1, 2, 3"));
}

TEST(EalArguments, WithoutHugePagesNothingOfDpdkIsShared) {
    EalSettings settings;
    settings.memory_mb = 64;
    settings.arguments = "-d /opt/x.so  --vdev=net_null0";
    const auto arguments = eal_arguments(settings, "0,1", "/drivers");
    EXPECT_THAT(arguments, Contains("--no-huge"));
    // a NIC may come later, when DPDK runs already: then the bus is loaded, and must be let look
    EXPECT_THAT(arguments, Not(Contains("--no-pci")));
    EXPECT_THAT(arguments, Not(Contains(HasSubstr("bus_pci"))));
    EXPECT_THAT(arguments, Contains("0@(0,1)"));
    EXPECT_THAT(arguments, Contains("/drivers/librte_bus_vdev.so"));
    EXPECT_THAT(arguments, Not(Contains("--in-memory")));
    EXPECT_EQ(arguments.back(), "--vdev=net_null0");
    settings.pages = EalSettings::Pages::huge;
    const auto huge = eal_arguments(settings, "0", "/drivers");
    EXPECT_THAT(huge, Contains("--in-memory"));
    EXPECT_THAT(huge, Not(Contains("--no-huge")));
}

TEST(EalArguments, OnlyTheRunDirectorysOwnMountOfHugePagesIsLocked) {
    EalSettings settings;
    settings.huge_folder = "/run/raicho/huge";
    EXPECT_THAT(eal_arguments(settings, "0", "/drivers"), Not(Contains("--huge-dir")));
    settings.pages = EalSettings::Pages::huge;
    const auto own = eal_arguments(settings, "0", "/drivers");
    const auto option = std::ranges::find(own, "--huge-dir");
    ASSERT_NE(option, own.end());
    EXPECT_EQ(*std::next(option), "/run/raicho/huge");
    settings.huge_folder.clear();
    EXPECT_THAT(eal_arguments(settings, "0", "/drivers"), Not(Contains("--huge-dir")));
}

TEST(EalArguments, NoNicOfTheMachineIsTakenAtTheStart) {
    EXPECT_THAT(eal_arguments({}, "0", "/drivers"), IsSupersetOf({"-a", "ffff:ff:1f.7"}));
    for (const char* own : {"-b 0000:03:00.0", "-a 0000:03:00.0", "--block=0000:03:00.0"}) {
        EalSettings settings;
        settings.arguments = own;
        EXPECT_THAT(eal_arguments(settings, "0", "/drivers"), Not(Contains("ffff:ff:1f.7"))) << own;
    }
}

TEST(Drivers, ABusAddressIsToldFromADeviceThatDpdkMakes) {
    EXPECT_TRUE(is_bus_address("0000:03:00.0"));
    EXPECT_TRUE(is_bus_address("pci:0000:03:00.0,arg=1"));
    EXPECT_FALSE(is_bus_address("net_memif0,socket=/run/a:b"));
}

TEST(Drivers, AreFoundByTheDeviceString) {
    EXPECT_THAT(driver_candidates("net_pcap0,iface=eth1"), ElementsAre("librte_net_pcap.so"));
    EXPECT_THAT(driver_candidates("eth_null12"), ElementsAre("librte_net_null.so"));
    EXPECT_THAT(driver_candidates("virtio_user0,path=/x"),
                ElementsAre("librte_net_virtio_user.so", "librte_net_virtio.so"));
    EXPECT_THAT(driver_candidates("0000:03:00.0"), IsEmpty());
    EXPECT_THAT(driver_candidates(""), IsEmpty());
}

TEST(StatusRow, ASequenceLeftOddByADeadWriterBecomesEvenAndNew) {
    auto row = std::make_unique<shm::PortStatus>();
    row->sequence = 5;
    PortState state;
    state.health = shm::PortHealth::absent;
    state.text = std::string(500, 'x');
    write_status(*row, state, 2, 77);
    EXPECT_EQ(row->sequence.load(), 6u);
    EXPECT_EQ(row->health, shm::PortHealth::absent);
    EXPECT_EQ(row->queues, 2);
    EXPECT_EQ(row->opened_s, 77u);
    EXPECT_EQ(row->text.back(), '\0');
    write_status(*row, {}, 0, 0);
    EXPECT_EQ(row->sequence.load(), 8u);
    EXPECT_EQ(row->text.front(), '\0');
}

TEST(WantedRow, NamesTheInterfaceByDeviceElseByName) {
    auto row = std::make_unique<shm::WantedPort>();
    row->kind = shm::PortKind::af_packet;
    std::ranges::copy(std::string_view("p1"), row->name.begin());
    EXPECT_EQ(interface_of(settings_of(*row, PortSlot(1))), "p1");
    std::ranges::copy(std::string_view("h1-br"), row->device.begin());
    EXPECT_EQ(interface_of(settings_of(*row, PortSlot(1))), "h1-br");
    row->kind = shm::PortKind::local;  // its device is a list of addresses
    EXPECT_EQ(interface_of(settings_of(*row, PortSlot(1))), "p1");
    EXPECT_FALSE(settings_of(*row, PortSlot(1)).mac);
    row->mac = {2, 0, 0, 0, 0, 1};
    EXPECT_EQ(settings_of(*row, PortSlot(1)).mac, (Mac{{2, 0, 0, 0, 0, 1}}));
}

TEST(WantedRow, WhatIsBeingWrittenIsNotRead) {
    auto row = std::make_unique<shm::WantedPort>();
    row->kind = shm::PortKind::local;
    shm::put_text(row->name, "br0");
    shm::begin_change(*row);
    shm::put_text(row->device, "10.0.0.1/2");
    row->mac = {2, 0, 0, 0, 0, 0};
    row->mtu = 1400;
    const PortSettings half = settings_of(*row, PortSlot(1));
    EXPECT_EQ(half.generation % 2, 1u);
    EXPECT_EQ(half.device, "");
    EXPECT_FALSE(half.mac);
    EXPECT_EQ(half.mtu, 1400u);
    EXPECT_EQ(interface_of(half), "br0");
    shm::put_text(row->device, "10.0.0.1/24");
    shm::end_change(*row);
    const PortSettings whole = settings_of(*row, PortSlot(1));
    EXPECT_EQ(whole.generation, half.generation + 1);
    EXPECT_EQ(whole.device, "10.0.0.1/24");
    EXPECT_EQ(whole.mac, (Mac{{2, 0, 0, 0, 0, 0}}));
}

}  // namespace
}  // namespace raicho::io
