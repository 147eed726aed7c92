// SPDX-License-Identifier: Apache-2.0
// Table memory of the arena in blocks of 2^order lines (buddy system): bucket arrays, overflow
// buckets, descriptors. Private to the agent, rebuilt from what is referenced.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace raicho::agent {

class LineAllocator {
  public:
    /// `n_lines` is a power of two. Line 0 is never given out.
    explicit LineAllocator(std::uint32_t n_lines);

    /// The lowest free block of 2^order lines.
    [[nodiscard]] std::optional<std::uint32_t> take(unsigned order);
    void give(std::uint32_t first, unsigned order);
    /// Makes a certain free block used; false when a part of it is in use (a damaged arena).
    [[nodiscard]] bool reserve(std::uint32_t first, unsigned order);
    [[nodiscard]] std::uint32_t free_lines() const { return free_lines_; }

  private:
    /// Free blocks of one order, a bit each.
    struct Order {
        std::vector<std::uint64_t> bits;
        std::size_t first_word = 0;  // no free block in the words before
        std::uint32_t n_free = 0;
    };

    [[nodiscard]] bool is_free(unsigned order, std::uint32_t block) const;
    void set(unsigned order, std::uint32_t block);
    void clear(unsigned order, std::uint32_t block);

    std::vector<Order> orders_;
    std::uint32_t free_lines_ = 0;
};

/// The order of the smallest block of at least `lines` > 0 lines.
[[nodiscard]] unsigned order_of(std::uint32_t lines);

}  // namespace raicho::agent
