// SPDX-License-Identifier: Apache-2.0
// Frames through tables: instructions, action sets, outputs, counters (OF 1.3.5 §5).
#include "tests/pipeline/switch_fixture.h"

namespace raicho::test {
namespace {

using pipeline::Checksum, pipeline::Offload;
using shm::DropReason, shm::OpCode;

class Forward : public SwitchFixture {};

TEST_F(Forward, AMissWithoutEntryIsDroppedAndCounted) {
    run(1, FrameSpec{});
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(1, DropReason::no_match), 1u);
    EXPECT_EQ(arena_.table(0).lookups, 1u);
    EXPECT_EQ(arena_.table(0).matched, 0u);
    EXPECT_EQ(arena_.table(0).no_match, 1u);
}

TEST_F(Forward, OneOutputSendsThePacketItself) {
    const std::uint32_t flow = arena_.any(0, Program().output(2));
    io_.clones_left = 0;
    FrameSpec spec;
    spec.payload.assign(100, 5);
    run(1, std::vector{build(spec).bytes, build(spec).bytes, build(spec).bytes});
    EXPECT_EQ(take_sent(), (std::vector<std::pair<unsigned, std::string>>(3, {2, padded(spec)})));
    EXPECT_EQ(arena_.counter(flow).packets(), 3u);
    EXPECT_EQ(arena_.counter(flow).bytes, 3 * build(spec).bytes.size());
    EXPECT_EQ(arena_.counter(flow).tick(), shm::tick_of(now_ns_));
    EXPECT_EQ(arena_.table(0).matched, 3u);
}

TEST_F(Forward, NothingLeavesShorterThanSixtyBytes) {
    arena_.any(0, Program().output(2));
    FrameSpec spec;  // 42 bytes
    run(1, spec);
    EXPECT_EQ(take_sent().at(0).second, padded(spec));
}

TEST_F(Forward, EachOutputGetsThePacketAsItWasThen) {
    arena_.any(
        0, Program().output(2).set(Field::udp_dst, 53).output(3).output(4).set(Field::udp_dst, 99));
    FrameSpec spec;
    run(1, spec);
    const std::string first = padded(spec);
    spec.dport = 53;
    EXPECT_EQ(take_sent(), (std::vector<std::pair<unsigned, std::string>>{
                               {2, first}, {3, padded(spec)}, {4, padded(spec)}}));
}

TEST_F(Forward, TheActionSetRunsInTheOrderOfTheSpecification) {
    // §5.10: pop before push before set-field before output, whatever the order of writing.
    Program program;
    program.write()
        .output(3)
        .set(Field::vlan_vid, 0x1007)
        .op(OpCode::push_vlan, 0x88a8)
        .op(OpCode::pop_vlan);
    arena_.any(0, program);
    FrameSpec spec;
    spec.tags = {{0x8100, 0x2005}};
    run(1, spec);
    spec.tags = {{0x88a8, 7}};
    EXPECT_EQ(take_sent().at(0), (std::pair<unsigned, std::string>{3, padded(spec)}));
}

TEST_F(Forward, ALaterWriteReplacesAndClearForgets) {
    arena_.any(0, Program().write().output(2).set(Field::udp_dst, 1).go_to(1));
    arena_.any(1, Program().write().output(3).go_to(2));
    arena_.any(2, Program());
    FrameSpec spec;
    run(1, spec);
    spec.dport = 1;
    EXPECT_EQ(take_sent(), (std::vector<std::pair<unsigned, std::string>>{{3, padded(spec)}}));

    arena_.any(2, Program().op(OpCode::clear_set).write().output(4));
    run(1, FrameSpec{});
    EXPECT_EQ(take_sent(),
              (std::vector<std::pair<unsigned, std::string>>{{4, padded(FrameSpec{})}}));
}

TEST_F(Forward, AnActionSetWithoutOutputDrops) {
    arena_.any(0, Program().write().set(Field::udp_dst, 1));
    run(1, FrameSpec{});
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(1, DropReason::no_action), 1u);
    arena_.any(0, Program());
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::action_drop), 1u);
    EXPECT_EQ(arena_.table(0).action_drop, 2u);
}

TEST_F(Forward, TablesAreVisitedUpwardsAndCounted) {
    arena_.any(0, Program().go_to(7));
    arena_.any(7, Program().go_to(100));
    arena_.any(100, Program().go_to(254));
    arena_.any(254, Program().output(2));
    run(1, std::vector(130, build(FrameSpec{}).bytes));
    EXPECT_EQ(take_ports(), Ports(130, 2));
    for (unsigned t : {0u, 7u, 100u, 254u}) EXPECT_EQ(arena_.table(t).matched, 130u) << t;
    // A damaged program must not lead back.
    arena_.any(254, Program().go_to(3));
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::out_of_range), 1u);
}

TEST_F(Forward, MetadataIsWrittenUnderItsMaskAndReported) {
    arena_.any(0, Program().metadata(0xaabbccdd00000000, 0xffffffff00000000).go_to(1));
    arena_.any(1, Program().metadata(0x1122, 0xffff).go_to(2));
    arena_.any(2, Program().set(Field::tunnel_id, 42).output(port::kController, 0xffff), 77);
    run(3, FrameSpec{});
    ASSERT_EQ(io_.packet_ins.size(), 1u);
    EXPECT_EQ(io_.packet_ins[0].head.metadata, 0xaabbccdd00001122u);
    EXPECT_EQ(io_.packet_ins[0].head.tunnel_id, 42u);
    EXPECT_EQ(io_.packet_ins[0].head.table, 2);
    EXPECT_EQ(io_.packet_ins[0].head.cookie, 77u);
    EXPECT_EQ(io_.packet_ins[0].head.in_port, 3u);
}

TEST_F(Forward, LongProgramsRunThroughTheirChunks) {
    Program program;
    for (unsigned i = 0; i < 20; ++i) program.set(Field::udp_dst, i).output(2);
    arena_.any(0, program);
    run(1, FrameSpec{});
    const auto sent = take_sent();
    ASSERT_EQ(sent.size(), 20u);
    FrameSpec spec;
    for (unsigned i = 0; i < 20; ++i) {
        spec.dport = static_cast<std::uint16_t>(i);
        EXPECT_EQ(sent[i].second, padded(spec));
    }
}

TEST_F(Forward, AnActionThatDoesNotFitDrops) {
    arena_.any(0, Program().output(2).op(OpCode::pop_vlan).output(3));
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{2});  // what was done before stands
    EXPECT_EQ(drops(1, DropReason::bad_action), 1u);
}

TEST_F(Forward, AMissInALaterTableLeavesEarlierOutputsStand) {
    arena_.any(0, Program().output(2).go_to(1));
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{2});
    EXPECT_EQ(drops(1, DropReason::no_match), 1u);
}

TEST_F(Forward, AnExpiredTtlIsDroppedOrReported) {
    arena_.any(0, Program().op(OpCode::dec_nw_ttl).output(2));
    FrameSpec spec;
    spec.ttl = 1;
    run(1, spec);
    EXPECT_EQ(drops(1, DropReason::ttl), 1u);
    EXPECT_TRUE(io_.packet_ins.empty());
    arena_.bridge().config_flags = pipeline::bridge_config::kInvalidTtl;
    arena_.bridge().miss_send_len = 20;
    run(1, spec);
    ASSERT_EQ(io_.packet_ins.size(), 1u);
    EXPECT_EQ(io_.packet_ins[0].head.reason, shm::PuntReason::invalid_ttl);
    EXPECT_EQ(io_.packet_ins[0].bytes.size(), 20u);
    EXPECT_TRUE(take_ports().empty());
    spec.ttl = 2;
    run(1, spec);
    spec.ttl = 1;
    EXPECT_EQ(take_sent().at(0).second, padded(spec));
}

TEST_F(Forward, GroupsThatAreNotThereAreCounted) {
    arena_.any(0, Program().op(OpCode::group, 0, 5).output(2));
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_group), 1u);
    EXPECT_EQ(take_ports(), Ports{2});
    // In an action set a group takes the place of an output (§5.10).
    arena_.any(0, Program().write().op(OpCode::group, 0, 5).output(2));
    run(1, FrameSpec{});
    EXPECT_EQ(drops(1, DropReason::no_group), 2u);
    EXPECT_TRUE(take_ports().empty());
}

TEST_F(Forward, FragmentsAreDroppedWhenConfigured) {
    arena_.any(0, Program().output(2));
    arena_.bridge().config_flags = pipeline::bridge_config::kFragmentDrop;
    FrameSpec spec;
    spec.fragment = 0x2000;
    run(1, spec);
    EXPECT_EQ(drops(1, DropReason::fragment), 1u);
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{2});
}

TEST_F(Forward, RuntsAreMalformed) {
    arena_.any(0, Program().output(2));
    run(1, std::vector{FrameBytes(13), FrameBytes(0), FrameBytes(14)});
    EXPECT_EQ(drops(1, DropReason::malformed), 2u);
    EXPECT_EQ(take_ports(), Ports{2});
}

TEST_F(Forward, FramesLargerThanTheMtuAreTooBig) {
    arena_.any(0, Program().output(2));
    FrameSpec spec;
    spec.payload.assign(1472, 0);
    run(1, spec);
    spec.tags = {{0x88a8, 1}, {0x8100, 2}};  // tags do not count
    run(1, spec);
    EXPECT_EQ(take_ports(), (Ports{2, 2}));
    spec.tags.push_back({0x8100, 3});
    run(1, spec);
    EXPECT_EQ(take_ports(), Ports{2});
    spec.payload.push_back(0);
    run(1, spec);
    EXPECT_TRUE(take_ports().empty());
    EXPECT_EQ(drops(2, DropReason::too_big), 1u);
}

TEST_F(Forward, NoMemoryForACopyLosesTheCopyOnly) {
    arena_.any(0, Program().output(2).output(3));
    io_.clones_left = 0;
    run(1, FrameSpec{});
    EXPECT_EQ(take_ports(), Ports{3});
    EXPECT_EQ(drops(1, DropReason::clone_failed), 1u);
}

TEST_F(Forward, PartialChecksumsGoOnWhereThePortCompletesThem) {
    arena_.any(0, Program()
                      .op(OpCode::push_vlan, 0x8100)
                      .set(Field::ipv4_src, 0x01020304)
                      .set(Field::tcp_dst, 443)
                      .output(2)
                      .output(3));
    io_.set_port(PortSlot(2), view(1500, Offload::large));
    FrameSpec spec;
    spec.l4 = L4::tcp;
    spec.sum = Sum::partial;
    run_packets(1, {offloaded(io_, spec)});
    spec.tags = {{0x8100, 0}};
    spec.src4 = {{1, 2, 3, 4}};
    spec.dport = 443;
    ASSERT_EQ(io_.sent.size(), 2u);
    EXPECT_EQ(io_.sent[1].packet.checksum, Checksum::partial);
    EXPECT_EQ(io_.sent[1].packet.csum_start, build(spec).transport_at);
    EXPECT_EQ(hex_text(io_.sent[1].bytes), padded(spec));
    EXPECT_EQ(io_.sent[0].packet.checksum, Checksum::complete);
    spec.sum = Sum::complete;
    EXPECT_EQ(hex_text(io_.sent[0].bytes), padded(spec));
    io_.sent.clear();
}

TEST_F(Forward, ASetSctpPortGetsANewCrc) {
    arena_.any(0, Program().set(Field::sctp_dst, 9).output(2));
    io_.set_port(PortSlot(1), view(1500, Offload::large));
    FrameSpec spec;
    spec.l4 = L4::sctp;
    spec.padding = 30;
    run(1, spec);
    spec.dport = 9;
    EXPECT_EQ(take_sent().at(0).second, padded(spec));
}

TEST_F(Forward, LargeFramesGoWholeOrInSegments) {
    io_.set_port(PortSlot(2), view(1500, Offload::large));
    for (const L3 l3 : {L3::ipv4, L3::ipv6}) {
        FrameSpec spec;
        spec.l3 = l3;
        spec.l4 = L4::tcp;
        spec.sum = Sum::partial;
        spec.payload.assign(20000, 9);
        arena_.any(0, Program().output(2).output(3));
        run_packets(1, {offloaded(io_, spec, 1400)});
        ASSERT_EQ(io_.sent.size(), 16u);  // 15 of at most 1400, then the whole
        EXPECT_EQ(hex_text(io_.sent[15].bytes), hex_text(build(spec).bytes));
        EXPECT_EQ(io_.sent[15].packet.gso_size, 1400);
        io_.sent.clear();
        // What a label covers no device segments.
        arena_.any(0, Program().op(OpCode::push_mpls, 0x8847).output(3));
        run_packets(1, {offloaded(io_, spec, 1400)});
        EXPECT_EQ(take_ports(), Ports(15, 3));
        // Segments beyond the port's MTU are not made.
        arena_.any(0, Program().output(3));
        run_packets(1, {offloaded(io_, spec, 1480)});
        EXPECT_TRUE(take_ports().empty());
    }
    EXPECT_EQ(drops(3, DropReason::too_big), 2u);
}

TEST_F(Forward, LargeFramesReachTheControllerInSegments) {
    arena_.any(0, Program().output(port::kController, 64));
    FrameSpec spec;
    spec.l4 = L4::tcp;
    spec.sum = Sum::partial;
    spec.payload.assign(3000, 9);
    run_packets(1, {offloaded(io_, spec, 1400)});
    ASSERT_EQ(io_.packet_ins.size(), 3u);
    EXPECT_EQ(io_.packet_ins[0].head.total_size, 54u + 1400u);
    EXPECT_EQ(io_.packet_ins[2].head.total_size, 54u + 200u);
    EXPECT_EQ(io_.packet_ins[0].bytes.size(), 64u);
}

}  // namespace
}  // namespace raicho::test
