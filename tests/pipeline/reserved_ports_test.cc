// SPDX-License-Identifier: Apache-2.0
// Reserved ports, port configuration, packet-in and packet-out (OF 1.3.5 §4.5, §7.2.1, §7.4.1).
#include "tests/pipeline/switch_fixture.h"

namespace raicho::test {
namespace {

using shm::DropReason;
namespace config = pipeline::port_config;

class Reserved : public SwitchFixture {};

TEST_F(Reserved, TheIngressPortGetsItsFramesOnlyByName) {
    arena_.any(0, Program().output(1).output(2));
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{2});
    EXPECT_EQ(drops(1, DropReason::ingress_output), 1u);
    arena_.any(0, Program().output(port::kInPort));
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{1});
}

TEST_F(Reserved, AllAndFloodLeaveTheIngressOut) {
    for (const PortNo number : {port::kAll, port::kFlood}) {
        arena_.any(0, Program().output(number));
        run(2, FrameSpec{});
        EXPECT_EQ(take_ports(), (Ports{1, 3, 4}));
    }
}

TEST_F(Reserved, AFloodWithoutAnotherPortSaysSo) {
    for (std::uint16_t slot = 1; slot < 4; ++slot) arena_.port(slot).phase = shm::PortPhase::free;
    arena_.any(0, Program().output(port::kFlood));
    run(1, FrameSpec{});
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(1, DropReason::no_other_port), 1u);
    EXPECT_EQ(drops(1, DropReason::output_down), 0u);
}

TEST_F(Reserved, FloodNeedsOneCopyLessThanPorts) {
    arena_.any(0, Program().output(port::kFlood));
    io_.clones_left = 2;
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{2, 3, 4}));
    EXPECT_EQ(drops(1, DropReason::clone_failed), 0u);
}

TEST_F(Reserved, LocalIsAPortOfTheBridge) {
    arena_.any(0, Program().output(port::kLocal));
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_such_port), 1u);
    arena_.add_port(5, port::kLocal);
    io_.set_port(PortSlot(5), view());
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{6});
    arena_.any(0, Program().output(1));
    run(6, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{1});
}

TEST_F(Reserved, UnknownAndDownPortsAreCounted) {
    arena_.any(0, Program().output(77).output(2).output(3).output(4));
    io_.set_port(PortSlot(1), {.mtu = 1500, .link = pipeline::Link::down});
    arena_.port(2).config = config::kDown;
    arena_.port(3).config = config::kNoFwd;
    run(1, FrameSpec{});
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(1, DropReason::no_such_port), 1u);
    EXPECT_EQ(drops(2, DropReason::output_down), 1u);
    EXPECT_EQ(drops(3, DropReason::output_down), 1u);
    EXPECT_EQ(drops(4, DropReason::no_fwd), 1u);
    EXPECT_EQ(arena_.dataplane().port_counters(WorkerId(0), PortSlot(3)).tx_dropped, 1u);
    // A flood passes them by in silence, unless nobody is left.
    arena_.any(0, Program().output(port::kFlood));
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::output_down), 1u);
}

TEST_F(Reserved, PortsDownOrDeafTakeNothing) {
    arena_.any(0, Program().output(2));
    arena_.port(0).config = config::kDown;
    run(1, FrameSpec{});
    arena_.port(0).config = config::kNoRecv;
    run(1, FrameSpec{});
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(1, DropReason::port_down), 1u);
    EXPECT_EQ(drops(1, DropReason::no_recv), 1u);
    EXPECT_EQ(arena_.dataplane().port_counters(WorkerId(0), PortSlot(0)).rx_dropped, 2u);
    arena_.port(0).config = 0;
    arena_.port(0).phase = shm::PortPhase::prepared;
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_bridge), 1u);
    arena_.port(0).phase = shm::PortPhase::attached;
    arena_.bridge().mode = shm::BridgeMode::unused;
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_bridge), 2u);
    EXPECT_TRUE(take_ports().empty());
}

TEST_F(Reserved, TheControllerGetsMaxLenBytesAndTheReason) {
    FrameSpec spec;
    spec.payload.assign(200, 3);
    arena_.any(0, Program().output(port::kController, 40), 0x1234);
    run(2, spec);
    arena_.miss(0, Program().output(port::kController, 0xffff), 0x5678);
    run(2, spec);
    ASSERT_EQ(io_.packet_ins.size(), 2u);
    const PacketIn& first = io_.packet_ins[0];
    EXPECT_EQ(first.bytes.size(), 40u);
    EXPECT_EQ(first.head.total_size, build(spec).bytes.size());
    EXPECT_EQ(first.head.reason, shm::PuntReason::action);
    EXPECT_EQ(first.head.cookie, 0x1234u);
    EXPECT_EQ(first.head.from_miss, 0);
    EXPECT_EQ(first.head.in_port, 2u);
    const PacketIn& second = io_.packet_ins[1];
    EXPECT_EQ(hex_text(second.bytes), hex_text(build(spec).bytes));
    EXPECT_EQ(second.head.reason, shm::PuntReason::no_match);
    EXPECT_EQ(second.head.from_miss, 1);
    EXPECT_EQ(drops(2, DropReason::no_action), 0u);
}

TEST_F(Reserved, AFrameThatShrankIsPaddedForTheControllerToo) {
    FrameSpec spec;
    spec.labels = {0x00001140};
    arena_.any(0, Program().op(shm::OpCode::pop_mpls, 0x0800).output(port::kController, 0xffff));
    run(1, spec);
    spec.labels.clear();
    ASSERT_EQ(io_.packet_ins.size(), 1u);
    EXPECT_EQ(hex_text(io_.packet_ins[0].bytes), padded(spec));
    EXPECT_EQ(io_.packet_ins[0].head.total_size, 60u);
}

TEST_F(Reserved, APacketInWrittenByTheMissEntryIsNoMatchToo) {
    arena_.miss(0, Program().write().output(port::kController, 0xffff));
    run(1, FrameSpec{});
    ASSERT_EQ(io_.packet_ins.size(), 1u);
    EXPECT_EQ(io_.packet_ins[0].head.reason, shm::PuntReason::no_match);
}

TEST_F(Reserved, PacketInsThatCannotBeAreCounted) {
    arena_.miss(0, Program().output(port::kController, 0xffff));
    arena_.bridge().controller_connected = 0;
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_controller), 1u);
    arena_.bridge().controller_connected = 1;
    io_.packet_in_room = 0;
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::packet_in_full), 1u);
    io_.packet_in_room = 9;
    arena_.port(0).config = config::kNoPacketIn;
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::packet_in_disabled), 1u);
    EXPECT_TRUE(io_.packet_ins.empty());
    // NO_PACKET_IN speaks of table misses only (§7.2.1).
    arena_.any(0, Program().output(port::kController, 0xffff));
    run(1, FrameSpec{});
    EXPECT_EQ(io_.packet_ins.size(), 1u);
}

TEST_F(Reserved, APacketOutThatCannotBeRunIsCounted) {
    shm::PacketOutHead head{};
    head.in_port = 2;
    const auto& table = arena_.dataplane().table_counters(WorkerId(0), BridgeId(0), TableId(0));
    const std::uint64_t before = table.other_drop;
    pipeline_.refuse_packet_out(head, DropReason::clone_failed);
    EXPECT_EQ(drops(2, DropReason::clone_failed), 1u);
    head.bridge = 1;  // there is none
    pipeline_.packet_out(head, {}, io_.make(build(FrameSpec{}).bytes), now_ns_);
    EXPECT_EQ(table.other_drop, before + 1);
    const auto& other = arena_.dataplane().table_counters(WorkerId(0), BridgeId(1), TableId(0));
    EXPECT_EQ(other.other_drop, 1u);
}

TEST_F(Reserved, PacketOutReachesEveryKindOfPort) {
    packet_out(port::kController, Program().output(2), FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{2});
    packet_out(PortNo(2), Program().output(port::kFlood), FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{1, 3, 4}));
    packet_out(PortNo(2), Program().output(port::kInPort), FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{2});
    packet_out(port::kController, Program().output(port::kAll), FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{1, 2, 3, 4}));
    packet_out(port::kController, Program().output(port::kNormal), FrameSpec{});
    EXPECT_EQ(take_ports(), (Ports{1, 2, 3, 4}));
    packet_out(port::kController, Program().output(port::kController, 0xffff), FrameSpec{});
    EXPECT_EQ(io_.packet_ins.size(), 1u);
    packet_out(port::kController, Program().output(port::kInPort), FrameSpec{});
    packet_out(port::kController, Program(), FrameSpec{});
    EXPECT_TRUE(take_ports().empty());
}

TEST_F(Reserved, PacketOutToTheTablesMeetsTheFlows) {
    const std::uint32_t flow = arena_.any(0, Program().output(4));
    FrameSpec spec;
    Program program;
    program.set(Field::udp_dst, 9).output(port::kTable).set(Field::udp_dst, 10).output(3);
    packet_out(PortNo(1), program, spec);
    const auto sent = take_sent();
    ASSERT_EQ(sent.size(), 2u);
    spec.dport = 9;
    EXPECT_EQ(sent[0], (std::pair<unsigned, std::string>{4, padded(spec)}));
    spec.dport = 10;
    EXPECT_EQ(sent[1], (std::pair<unsigned, std::string>{3, padded(spec)}));
    EXPECT_EQ(arena_.counter(flow).packets(), 1u);
    // From a flow TABLE would lead round in a circle.
    arena_.any(0, Program().output(port::kTable));
    packet_out(PortNo(1), Program().output(port::kTable), spec);
    EXPECT_TRUE(take_ports().empty());
}

TEST_F(Reserved, PacketOutWithATruncatedProgramEnds) {
    shm::PacketOutHead head{};
    head.in_port = port::kController.value();
    const auto words = Program().set(Field::udp_dst, 5).output(2).linear();
    for (std::size_t n = 0; n < words.size() * 8; ++n) {
        pipeline_.packet_out(head, std::as_bytes(std::span(words)).first(n),
                             io_.make(build(FrameSpec{}).bytes), now_ns_);
        EXPECT_EQ(take_ports().size(), n >= 24 ? 1u : 0u) << n;
    }
}

}  // namespace
}  // namespace raicho::test
