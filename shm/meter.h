// SPDX-License-Identifier: Apache-2.0
// Meters in the arena (OF 1.3.5 §5.7): a named row whose body holds the bands, falling by rate.
// A band is a token bucket kept as one number, the virtual time up to which its tokens are spent,
// so that workers share it by a compare-and-swap and nobody ever has to fill it. Times are counted
// in 1/256 ns, modulo 2^64: exact enough for 100 Gbit/s and 100 M packets/s.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "shm/named_row.h"

namespace raicho::shm {

/// Bands of a meter at most: one line of state.
inline constexpr std::size_t kMaxBands = 8;

/// OFPMF_* of OF 1.3.5 §7.3.4.4.
namespace meter_flag {
inline constexpr std::uint16_t kKbps = 1;
inline constexpr std::uint16_t kPktps = 2;
inline constexpr std::uint16_t kBurst = 4;
inline constexpr std::uint16_t kStats = 8;
}  // namespace meter_flag

/// OFPMBT_*.
enum class BandType : std::uint16_t { drop = 1, dscp_remark = 2 };

/// Virtual time.
using MeterTime = std::uint64_t;
inline constexpr unsigned kMeterTimeShift = 8;  // 2^8 in a nanosecond
[[nodiscard]] constexpr MeterTime meter_time(std::uint64_t ns) {
    return ns << kMeterTimeShift;
}
/// Costs have so many more bits behind the point.
inline constexpr unsigned kCostShift = 16;

//  off size field          writer: agent; immutable once published
//    0   2  type           BandType
//    2   1  prec_level     dscp_remark: how many drop precedences more
//    3   1  order          its place among the bands as sent
//    4   4  rate           kbit/s or packets/s, as sent
//    8   4  burst          kbit or packets, as sent
//   12   4  zero
//   16   8  cost           virtual time (2^-16) of a byte or of a packet
//   24   8  depth          virtual time of a full bucket
//   32   8  shift          added to the state's word: what earlier users of the row left in it
//   40   8  base_packets   sums over workers when counting began
//   48   8  base_bytes
//   56   8  zero
struct alignas(64) MeterBand {
    BandType type;
    std::uint8_t prec_level;
    std::uint8_t order;
    std::uint32_t rate;
    std::uint32_t burst;
    std::uint32_t zero0;
    std::uint64_t cost;
    MeterTime depth;
    MeterTime shift;
    std::uint64_t base_packets;
    std::uint64_t base_bytes;
    std::uint64_t zero1;
};
static_assert(sizeof(MeterBand) == 64 && std::has_unique_object_representations_v<MeterBand>);

//  off size field          writer: agent; immutable once published
//    0   2  flags          OFPMF_* as sent
//    2   2  n_bands
//    4   4  state          row of meter states and of band counters
//    8  56  zero
//   64 64n  bands          falling by rate; equal rates as sent
struct alignas(64) MeterBody {
    std::uint16_t flags;
    std::uint16_t n_bands;
    std::uint32_t state;
    std::array<std::uint8_t, 56> zero;

    [[nodiscard]] const MeterBand* bands() const {
        return reinterpret_cast<const MeterBand*>(this + 1);
    }
    [[nodiscard]] MeterBand* bands() { return reinterpret_cast<MeterBand*>(this + 1); }
    [[nodiscard]] bool counts_packets() const { return (flags & meter_flag::kPktps) != 0; }
};
static_assert(sizeof(MeterBody) == 64 && std::has_unique_object_representations_v<MeterBody>);

[[nodiscard]] constexpr std::uint32_t meter_lines(std::size_t n_bands) {
    return static_cast<std::uint32_t>(1 + n_bands);
}

/// Written by the workers, all of them.
struct alignas(64) MeterState {
    std::array<std::atomic<MeterTime>, kMaxBands> spent;
};
static_assert(sizeof(MeterState) == 64 && std::is_standard_layout_v<MeterState>);

/// Of a port's policer; one row a port. Written by the workers that receive from it.
struct alignas(64) PolicerState {
    std::atomic<MeterTime> spent;
    std::array<std::uint8_t, 56> zero;
};
static_assert(sizeof(PolicerState) == 64 && std::is_standard_layout_v<PolicerState>);

/// One row per worker and state row: what each band (as ordered in the body) acted on.
struct alignas(64) BandTallies {
    std::array<Tally, kMaxBands> bands{};
};
static_assert(sizeof(BandTallies) == 128);
static_assert(std::has_unique_object_representations_v<BandTallies>);

/// The most that a bucket may owe (73 minutes); what looks like more is a bucket that was idle for
/// half a year and longer, and full.
inline constexpr MeterTime kMostDebt = MeterTime{1} << 50;
/// Deeper buckets (52 days) are cut.
inline constexpr MeterTime kMostDepth = MeterTime{1} << 60;
/// Of a band whose burst is not given (OFPMF_BURST unset): long enough for a receive queue's
/// jitter, short enough to be lost in a measurement of seconds.
inline constexpr std::uint64_t kUsualDepthNs = 100'000'000;
/// A given burst counts as this at least: packets arrive by the burst, and a bucket that cannot
/// hold what becomes due between two of them would hold the rate down.
inline constexpr std::uint64_t kLeastDepthNs = 1'000'000;

/// Cost of a byte (kbps) or of a packet (pktps); rate > 0.
[[nodiscard]] constexpr std::uint64_t band_cost(std::uint16_t flags, std::uint32_t rate) {
    constexpr std::uint64_t kSecondNs = 1'000'000'000;
    constexpr std::uint64_t kOne = std::uint64_t{1} << (kMeterTimeShift + kCostShift);
    const bool packets = (flags & meter_flag::kPktps) != 0;
    // A packet is 1/rate s; a byte 8/(1000 rate) s.
    const std::uint64_t ns = packets ? kSecondNs : kSecondNs / 1000 * 8;
    return (ns * kOne + rate / 2) / rate;
}
[[nodiscard]] constexpr MeterTime band_depth(std::uint16_t flags, std::uint32_t rate,
                                             std::uint32_t burst) {
    if ((flags & meter_flag::kBurst) == 0 || burst == 0) return meter_time(kUsualDepthNs);
    __extension__ using Wide = unsigned __int128;
    const Wide ns = Wide{burst} * 1'000'000'000 / rate;
    if (ns >= kMostDepth >> kMeterTimeShift) return kMostDepth;
    return meter_time(std::max(static_cast<std::uint64_t>(ns), kLeastDepthNs));
}
/// Virtual time of `amount` bytes or packets.
[[nodiscard]] constexpr MeterTime band_charge(const MeterBand& band, std::uint64_t amount) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<MeterTime>(Wide{band.cost} * amount >> kCostShift);
}
/// A word for which the bucket is full at `now`.
[[nodiscard]] constexpr MeterTime band_full(const MeterBand& band, MeterTime now) {
    return now - band.depth - band.shift;
}

enum class Meter : bool { within, exceeded };

/// Takes `charge` out of the bucket, or leaves it: exceeded. A charge larger than the bucket is
/// taken from a full one and leaves a debt, so that the rate holds for packets of any size. In
/// time a bucket fills up to two such charges at least: one that holds a single packet would lose
/// what becomes due between that and the next arrival.
[[nodiscard]] inline Meter band_take(const MeterBand& band, std::atomic<MeterTime>& word,
                                     MeterTime now, MeterTime charge) noexcept {
    MeterTime raw = word.load(std::memory_order_relaxed);
    for (;;) {
        const MeterTime age = now - (raw + band.shift);
        const bool owes = age > ~MeterTime{0} - kMostDebt;
        if (owes) return Meter::exceeded;
        const MeterTime tokens = std::min(age, std::max(band.depth, 2 * charge));
        if (tokens < std::min(charge, band.depth)) return Meter::exceeded;
        // Nothing is published by the word but itself: relaxed.
        const MeterTime next = now - tokens + charge - band.shift;
        if (word.compare_exchange_weak(raw, next, std::memory_order_relaxed)) return Meter::within;
    }
}

}  // namespace raicho::shm
