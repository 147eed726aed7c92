// SPDX-License-Identifier: Apache-2.0
// Groups in the arena (OF 1.3.5 §5.6): a named row whose body is one block of lines, the head and
// then the buckets. A body never changes once published: a group-mod writes a new one and swaps it
// by one store; the old one waits for a grace period. Readers: dataplane/pipeline/group.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "shm/named_row.h"

namespace raicho::shm {

/// OFPGT_* of OF 1.3.5 §7.3.4.3.
enum class GroupType : std::uint8_t { all = 0, select = 1, indirect = 2, fast_failover = 3 };

/// OFPG_ANY as watch_group, OFPP_ANY as watch_port: nothing is watched.
inline constexpr std::uint32_t kWatchNone = 0xffffffff;

/// How a bucket's liveness is known.
enum class Watch : std::uint8_t {
    never_live = 0,   // a free row
    always_live = 1,  // nothing is watched
    watched = 2,      // live while watch_port or watch_group is
};

//  off size field          writer: agent; immutable once published
//    0   4  program        first chunk of its actions in the order of §5.10, 0 = none
//    4   4  watch_port     OpenFlow number, kWatchNone; as sent, or where the bucket sends when
//                          nothing was given and the type is not fast-failover
//    8   4  watch_group    group id, kWatchNone; likewise
//   12   4  weight_end     select: sum of the weights up to this one's, its own included
//   16   4  counter        row of bucket counters
//   20   1  watch          Watch
//   21   3  zero
//   24   8  base_packets   sums over workers when counting began
//   32   8  base_bytes
//   40  24  zero
struct alignas(64) BucketRow {
    std::uint32_t program;
    std::uint32_t watch_port;
    std::uint32_t watch_group;
    std::uint32_t weight_end;
    std::uint32_t counter;
    Watch watch;
    std::array<std::uint8_t, 3> zero0;
    std::uint64_t base_packets;
    std::uint64_t base_bytes;
    std::array<std::uint8_t, 24> zero1;
};
static_assert(sizeof(BucketRow) == 64 && std::has_unique_object_representations_v<BucketRow>);

//  off size field          writer: agent; immutable once published
//    0   1  type           GroupType
//    1   1  zero
//    2   2  n_buckets
//    4   4  sent           first chunk of the buckets as sent (wire form), 0 = none
//    8   4  sent_size      bytes of it
//   12  52  zero
//   64 64n  buckets        in the order sent
struct alignas(64) GroupBody {
    GroupType type;
    std::uint8_t zero0;
    std::uint16_t n_buckets;
    std::uint32_t sent;
    std::uint32_t sent_size;
    std::array<std::uint8_t, 52> zero1;

    [[nodiscard]] const BucketRow* buckets() const {
        return reinterpret_cast<const BucketRow*>(this + 1);
    }
    [[nodiscard]] BucketRow* buckets() { return reinterpret_cast<BucketRow*>(this + 1); }
};
static_assert(sizeof(GroupBody) == 64 && std::has_unique_object_representations_v<GroupBody>);

/// Lines that a body of so many buckets takes.
[[nodiscard]] constexpr std::uint32_t group_lines(std::size_t n_buckets) {
    return static_cast<std::uint32_t>(1 + n_buckets);
}
/// A group-mod of 64 kB has room for no more.
inline constexpr std::size_t kMaxBuckets = 4095;
/// Groups that lead from one to the next at most; beyond, packets are dropped and counted. The
/// model refuses loops, so only a damaged arena or a very long chain gets there.
inline constexpr unsigned kMaxGroupDepth = 16;

}  // namespace raicho::shm
