// SPDX-License-Identifier: Apache-2.0
// The filter of a table of many tuples (dataplane.md §3.4): for each of a few parts of the key a
// small direct table, in which a packet's value finds the set of tuples that may hold a flow with
// it. What is in all of the sets is searched, which is a tuple or two of a hundred. Writer:
// agent/compiler/tuple_filter. Readers: tables.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "shm/hash.h"
#include "shm/key.h"

namespace raicho::shm {

//  off size field          writer: agent; cells only get bits once published
//    0  16  tuples         bit t: row t of the descriptor may hold a flow whose value leads here
struct alignas(16) FilterCell {
    std::array<std::atomic<std::uint64_t>, 2> tuples;
};
static_assert(sizeof(FilterCell) == 16 && std::is_standard_layout_v<FilterCell>);
static_assert(kMaxTuples == 128, "a bit a tuple");

/// Cells of one line of the table memory.
inline constexpr std::uint32_t kLineCells = sizeof(Line) / sizeof(FilterCell);

/// Lines that a filter of so many fields and cells a field takes, at most kMaxFilterFields of them.
[[nodiscard]] constexpr std::uint32_t filter_lines(std::uint32_t n_fields, std::uint32_t n_cells) {
    return (n_fields * n_cells + kLineCells - 1) / kLineCells;
}

/// Where the key's value leads, of `n_cells` (a power of two) of the field.
[[nodiscard]] inline std::uint32_t filter_cell(const HashKey& secret, const FilterField& field,
                                               std::uint32_t n_cells, const Key& key) noexcept {
    const std::uint64_t value = key.words[field.word & (kKeyWords - 1)] & field.mask;
    return static_cast<std::uint32_t>(fold_multiply(value ^ secret[2], secret[1])) & (n_cells - 1);
}

}  // namespace raicho::shm
