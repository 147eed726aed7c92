// SPDX-License-Identifier: Apache-2.0
// Counters that workers write and the agent sums. Every worker has rows of its own, written with
// plain stores by it alone; they only grow, for ever: what a reused flow, port or bridge had
// counted before is subtracted by a base in the agent's pages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "shm/port.h"

#if defined(__SANITIZE_THREAD__)
#define RAICHO_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAICHO_TSAN 1
#endif
#endif

#if defined(__x86_64__) && !defined(RAICHO_TSAN)
#include <emmintrin.h>
#endif

namespace raicho::shm {

/// An eighth of a second of CLOCK_MONOTONIC, in 24 bits.
[[nodiscard]] constexpr std::uint32_t tick_of(std::uint64_t now_ns) {
    return static_cast<std::uint32_t>(now_ns / 125'000'000) & 0xffffff;
}
/// The latest time not after `now_ns` whose tick this is; a tick of the next second, from a worker
/// whose clock was read later, is `now_ns`.
[[nodiscard]] constexpr std::uint64_t time_of_tick(std::uint32_t tick, std::uint64_t now_ns) {
    const std::uint64_t now = now_ns / 125'000'000;
    const std::uint64_t ahead = (tick - now) & 0xffffff;
    if (ahead != 0 && ahead <= 8) return now_ns;
    const std::uint64_t back = (now - tick) & 0xffffff;
    return back > now ? 0 : (now - back) * 125'000'000;
}

inline constexpr std::uint64_t kPacketsMask = (std::uint64_t{1} << 40) - 1;

//  off size field      writer: the worker
//    0   8  packets    low 40 bits, modulo 2^40 | high 24 bits: tick of the last packet
//    8   8  bytes
/// Read and written as one 16-byte access, which x86 with AVX keeps whole; elsewhere packets and
/// bytes may disagree by the packets of one burst.
struct alignas(16) FlowCounter {
    std::uint64_t packets_tick = 0;
    std::uint64_t bytes = 0;

    [[nodiscard]] std::uint64_t packets() const { return packets_tick & kPacketsMask; }
    [[nodiscard]] std::uint32_t tick() const {
        return static_cast<std::uint32_t>(packets_tick >> 40);
    }
};
static_assert(sizeof(FlowCounter) == 16 && std::has_unique_object_representations_v<FlowCounter>);

/// A counter that another process may be writing.
[[nodiscard]] inline FlowCounter load(const FlowCounter& counter) noexcept {
    FlowCounter value;
#if defined(__x86_64__) && !defined(RAICHO_TSAN)
    _mm_store_si128(reinterpret_cast<__m128i*>(&value),
                    _mm_load_si128(reinterpret_cast<const __m128i*>(&counter)));
    asm volatile("" ::: "memory");
#else
    value.packets_tick = __atomic_load_n(&counter.packets_tick, __ATOMIC_RELAXED);
    value.bytes = __atomic_load_n(&counter.bytes, __ATOMIC_RELAXED);
#endif
    return value;
}

/// Adds to a counter of the calling worker's own row.
inline void add(FlowCounter& counter, std::uint64_t packets, std::uint64_t bytes,
                std::uint32_t tick) noexcept {
    FlowCounter value = counter;
    value.packets_tick = ((value.packets_tick + packets) & kPacketsMask) | std::uint64_t{tick}
                                                                               << 40;
    value.bytes += bytes;
#if defined(__x86_64__) && !defined(RAICHO_TSAN)
    _mm_store_si128(reinterpret_cast<__m128i*>(&counter),
                    _mm_load_si128(reinterpret_cast<const __m128i*>(&value)));
#else
    __atomic_store_n(&counter.packets_tick, value.packets_tick, __ATOMIC_RELAXED);
    __atomic_store_n(&counter.bytes, value.bytes, __ATOMIC_RELAXED);
#endif
}

//  off size field       writer: the worker; one row per worker, bridge and table
//    0   8  lookups     packets looked up (OF 1.3.5 §7.3.5.4)
//    8   8  matched     packets that hit an entry, the table-miss entry included
//   16   8  no_match    dropped: no entry
//   24   8  action_drop dropped by an entry
//   32   8  other_drop  dropped for another reason while in this table
//   40  24  zero
struct alignas(64) TableCounters {
    std::uint64_t lookups = 0, matched = 0;
    std::uint64_t no_match = 0, action_drop = 0, other_drop = 0;
    std::array<std::uint64_t, 3> zero{};
};
static_assert(sizeof(TableCounters) == 64);
static_assert(std::has_unique_object_representations_v<TableCounters>);

/// Drops by reason; one row per worker and port, indexed by DropReason.
struct alignas(64) DropCounters {
    std::array<std::uint64_t, kDropWords> by_reason{};

    [[nodiscard]] std::uint64_t& operator[](DropReason reason) {
        return by_reason[static_cast<std::size_t>(reason)];
    }
    [[nodiscard]] std::uint64_t operator[](DropReason reason) const {
        return by_reason[static_cast<std::size_t>(reason)];
    }
};
static_assert(sizeof(DropCounters) == 320 && kDropReasons <= kDropWords);
static_assert(std::has_unique_object_representations_v<DropCounters>);

}  // namespace raicho::shm
