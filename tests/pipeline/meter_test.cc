// SPDX-License-Identifier: Apache-2.0
// Meters in the pipeline (OF 1.3.5 §5.7): rates in virtual time, bands, DSCP and its checksum, the
// virtual meters.
#include "tests/pipeline/switch_fixture.h"

namespace raicho::test {
namespace {

using shm::BandType, shm::OpCode, shm::DropReason;
namespace flag = shm::meter_flag;

class Meter : public SwitchFixture {
  protected:
    Meter() : second_(arena_.dataplane(), WorkerId(1), io_) {}

    std::uint32_t make(std::uint16_t flags, const std::vector<TestBand>& bands) {
        return arena_.meter(1, flags, bands, io_.clock);
    }
    void metered_flow() { arena_.any(0, Program().op(OpCode::meter, 0, 1).output(2)); }
    /// One frame every `gap_ns`, `n` of them, on both workers in turn; those that left.
    std::vector<Sent> offer(std::size_t n, std::uint64_t gap_ns, const FrameSpec& spec) {
        const FrameBytes bytes = build(spec).bytes;
        for (std::size_t i = 0; i < n; ++i) {
            io_.clock += gap_ns;
            pipeline::Packet* packet = io_.make(bytes);
            packet->in_port = PortSlot(0);
            auto& worker = i % 2 == 0 ? pipeline_ : second_;
            worker.run(PortSlot(0), std::span(&packet, 1), io_.clock);
        }
        return std::exchange(io_.sent, {});
    }
    static FrameSpec sized(std::size_t size) {
        FrameSpec spec;
        spec.payload.resize(size - build(spec).bytes.size());
        return spec;
    }
    static unsigned dscp_of(const Sent& sent) {
        return std::to_integer<unsigned>(sent.bytes[15]) >> 2;
    }

    pipeline::Pipeline<FakeIo> second_;
};

TEST_F(Meter, DropsWhatIsBeyondTheRateOnTwoWorkersTogether) {
    const std::uint32_t row = make(flag::kPktps | flag::kBurst, {{BandType::drop, 1000, 10}});
    metered_flow();
    EXPECT_EQ(offer(10, 1, FrameSpec{}).size(), 10u) << "the burst";
    EXPECT_EQ(offer(1, 1, FrameSpec{}).size(), 0u);
    const auto sent = offer(20'000, 500'000, FrameSpec{}).size();  // 2000/s for 10 s
    EXPECT_NEAR(static_cast<double>(sent), 10'000, 100);
    EXPECT_EQ(arena_.meter_count(row).packets, 20'011u);
    EXPECT_EQ(arena_.band_count(row, 0).packets, 20'001u - sent);
    EXPECT_EQ(drops(1, DropReason::meter) +
                  arena_.dataplane().drop_counters(WorkerId(1), PortSlot(0))[DropReason::meter],
              20'001u - sent);
    EXPECT_EQ(offer(500, 2'000'000, FrameSpec{}).size(), 500u) << "half the rate";
}

TEST_F(Meter, CountsBytesOfTheWholeFrame) {
    (void)make(flag::kKbps, {{BandType::drop, 1000}});
    metered_flow();
    const FrameSpec spec = sized(1500);
    (void)offer(200, 1'000, spec);                          // the burst is used up
    const auto sent = offer(2000, 6'000'000, spec).size();  // 2 Mbit/s for 12 s
    EXPECT_NEAR(static_cast<double>(sent) * 1500 * 8, 12e6, 12e4);
}

TEST_F(Meter, APacketLargerThanTheBucketStillGetsItsRate) {
    (void)make(flag::kKbps | flag::kBurst, {{BandType::drop, 1, 1}});  // 1 kbit/s, 125 bytes deep
    metered_flow();
    const FrameSpec spec = sized(1500);
    const auto sent = offer(600, 1'000'000'000, spec).size();  // a packet a second for 600 s
    EXPECT_NEAR(static_cast<double>(sent) * 1500 * 8, 600e3, 13e3);
}

// §5.7: of the exceeded bands the one with the highest rate; each sees what the higher let through.
TEST_F(Meter, TheHighestExceededBandActs) {
    const std::uint32_t row =
        make(flag::kPktps, {{BandType::drop, 2000}, {BandType::dscp_remark, 1000, 0, 1}});
    metered_flow();
    FrameSpec spec;
    spec.dscp = 10;
    (void)offer(4000, 1'000, spec);
    const auto before_drop = arena_.band_count(row, 0), before_mark = arena_.band_count(row, 1);
    const auto sent = offer(30'000, 333'333, spec);  // 3000/s for 10 s
    std::size_t marked = 0;
    for (const Sent& s : sent) marked += dscp_of(s) == 12 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(sent.size()), 20'000, 200);
    EXPECT_NEAR(static_cast<double>(marked), 10'000, 200);
    EXPECT_EQ((arena_.band_count(row, 1) - before_mark).packets, marked);
    EXPECT_EQ((arena_.band_count(row, 0) - before_drop).packets, 30'000 - sent.size());
}

TEST_F(Meter, RemarkingKeepsTheChecksumRightAndLeavesOtherClassesAlone) {
    (void)make(flag::kPktps | flag::kBurst, {{BandType::dscp_remark, 1, 1, 2}});
    metered_flow();
    for (const auto& [before, after] :
         {std::pair(10, 14), {12, 14}, {18, 22}, {38, 38}, {0, 0}, {46, 46}, {8, 8}, {11, 11}}) {
        for (const L3 l3 : {L3::ipv4, L3::ipv6}) {
            FrameSpec spec;
            spec.l3 = l3;
            spec.dscp = static_cast<std::uint8_t>(before);
            spec.ecn = 1;
            (void)offer(1, 1, spec);
            const auto sent = offer(1, 1, spec);
            ASSERT_EQ(sent.size(), 1u);
            spec.dscp = static_cast<std::uint8_t>(after);
            EXPECT_EQ(hex_text(sent[0].bytes), padded(spec)) << before;
        }
    }
    FrameSpec arp;
    arp.l3 = L3::arp;
    EXPECT_EQ(hex_text(offer(1, 1, arp).at(0).bytes), padded(arp));
}

TEST_F(Meter, RemarkedPacketsMatchTheirNewDscpInLaterTables) {
    (void)make(flag::kPktps | flag::kBurst, {{BandType::dscp_remark, 1, 1, 1}});
    arena_.any(0, Program().op(OpCode::meter, 0, 1).go_to(1));
    arena_.any(1, Program().output(port::kController, 0xffff));
    FrameSpec spec;
    spec.dscp = 10;
    (void)offer(2, 1, spec);
    ASSERT_EQ(io_.packet_ins.size(), 2u);
    EXPECT_EQ(std::to_integer<unsigned>(io_.packet_ins[1].bytes[15]) >> 2, 12u);
}

TEST_F(Meter, TheControllersMeterLimitsPacketIns) {
    const std::uint32_t row =
        arena_.meter(0xfffffffe, flag::kPktps | flag::kBurst,
                     {{BandType::drop, 100, 5}, {BandType::dscp_remark, 1, 1, 1}}, io_.clock);
    arena_.bridge().controller_meter = row;
    arena_.any(0, Program().output(port::kController, 0xffff).output(2));
    FrameSpec spec;
    spec.dscp = 10;
    const auto sent = offer(20, 1, spec);
    EXPECT_EQ(sent.size(), 20u) << "what goes elsewhere is not metered";
    for (const Sent& s : sent) EXPECT_EQ(dscp_of(s), 10u);
    ASSERT_EQ(io_.packet_ins.size(), 5u);
    EXPECT_EQ(std::to_integer<unsigned>(io_.packet_ins[0].bytes[15]) >> 2, 10u);
    EXPECT_EQ(std::to_integer<unsigned>(io_.packet_ins[4].bytes[15]) >> 2, 12u);
    EXPECT_EQ(hex_text(io_.packet_ins[4].bytes), [&] {
        spec.dscp = 12;
        return padded(spec);
    }());
}

TEST_F(Meter, TheSlowpathsMeterLimitsWhatGoesToLocal) {
    arena_.add_port(4, port::kLocal);
    io_.set_port(PortSlot(4), view());
    const std::uint32_t row =
        arena_.meter(0xfffffffd, flag::kPktps | flag::kBurst, {{BandType::drop, 10, 3}}, io_.clock);
    arena_.bridge().slowpath_meter = row;
    arena_.any(0, Program().output(port::kLocal).output(2));
    const auto sent = offer(10, 1, FrameSpec{});
    std::map<unsigned, unsigned> count;
    for (const Sent& s : sent) ++count[s.slot.value() + 1u];
    EXPECT_EQ(count[5], 3u);
    EXPECT_EQ(count[2], 10u);
    EXPECT_EQ(arena_.band_count(row, 0).packets, 7u);
}

TEST_F(Meter, AMissingMeterLetsPass) {
    metered_flow();
    EXPECT_EQ(offer(3, 1, FrameSpec{}).size(), 3u);
}

TEST_F(Meter, ALargeFrameCountsAsTheSegmentsItStandsFor) {
    const std::uint32_t row = make(flag::kPktps | flag::kBurst, {{BandType::drop, 1000, 100}});
    metered_flow();
    io_.set_port(PortSlot(1), view(1500, pipeline::Offload::large));
    FrameSpec spec;
    spec.l4 = L4::tcp, spec.sum = Sum::partial;
    spec.payload.resize(10'000);
    std::size_t passed = 0;
    for (int i = 0; i < 1000; ++i) {  // each stands for ten packets: 10,000/s offered
        io_.clock += 1'000'000;
        const Built built = build(spec);
        pipeline::Packet* packet = io_.make(built.bytes);
        packet->gso = pipeline::Gso::tcp4;
        packet->gso_size = 1000;
        packet->checksum = pipeline::Checksum::partial;
        packet->csum_start = static_cast<std::uint16_t>(built.transport_at);
        packet->csum_offset = 16;
        run_packets(1, {packet});
        passed += std::exchange(io_.sent, {}).size();
    }
    EXPECT_NEAR(static_cast<double>(passed), 10 + 100, 2);
    EXPECT_EQ(arena_.meter_count(row).packets, 1000u);
}

}  // namespace
}  // namespace raicho::test
