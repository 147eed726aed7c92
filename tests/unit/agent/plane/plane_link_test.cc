// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/plane_link.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "base/text.h"
#include "shm/packet_record.h"
#include "shm/program.h"
#include "tests/unit/agent/plane/test_loop.h"

namespace raicho::agent {
namespace {

class PlaneLinkTest : public testing::Test {
  protected:
    PlaneLinkTest() : arena(small_arena(rundir.path)) {
        auto opened = PlaneLink::open(
            loop, arena, rundir.path,
            {.packet_in =
                 [this](BridgeId bridge, const PacketInEvent& event) {
                     bridges.push_back(bridge.value());
                     events.push_back(event);
                     frames.push_back(hex_text(event.data));
                 },
             .port_changed = [](BridgeId, openflow::PortReason, const openflow::PortDesc&) {},
             .dataplane_changed = [] {}});
        EXPECT_TRUE(opened);
        link = std::move(*opened);
        plane = link->bridge(BridgeId(2));
    }
    shm::DataplaneArena dataplane() {
        auto attached = shm::DataplaneArena::attach(rundir.path);
        EXPECT_TRUE(attached) << attached.error().text;
        return std::move(*attached);
    }
    RunDirectory rundir;
    PollLoop loop;
    shm::AgentArena arena;
    std::unique_ptr<PlaneLink> link;
    std::unique_ptr<Plane> plane;
    std::vector<std::uint16_t> bridges;
    std::vector<PacketInEvent> events;
    std::vector<std::string> frames;
};

TEST_F(PlaneLinkTest, PacketOutTravelsWithItsProgram) {
    shm::DataplaneArena workers = dataplane();
    const std::array frame{std::byte{0xca}, std::byte{0xfe}};
    ASSERT_TRUE(
        plane->packet_out(port::kController, {openflow::OutputAction{PortNo(3), 0}}, frame));
    shm::RingConsumer ring = workers.packet_out(WorkerId(0));
    const auto record = ring.front();
    shm::PacketOutHead head;
    ASSERT_GE(record.size(), sizeof head);
    std::memcpy(&head, record.data(), sizeof head);
    EXPECT_EQ(head.bridge, 2);
    EXPECT_EQ(head.in_port, port::kController.value());
    EXPECT_EQ(head.data_size, 2u);
    shm::Op op;
    std::memcpy(&op, record.data() + sizeof head, sizeof op);
    EXPECT_EQ(op.code, shm::OpCode::output);
    EXPECT_EQ(op.arg32, 3u);
    EXPECT_EQ(hex_text(record.subspan(sizeof head + head.program_size, 2)), "cafe");
}

// house.md decision 12.
TEST_F(PlaneLinkTest, BarrierWaitsForThePacketOutsBeforeIt) {
    shm::DataplaneArena workers = dataplane();
    shm::RingConsumer ring = workers.packet_out(WorkerId(0));
    const BarrierToken before = plane->barrier_token();
    ASSERT_TRUE(plane->packet_out(port::kController, {openflow::OutputAction{PortNo(3), 0}}, {}));
    const BarrierToken after = plane->barrier_token();
    EXPECT_TRUE(plane->barrier_passed(before));
    EXPECT_FALSE(plane->barrier_passed(after));
    ASSERT_FALSE(ring.front().empty());
    EXPECT_FALSE(plane->barrier_passed(after)) << "taken, not done";
    ring.pop();
    EXPECT_TRUE(plane->barrier_passed(after));
}

TEST_F(PlaneLinkTest, BarrierWaitsForEachWorkerOnline) {
    shm::DataplaneArena workers = dataplane();
    shm::QsbrReader a = workers.reader(WorkerId(0)), b = workers.reader(WorkerId(1));
    a.online();
    b.online();
    const BarrierToken token = plane->barrier_token();
    EXPECT_FALSE(plane->barrier_passed(token));
    a.quiescent();
    EXPECT_FALSE(plane->barrier_passed(token));
    b.offline();
    EXPECT_TRUE(plane->barrier_passed(token));
}

TEST_F(PlaneLinkTest, BarrierPassesAtOnceWithoutADataplane) {
    {
        const shm::DataplaneArena workers = dataplane();
        ASSERT_TRUE(
            plane->packet_out(port::kController, {openflow::OutputAction{PortNo(3), 0}}, {}));
    }  // it dies before it has sent that
    EXPECT_TRUE(plane->barrier_passed(plane->barrier_token()));
}

TEST_F(PlaneLinkTest, PacketInsOfAllWorkersComeInAndDamagedOnesAreDropped) {
    shm::DataplaneArena workers = dataplane();
    EXPECT_EQ(arena.agent_words().sleeping.load(), 1u) << "it must be rung";
    shm::PacketInHead head{};
    head.data_size = 2;
    head.total_size = 1500;
    head.bridge = 1;
    head.table = 4;
    head.in_port = 9;
    head.cookie = 77;
    head.reason = shm::PuntReason::action;
    const std::array frame{std::byte{0xbe}, std::byte{0xef}};
    shm::RingProducer first = workers.packet_in(WorkerId(0)),
                      second = workers.packet_in(WorkerId(1));
    ASSERT_TRUE(first.push(std::as_bytes(std::span(&head, 1)), frame));
    head.from_miss = 1;
    ASSERT_TRUE(second.push(std::as_bytes(std::span(&head, 1)), frame));
    head.data_size = 4000;  // more than there is
    ASSERT_TRUE(second.push(std::as_bytes(std::span(&head, 1)), frame));
    ScriptedDataplane control(rundir.path);
    ASSERT_TRUE(loop.until([&] { return control.agree(), events.size() == 2; }));
    EXPECT_EQ(frames, (std::vector<std::string>{"beef", "beef"}));
    EXPECT_EQ(bridges, (std::vector<std::uint16_t>{1, 1}));
    EXPECT_EQ(events[0].reason, openflow::PacketInReason::action);
    EXPECT_EQ(events[1].reason, openflow::PacketInReason::no_match);
    EXPECT_EQ(events[0].total_size, 1500u);
    EXPECT_EQ(events[0].table, TableId(4));
    EXPECT_EQ(events[0].cookie, 77u);
    EXPECT_EQ(link->packet_ins(WorkerId(1)), 2u);
}

TEST_F(PlaneLinkTest, AnInvalidTtlInTheMissEntryIsToldAsSuch) {
    shm::DataplaneArena workers = dataplane();
    shm::PacketInHead head{};
    head.from_miss = 1;
    head.reason = shm::PuntReason::invalid_ttl;
    shm::RingProducer ring = workers.packet_in(WorkerId(0));
    ASSERT_TRUE(ring.push(std::as_bytes(std::span(&head, 1))));
    ScriptedDataplane control(rundir.path);
    ASSERT_TRUE(loop.until([&] { return control.agree(), events.size() == 1; }));
    EXPECT_EQ(events[0].reason, openflow::PacketInReason::invalid_ttl);
}

TEST_F(PlaneLinkTest, PacketOutRingsForAWorkerThatSleepsAndForNoOther) {
    shm::DataplaneArena workers = dataplane();
    ScriptedDataplane control(rundir.path);
    ASSERT_TRUE(loop.until([&] { return control.agree(), link->control().attached(); }));
    std::uint64_t rings = 0;
    const auto rung = [&] {
        return ::read(control.bells.at(1).get(), &rings, sizeof rings) == sizeof rings;
    };
    EXPECT_TRUE(rung()) << "it may have slept over what came before";
    ASSERT_TRUE(plane->packet_out(port::kController, {openflow::OutputAction{PortNo(3), 0}}, {}));
    EXPECT_FALSE(rung());
    workers.worker_words(WorkerId(0)).sleeping.store(1);
    ASSERT_TRUE(plane->packet_out(port::kController, {openflow::OutputAction{PortNo(3), 0}}, {}));
    EXPECT_TRUE(rung());
}

TEST_F(PlaneLinkTest, SwitchConfigLiesInTheArena) {
    plane->set_switch_config({.flags = 1, .miss_send_len = 999});
    EXPECT_EQ(link->bridge(BridgeId(2))->switch_config(),
              (SwitchConfig{.flags = 1, .miss_send_len = 999}));
    EXPECT_EQ(arena.bridge(BridgeId(2)).miss_send_len.load(), 999u);
}

TEST_F(PlaneLinkTest, AFullRingRefusesAndHasRoomAgainOnceItIsRead) {
    shm::DataplaneArena workers = dataplane();
    const std::vector<std::byte> frame(60000);
    const auto send = [&] {
        return plane->packet_out(port::kController, {openflow::OutputAction{PortNo(3), 0}}, frame);
    };
    openflow::OfResult<void> sent;
    int n = 0;
    for (; sent && n < 40; ++n) sent = send();
    ASSERT_FALSE(sent) << "1 MB has no room for 2.4 MB";
    EXPECT_EQ(openflow::error_code_name(std::to_underlying(sent.error().type), sent.error().code),
              "OFPBRC_EPERM (5)");
    EXPECT_EQ(sent.error().why, "the ring of packet-outs is full");
    EXPECT_TRUE(plane->takes_packets());
    EXPECT_FALSE(send());
    shm::RingConsumer ring = workers.packet_out(WorkerId(0));
    int n_read = 0;
    for (; !ring.front().empty(); ++n_read) ring.pop();
    EXPECT_EQ(n_read, n - 1) << "what was refused is not in it";
    EXPECT_TRUE(send());
}

TEST_F(PlaneLinkTest, APacketOutWithoutADataplaneIsRefused) {
    const auto sent =
        plane->packet_out(port::kController, {openflow::OutputAction{PortNo(3), 0}}, {});
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().why, "there is no dataplane to send it");
    EXPECT_FALSE(plane->takes_packets());
}

}  // namespace
}  // namespace raicho::agent
