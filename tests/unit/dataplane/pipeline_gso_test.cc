// SPDX-License-Identifier: Apache-2.0
// Software segmentation and completion of checksums, against frames built one by one.
#include "dataplane/pipeline/gso.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "dataplane/pipeline/edit.h"
#include "tests/pipeline/fake_io.h"
#include "tests/pipeline/frame_spec.h"

namespace raicho::pipeline {
namespace {

using test::FrameSpec, test::L3, test::L4, test::Sum;

/// The frames that a sender without offload would have made of `large`.
std::vector<test::FrameBytes> naive_segments(const FrameSpec& large, std::size_t step) {
    std::vector<test::FrameBytes> frames;
    const auto& all = large.payload;
    for (std::size_t at = 0; at < all.size() || at == 0; at += step) {
        FrameSpec part = large;
        const std::size_t n = std::min(step, all.size() - at);
        part.payload.assign(all.begin() + static_cast<std::ptrdiff_t>(at),
                            all.begin() + static_cast<std::ptrdiff_t>(at + n));
        part.sum = Sum::complete;
        part.id = static_cast<std::uint16_t>(large.id + frames.size());
        part.sequence = static_cast<std::uint32_t>(large.sequence + at);
        if (at + n < all.size()) part.tcp_flags &= static_cast<std::uint8_t>(~0x09);
        if (at > 0) part.tcp_flags &= 0x7f;
        frames.push_back(build(part).bytes);
    }
    return frames;
}

Packet* large_packet(test::FakeIo& io, const test::Built& built, const FrameSpec& spec,
                     std::size_t step, std::size_t first) {
    Packet* packet = io.make(built.bytes, first);
    packet->checksum = Checksum::partial;
    packet->csum_start = static_cast<std::uint16_t>(built.transport_at);
    packet->csum_offset = static_cast<std::uint16_t>(built.csum_offset);
    packet->gso = spec.l4 == L4::udp ? Gso::udp_l4 : spec.l3 == L3::ipv4 ? Gso::tcp4 : Gso::tcp6;
    packet->gso_size = static_cast<std::uint16_t>(step);
    return packet;
}

std::vector<test::FrameBytes> cut(test::FakeIo& io, const Packet& large) {
    std::vector<test::FrameBytes> frames;
    const auto plan = plan_segments(large);
    EXPECT_TRUE(plan.has_value());
    if (!plan) return frames;
    EXPECT_EQ(segment(io, large, *plan,
                      [&](Packet* part) {
                          EXPECT_EQ(part->checksum, Checksum::complete);
                          EXPECT_EQ(part->gso, Gso::none);
                          frames.push_back(io.bytes(*part));
                          io.free(part);
                      }),
              Finish::done);
    return frames;
}

FrameSpec random_large(std::mt19937_64& random) {
    FrameSpec spec;
    do spec = test::random_spec(random);
    while ((spec.l3 != L3::ipv4 && spec.l3 != L3::ipv6) || spec.snap ||
           (spec.l4 != L4::tcp && spec.l4 != L4::udp) || (spec.fragment & 0x3fff) != 0 ||
           spec.later_fragment ||
           std::ranges::any_of(spec.extensions, [](const auto& e) { return e.type == 44; }));
    spec.payload.resize(1 + random() % 9000);
    for (auto& b : spec.payload) b = static_cast<std::uint8_t>(random());
    spec.tcp_flags = static_cast<std::uint8_t>(random());
    spec.sum = Sum::partial;
    return spec;
}

TEST(Gso, CutsAsASenderWouldHave) {
    const std::uint64_t seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int i = 0; i < 100; ++i) {
        SCOPED_TRACE(format("seed {} round {}", seed, i));
        const FrameSpec spec = random_large(random);
        const std::size_t step = 100 + random() % 1400;
        test::FakeIo io;
        const test::Built built = build(spec);
        Packet* large = large_packet(io, built, spec, step, 256 + random() % 2000);
        const auto got = cut(io, *large);
        const auto want = naive_segments(spec, step);
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t n = 0; n < got.size(); ++n)
            ASSERT_EQ(hex_text(got[n]), hex_text(want[n])) << "segment " << n;
        io.free(large);
        EXPECT_EQ(io.live(), 0u);
    }
}

TEST(Gso, CutsUnderPushedLabelsAndServiceTags) {
    for (const bool label : {true, false}) {
        FrameSpec spec;
        spec.l4 = L4::tcp;
        spec.sum = Sum::partial;
        spec.payload.assign(5000, 7);
        test::FakeIo io;
        Frame frame;
        frame.packet = large_packet(io, build(spec), spec, 1400, 300);
        reparse(frame);
        ASSERT_EQ(label ? push_mpls(frame, 0x8847) : push_pbb(frame, 0x88e7), EditResult::done);
        const auto got = cut(io, *frame.packet);
        const auto inner = naive_segments(spec, 1400);
        ASSERT_EQ(got.size(), inner.size());
        const std::size_t outer = 18;  // Ethernet and the label, or the I-TAG
        const std::size_t hidden = label ? 14 : 0;
        for (std::size_t n = 0; n < got.size(); ++n)
            EXPECT_EQ(hex_text(std::span(got[n]).subspan(outer)),
                      hex_text(std::span(inner[n]).subspan(hidden)));
    }
}

TEST(Gso, RefusesHeadersThatDoNotBearOutTheType) {
    FrameSpec spec;
    spec.l4 = L4::tcp;
    spec.sum = Sum::partial;
    spec.payload.assign(3000, 1);
    const test::Built built = build(spec);
    const auto refused = [&](auto change) {
        test::FakeIo io;
        Packet* packet = large_packet(io, built, spec, 1000, 256);
        change(*packet);
        return !plan_segments(*packet).has_value();
    };
    EXPECT_FALSE(refused([](Packet&) {}));
    EXPECT_TRUE(refused([](Packet& p) { p.gso = Gso::tcp6; }));
    EXPECT_TRUE(refused([](Packet& p) { p.gso = Gso::udp_l4; }));
    EXPECT_TRUE(refused([](Packet& p) { p.gso = Gso::udp; }));
    EXPECT_TRUE(refused([](Packet& p) { p.gso = static_cast<Gso>(2); }));  // has no name
    EXPECT_TRUE(refused([](Packet& p) { p.gso_size = 0; }));
    EXPECT_TRUE(refused([](Packet& p) { p.csum_start = 20; }));
    EXPECT_TRUE(refused([](Packet& p) { p.csum_start = 250; }));
    EXPECT_TRUE(refused([](Packet& p) { p.checksum = Checksum::complete; }));
    EXPECT_TRUE(refused([](Packet& p) { p.data[46] = std::byte{0x10}; }));
    EXPECT_TRUE(refused([](Packet& p) { p.data[12] = std::byte{0x55}; }));
}

TEST(Gso, RefusesAnIpv4HeaderThatReachesIntoTheTransport) {
    FrameSpec spec;
    spec.l4 = L4::udp;
    spec.sum = Sum::partial;
    spec.payload.assign(30, 1);
    test::FakeIo io;
    Frame frame;
    frame.packet = large_packet(io, build(spec), spec, 1, 72);
    reparse(frame);
    ASSERT_EQ(push_mpls(frame, 0x8847), EditResult::done);
    EXPECT_TRUE(plan_segments(*frame.packet).has_value());
    for (unsigned words = 6; words <= 15; ++words) {  // no parser looks behind a label
        frame.packet->data[18] = static_cast<std::byte>(0x40 | words);
        EXPECT_FALSE(plan_segments(*frame.packet).has_value()) << words;
    }
    io.free(frame.packet);
}

TEST(Gso, EndsWhereMemoryEnds) {
    FrameSpec spec;
    spec.l4 = L4::tcp;
    spec.sum = Sum::partial;
    spec.payload.assign(5000, 1);
    test::FakeIo io;
    io.allocs_left = 2;
    Packet* large = large_packet(io, build(spec), spec, 1000, 256);
    const auto plan = plan_segments(*large);
    ASSERT_TRUE(plan.has_value());
    int n = 0;
    EXPECT_EQ(segment(io, *large, *plan,
                      [&](Packet* part) {
                          ++n;
                          io.free(part);
                      }),
              Finish::failed);
    EXPECT_EQ(n, 2);
    EXPECT_EQ(io.live(), 1u);
}

TEST(Checksum, PartialOnesAreCompletedOverChains) {
    const std::uint64_t seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int i = 0; i < 120; ++i) {
        SCOPED_TRACE(format("seed {} round {}", seed, i));
        FrameSpec spec = random_large(random);
        if (i % 3 == 0) spec.l4 = L4::sctp;
        if (i % 2 == 0) spec.padding = random() % 20;
        const test::Built built = build(spec);
        test::FakeIo io;
        Packet* packet = io.make(built.bytes, 256 + random() % 4000);
        packet->checksum = Checksum::partial;
        packet->csum_start = static_cast<std::uint16_t>(built.transport_at);
        packet->csum_offset = static_cast<std::uint16_t>(built.csum_offset);
        ASSERT_EQ(complete_checksum(io, *packet), Finish::done);
        spec.sum = Sum::complete;
        ASSERT_EQ(hex_text(io.bytes(*packet)), hex_text(build(spec).bytes));
        EXPECT_EQ(packet->checksum, Checksum::complete);
    }
}

TEST(Checksum, OneOutsideTheFirstSegmentFails) {
    FrameSpec spec;
    spec.payload.assign(1000, 1);
    test::FakeIo io;
    Packet* packet = io.make(build(spec).bytes, 256);
    packet->checksum = Checksum::partial;
    packet->csum_start = 250;
    packet->csum_offset = 6;
    EXPECT_EQ(complete_checksum(io, *packet), Finish::failed);
}

TEST(Checksum, Crc32cMatchesTheKnownVector) {
    // RFC 3720 §B.4: 32 bytes of zeros.
    const std::vector<std::byte> zeros(32);
    EXPECT_EQ(~crc32c(0xffffffff, zeros), 0x8a9136aau);
    std::vector<std::byte> odd(33);
    for (std::size_t i = 0; i < odd.size(); ++i) odd[i] = static_cast<std::byte>(i * 37);
    EXPECT_EQ(~crc32c(0xffffffff, odd), test::naive_crc32c(odd.data(), odd.size()));
}

TEST(Checksum, FoldsLargeSums) {
    EXPECT_EQ(fold(0), 0);
    EXPECT_EQ(fold(0xffff), 0xffff);
    EXPECT_EQ(fold(0x10000), 1);
    EXPECT_EQ(fold(0xffffffffffffffff), 0xffff);
}

}  // namespace
}  // namespace raicho::pipeline
