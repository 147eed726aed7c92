// SPDX-License-Identifier: Apache-2.0
// Rows that OpenFlow names by a number of its own and workers must find: groups and meters. Hash
// chains from an array of heads; what the row says lies in a body that one store replaces.
// Bodies: group.h, meter.h. Writer: agent/compiler.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/ids.h"

namespace raicho::shm {

/// No row: index 0 is never allocated.
inline constexpr std::uint32_t kNoRow = 0;

//  off size field          writer: agent; all but next and body is written before publishing
//    0   4  id             group or meter number
//    4   2  bridge
//    6   2  state          1 = in use
//    8   4  next           next row of the chain, 0 = none
//   12   4  body           line of a GroupBody or MeterBody; one store changes the row
//   16   8  created_ns     CLOCK_MONOTONIC
//   24   8  base_packets   sums over workers when counting began
//   32   8  base_bytes
//   40  24  zero
struct alignas(64) NamedRow {
    std::uint32_t id;
    std::uint16_t bridge;
    std::atomic<std::uint16_t> state;
    std::atomic<std::uint32_t> next;
    std::atomic<std::uint32_t> body;
    std::uint64_t created_ns;
    std::uint64_t base_packets;
    std::uint64_t base_bytes;
    std::array<std::uint8_t, 24> zero;
};
static_assert(sizeof(NamedRow) == 64 && std::is_standard_layout_v<NamedRow>);
static_assert(offsetof(NamedRow, body) == 12 && offsetof(NamedRow, created_ns) == 16);

/// Which chain a row hangs in; `n_heads` is a power of two.
[[nodiscard]] constexpr std::size_t named_head(BridgeId bridge, std::uint32_t id,
                                               std::size_t n_heads) {
    const std::uint64_t name = std::uint64_t{bridge.value()} << 32 | id;
    return (name * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & (n_heads - 1);
}

/// Rows and heads of one kind as a reader sees them; both lengths are powers of two, every index is
/// masked and every walk bounded.
struct NamedRows {
    std::span<const std::atomic<std::uint32_t>> heads;
    std::span<const NamedRow> rows;

    [[nodiscard]] const NamedRow& operator[](std::uint32_t row) const noexcept {
        return rows[row & (rows.size() - 1)];
    }
    /// The row of that name, kNoRow when there is none.
    [[nodiscard]] std::uint32_t find(BridgeId bridge, std::uint32_t id) const noexcept {
        // pairs with the writer's store that links a row
        std::uint32_t at =
            heads[named_head(bridge, id, heads.size())].load(std::memory_order_acquire);
        for (std::size_t left = rows.size(); at != kNoRow && left != 0; --left) {
            const NamedRow& row = (*this)[at];
            if (row.id == id && row.bridge == bridge.value()) return at;
            at = row.next.load(std::memory_order_acquire);
        }
        return kNoRow;
    }
};

/// Packets and bytes of one worker; only grow, the agent subtracts bases.
//  off size field      writer: the worker
//    0   8  packets
//    8   8  bytes
struct Tally {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;

    void add(std::uint64_t n_packets, std::uint64_t n_bytes) noexcept {
        __atomic_store_n(&packets, packets + n_packets, __ATOMIC_RELAXED);
        __atomic_store_n(&bytes, bytes + n_bytes, __ATOMIC_RELAXED);
    }
    friend Tally operator-(const Tally& a, const Tally& b) {
        return {a.packets - b.packets, a.bytes - b.bytes};
    }
    friend bool operator==(const Tally&, const Tally&) = default;
};
static_assert(sizeof(Tally) == 16 && std::has_unique_object_representations_v<Tally>);

}  // namespace raicho::shm
