// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/line_allocator.h"

#include <algorithm>
#include <bit>

namespace raicho::agent {

unsigned order_of(std::uint32_t lines) {
    return static_cast<unsigned>(std::bit_width(lines - 1));
}

LineAllocator::LineAllocator(std::uint32_t n_lines) {
    const unsigned top = order_of(n_lines);
    orders_.resize(top + 1);
    for (unsigned order = 0; order <= top; ++order)
        orders_[order].bits.resize(((n_lines >> order) + 63) / 64);
    set(top, 0);
    free_lines_ = n_lines;
    (void)reserve(0, 0);
}

bool LineAllocator::is_free(unsigned order, std::uint32_t block) const {
    return (orders_[order].bits[block / 64] >> (block % 64) & 1) != 0;
}

void LineAllocator::set(unsigned order, std::uint32_t block) {
    Order& o = orders_[order];
    o.bits[block / 64] |= std::uint64_t{1} << (block % 64);
    o.first_word = std::min<std::size_t>(o.first_word, block / 64);
    ++o.n_free;
}

void LineAllocator::clear(unsigned order, std::uint32_t block) {
    Order& o = orders_[order];
    o.bits[block / 64] &= ~(std::uint64_t{1} << (block % 64));
    --o.n_free;
}

std::optional<std::uint32_t> LineAllocator::take(unsigned order) {
    unsigned from = order;
    while (from < orders_.size() && orders_[from].n_free == 0) ++from;
    if (from >= orders_.size()) return std::nullopt;
    Order& o = orders_[from];
    while (o.bits[o.first_word] == 0) ++o.first_word;
    auto block = static_cast<std::uint32_t>(
        o.first_word * 64 + static_cast<std::size_t>(std::countr_zero(o.bits[o.first_word])));
    clear(from, block);
    for (; from > order; --from) {  // split: the upper half stays free
        block *= 2;
        set(from - 1, block + 1);
    }
    free_lines_ -= 1u << order;
    return block << order;
}

void LineAllocator::give(std::uint32_t first, unsigned order) {
    free_lines_ += 1u << order;
    std::uint32_t block = first >> order;
    while (order + 1 < orders_.size() && is_free(order, block ^ 1)) {
        clear(order, block ^ 1);
        block /= 2;
        ++order;
    }
    set(order, block);
}

bool LineAllocator::reserve(std::uint32_t first, unsigned order) {
    if (order >= orders_.size() || (first & ((1u << order) - 1)) != 0 ||
        (first >> order) >= orders_[order].bits.size() * 64)
        return false;
    unsigned from = order;
    while (from < orders_.size() && !is_free(from, first >> from)) ++from;
    if (from >= orders_.size()) return false;
    clear(from, first >> from);
    for (; from > order; --from) set(from - 1, (first >> (from - 1)) ^ 1);
    free_lines_ -= 1u << order;
    return true;
}

}  // namespace raicho::agent
