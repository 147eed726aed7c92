// SPDX-License-Identifier: Apache-2.0
// Token buckets in virtual time, over all rates that are promised and on several threads.
#include "shm/meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace raicho::shm {
namespace {

namespace flag = meter_flag;

MeterBand band_of(std::uint16_t flags, std::uint32_t rate, std::uint32_t burst, MeterTime now) {
    MeterBand band{};
    band.cost = band_cost(flags, rate);
    band.depth = band_depth(flags, rate, burst);
    band.shift = now - band.depth;  // of a fresh row, whose word is zero
    return band;
}

struct Case {
    std::uint16_t flags;
    std::uint32_t rate;
    std::uint32_t size;  // bytes of a packet
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << c.rate << (c.flags == flag::kPktps ? " packets/s" : " kbit/s") << " of " << c.size;
}

class MeterRate : public testing::TestWithParam<Case> {
  protected:
    /// Amount of a packet, and how many conform in a second.
    [[nodiscard]] std::uint64_t amount() const {
        return GetParam().flags == flag::kPktps ? 1 : GetParam().size;
    }
    [[nodiscard]] double packets_per_s() const {
        return GetParam().flags == flag::kPktps ? GetParam().rate
                                                : GetParam().rate * 1000.0 / 8 / GetParam().size;
    }
};

constexpr std::uint64_t kStart = 5'000'000'000'000;
constexpr std::uint64_t kPackets = 100'000;
constexpr std::uint64_t kApart = 50;

/// Arrivals at `offered` times the rate, from threads that take them in turn, none of which is more
/// than kApart packets behind another; the burst is used up first.
double rate_on(unsigned threads, const MeterBand& band, std::uint64_t amount, double per_s,
               double offered = 2) {
    std::atomic<MeterTime> word{0};
    const MeterTime start = meter_time(kStart);
    while (band_take(band, word, start, band_charge(band, amount)) == Meter::within) {
    }
    std::atomic<std::uint64_t> next{0}, passed{0};
    std::vector<std::atomic<std::uint64_t>> places(threads);
    const auto ahead = [&](std::uint64_t i) {
        return std::ranges::any_of(places, [&](const auto& place) { return place + kApart < i; });
    };
    const auto work = [&](unsigned self) {
        std::uint64_t mine = 0;
        for (std::uint64_t i; (i = next.fetch_add(1)) < kPackets;) {
            places[self] = i;
            while (ahead(i)) std::this_thread::yield();
            const double ns = static_cast<double>(i + 1) * 1e9 / (offered * per_s);
            const MeterTime now = start + static_cast<MeterTime>(ns * (1 << kMeterTimeShift));
            if (band_take(band, word, now, band_charge(band, amount)) == Meter::within) ++mine;
        }
        places[self] = kPackets;
        passed += mine;
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    for (std::thread& thread : others) thread.join();
    return static_cast<double>(passed) / (static_cast<double>(kPackets) / (offered * per_s));
}

TEST_P(MeterRate, IsHeldWithinOnePercentOnOneWorkerAndOnSeveral) {
    const auto [flags, rate, size] = GetParam();
    const MeterBand band = band_of(flags, rate, 0, meter_time(kStart));
    EXPECT_NEAR(rate_on(1, band, amount(), packets_per_s()) / packets_per_s(), 1, 0.01);
    // Out of step: each arrival comes a little after its token.
    EXPECT_NEAR(rate_on(1, band, amount(), packets_per_s(), 1.7) / packets_per_s(), 1, 0.01);
    // Threads that overtake each other must not matter: a bucket of a hundred packets, used up
    // first, forgives what arrives a few packets out of order.
    const std::uint32_t burst = flags == flag::kPktps ? 100 : std::max(1u, size * 100 * 8 / 1000);
    const MeterBand deep =
        band_of(static_cast<std::uint16_t>(flags | flag::kBurst), rate, burst, meter_time(kStart));
    EXPECT_NEAR(rate_on(4, deep, amount(), packets_per_s()) / packets_per_s(), 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    Promised, MeterRate,
    testing::Values(Case{flag::kKbps, 1, 60}, Case{flag::kKbps, 1, 1514}, Case{flag::kKbps, 10, 64},
                    Case{flag::kKbps, 1000, 1514}, Case{flag::kKbps, 1'000'000, 60},
                    Case{flag::kKbps, 100'000'000, 60}, Case{flag::kKbps, 100'000'000, 65'000},
                    Case{flag::kPktps, 1, 60}, Case{flag::kPktps, 50, 60},
                    Case{flag::kPktps, 100'000, 60}, Case{flag::kPktps, 100'000'000, 60}));

TEST(MeterBucket, HoldsItsBurstAndNoMore) {
    const std::uint16_t flags = flag::kPktps | flag::kBurst;
    const MeterBand band = band_of(flags, 100, 25, meter_time(kStart));
    std::atomic<MeterTime> word{0};
    const auto burst_at = [&](std::uint64_t ns) {
        unsigned n = 0;
        while (band_take(band, word, meter_time(ns), band_charge(band, 1)) == Meter::within) ++n;
        return n;
    };
    EXPECT_EQ(burst_at(kStart), 25u);
    EXPECT_EQ(burst_at(kStart + 50'000'000), 5u);
    EXPECT_EQ(burst_at(kStart + 3600'000'000'000), 25u) << "it never holds more";
    EXPECT_EQ(burst_at(kStart + 3600'000'000'000 + std::uint64_t{400} * 86400 * 1'000'000'000), 25u)
        << "a bucket that was idle for more than a year is full";
}

TEST(MeterBucket, TakesOverARowFullWhateverWasLeftInIt) {
    std::atomic<MeterTime> word{0xdeadbeefcafef00d};
    MeterBand band = band_of(flag::kPktps | flag::kBurst, 1000, 7, 0);
    const MeterTime now = meter_time(kStart);
    band.shift = now - band.depth - word;
    EXPECT_EQ(word, band_full(band, now));
    unsigned n = 0;
    while (band_take(band, word, now, band_charge(band, 1)) == Meter::within) ++n;
    EXPECT_EQ(n, 7u);
}

TEST(MeterBucket, KeepsHugeBurstsInRange) {
    const auto depth = band_depth(flag::kPktps | flag::kBurst, 1, 0xffffffff);
    EXPECT_EQ(depth, kMostDepth);
    EXPECT_EQ(band_depth(flag::kKbps, 1, 0xffffffff), meter_time(kUsualDepthNs))
        << "without OFPMF_BURST the burst does not count";
}

}  // namespace
}  // namespace raicho::shm
