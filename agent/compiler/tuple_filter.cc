// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/tuple_filter.h"

#include <algorithm>
#include <bit>

#include "shm/hash.h"
#include "shm/walk.h"

namespace raicho::agent {

using shm::FilterField;
using shm::Key;
using shm::kMaxFilterFields;

namespace {

using TupleSet = std::array<std::uint64_t, 2>;

/// Cells of a field: about two a chain, so that values seldom share one, but few enough for all
/// fields to stay in a core's second cache.
constexpr std::uint32_t kFewestCells = 32, kMostCells = 4096;
/// Chains and packets to try fields on.
constexpr std::size_t kMostSamples = 2048, kMostPackets = 128, kMostCandidates = 64;
/// A field is worth its look when it spares this share of a tuple's search.
constexpr std::size_t kWorth = 4;  // a quarter

/// Whether every flow with that mask has a value of the field.
bool has(const Key& mask, const FilterField& field) {
    return (mask.words[field.word] & field.mask) == field.mask;
}

std::size_t size_of(const TupleSet& set) {
    return static_cast<std::size_t>(std::popcount(set[0]) + std::popcount(set[1]));
}

TupleSet both(const TupleSet& a, const TupleSet& b) {
    return {a[0] & b[0], a[1] & b[1]};
}

void put(TupleSet& set, std::size_t tuple) {
    set[tuple / 64] |= std::uint64_t{1} << (tuple % 64);
}

/// The bits of a word of the key that are one header field each, or what is alike.
std::span<const std::uint64_t> parts_of(std::size_t word) {
    static constexpr std::array<std::uint64_t, 4> kProtocol{0xffffffff, 0xffff00000000,
                                                            0xffff000000000000, UINT64_MAX};
    static constexpr std::array<std::uint64_t, 3> kHalves{0xffffffff, 0xffffffff00000000,
                                                          UINT64_MAX};
    static constexpr std::array<std::uint64_t, 3> kEthernet{0xffffffffffff, 0xffff000000000000,
                                                            UINT64_MAX};
    static_assert(shm::place(Field::tcp_src).offset == 4 && shm::place(Field::tcp_dst).offset == 6);
    static_assert(shm::place(Field::ipv4_src).offset == 8);
    static_assert(shm::place(Field::eth_dst).offset == 16 &&
                  shm::place(Field::in_port).offset == 32);
    switch (word) {
        case 0: return kProtocol;
        case 1:
        case 4: return kHalves;
        case 2:
        case 3: return kEthernet;
        default: return std::span(kHalves).last(1);
    }
}

/// A part of the key that a filter may look at, and what it would say of the packets.
struct Candidate {
    FilterField field;
    std::vector<TupleSet> sets;  // in step with the packets
};

struct Chain {
    std::size_t tuple;
    Key key;
};

/// What the tuples' masks have of each part of the key.
std::vector<Candidate> candidates_of(std::span<const Key> masks) {
    std::vector<Candidate> all;
    for (std::size_t word = 0; word < shm::kKeyWords; ++word) {
        for (const std::uint64_t part : parts_of(word)) {
            for (const Key& mask : masks) {
                const std::uint64_t bits = mask.words[word] & part;
                const bool known = std::ranges::any_of(all, [&](const Candidate& other) {
                    return other.field.word == word && other.field.mask == bits;
                });
                if (bits == 0 || known || all.size() == kMostCandidates) continue;
                all.push_back({{bits, static_cast<std::uint8_t>(word), {}}, {}});
            }
        }
    }
    return all;
}

/// Packets that meet flows as those of the table are met: the values of one, and where that does
/// not look, those of another.
std::vector<Key> packets_for(std::span<const Key> masks, std::span<const Chain> chains) {
    std::vector<Key> packets;
    const std::size_t n = std::min(chains.size(), kMostPackets);
    for (std::size_t i = 0; i < n; ++i) {
        const Chain& one = chains[i * chains.size() / n];
        const Chain& other = chains[(i * 7919 + 1) % chains.size()];
        Key packet = one.key;
        for (std::size_t w = 0; w < shm::kKeyWords; ++w)
            packet.words[w] |= other.key.words[w] & ~masks[one.tuple].words[w];
        packets.push_back(packet);
    }
    return packets;
}

TupleSet tuples_without(std::span<const Key> masks, const FilterField& field) {
    TupleSet set{};
    for (std::size_t t = 0; t < masks.size(); ++t)
        if (!has(masks[t], field)) put(set, t);
    return set;
}

void try_on(Candidate& candidate, const shm::HashKey& secret, std::span<const Key> masks,
            std::span<const Chain> chains, std::span<const Key> packets, std::uint32_t n_cells) {
    std::vector<TupleSet> cells(n_cells, tuples_without(masks, candidate.field));
    for (const Chain& chain : chains)
        put(cells[shm::filter_cell(secret, candidate.field, n_cells, chain.key)], chain.tuple);
    for (const Key& packet : packets)
        candidate.sets.push_back(cells[shm::filter_cell(secret, candidate.field, n_cells, packet)]);
}

/// Field after field the one that leaves the fewest tuples to search, while that is worth a look.
std::vector<FilterField> choose_fields(const shm::HashKey& secret, std::span<const Key> masks,
                                       std::span<const Chain> chains, std::uint32_t n_cells) {
    const std::vector<Key> packets = packets_for(masks, chains);
    std::vector<Candidate> candidates = candidates_of(masks);
    for (Candidate& candidate : candidates)
        try_on(candidate, secret, masks, chains, packets, n_cells);
    TupleSet all{};
    for (std::size_t t = 0; t < masks.size(); ++t) put(all, t);
    std::vector<TupleSet> now(packets.size(), all);
    std::size_t total = packets.size() * masks.size();
    std::vector<FilterField> chosen;
    while (chosen.size() < kMaxFilterFields) {
        const Candidate* best = nullptr;
        std::size_t least = total;
        for (const Candidate& candidate : candidates) {
            std::size_t sum = 0;
            for (std::size_t p = 0; p < now.size(); ++p)
                sum += size_of(both(now[p], candidate.sets[p]));
            if (sum >= least) continue;
            least = sum;
            best = &candidate;
        }
        if (best == nullptr || (total - least) * kWorth < packets.size()) break;
        for (std::size_t p = 0; p < now.size(); ++p) now[p] = both(now[p], best->sets[p]);
        total = least;
        chosen.push_back(best->field);
    }
    return chosen;
}

void add_bits(shm::FilterCell& cell, const TupleSet& bits) {
    for (std::size_t w = 0; w < bits.size(); ++w) {
        const std::uint64_t old = cell.tuples[w].load(std::memory_order_relaxed);
        if ((bits[w] & ~old) != 0)  // its reader loads the flow behind it
            cell.tuples[w].store(old | bits[w], std::memory_order_release);
    }
}

}  // namespace

TupleFilter::TupleFilter(const shm::AgentArena& arena, const shm::TableDescriptor& table) {
    if (arena.filter_cells(table).empty()) return;
    cells_ = table.cells;
    n_cells_ = table.n_cells;
    n_fields_ = table.n_fields;
    std::copy_n(table.fields(), n_fields_, fields_.begin());
    for (std::size_t t = 0; t < table.n_tuples; ++t)
        cover(t, shm::expanded_mask(arena.mask(table.tuples()[t].mask)));
}

TupleFilter TupleFilter::make(ArenaSpace& space, std::span<const Key> masks, std::uint32_t n_chains,
                              EachChain each_chain) {
    if (n_chains == 0) return {};
    const shm::HashKey secret = space.arena().hash_key();
    const std::uint32_t n_cells =
        std::clamp(std::bit_ceil(2 * std::min(n_chains, kMostCells)), kFewestCells, kMostCells);
    std::vector<Chain> chains;
    const std::size_t step = n_chains / kMostSamples + 1;
    std::size_t at = 0;
    each_chain([&](std::size_t tuple, const Key& key) {
        if (at++ % step == 0) chains.push_back({tuple, key});
    });
    const std::vector<FilterField> chosen = choose_fields(secret, masks, chains, n_cells);
    if (chosen.empty()) return {};
    TupleFilter filter;
    filter.n_cells_ = n_cells;
    filter.n_fields_ = static_cast<std::uint8_t>(chosen.size());
    std::ranges::copy(chosen, filter.fields_.begin());
    // Tables need the memory more: half of it is theirs.
    if (space.lines().free_lines() < space.arena().n_lines() / 2 + filter.n_lines()) return {};
    const auto lines = space.lines().take(order_of(filter.n_lines()));
    if (!lines) return {};
    filter.cells_ = *lines;
    shm::AgentArena& arena = space.arena();
    for (std::uint32_t i = 0; i < filter.n_lines(); ++i) arena.line(*lines + i) = {};
    for (std::size_t t = 0; t < masks.size(); ++t) filter.admit_tuple(arena, t, masks[t]);
    each_chain([&](std::size_t tuple, const Key& key) { filter.admit_chain(arena, tuple, key); });
    return filter;
}

std::uint32_t TupleFilter::n_lines() const {
    return shm::filter_lines(n_fields_, n_cells_);
}

void TupleFilter::describe(shm::TableDescriptor& table) const {
    table.n_fields = n_fields_;
    table.cells = cells_;
    table.n_cells = n_cells_;
    std::copy_n(fields_.begin(), n_fields_, const_cast<FilterField*>(table.fields()));
}

void TupleFilter::cover(std::size_t tuple, const Key& mask) {
    covered_[tuple] = 0;
    for (std::size_t f = 0; f < n_fields_; ++f)
        if (has(mask, fields_[f])) covered_[tuple] |= static_cast<std::uint8_t>(1u << f);
}

void TupleFilter::admit_tuple(shm::AgentArena& arena, std::size_t tuple, const Key& mask) {
    cover(tuple, mask);
    TupleSet bit{};
    put(bit, tuple);
    for (std::uint32_t f = 0; f < n_fields_; ++f) {
        if ((covered_[tuple] >> f & 1) != 0) continue;
        for (std::uint32_t c = 0; c < n_cells_; ++c)
            add_bits(arena.filter_cell(cells_, f * n_cells_ + c), bit);
    }
}

void TupleFilter::admit_chain(shm::AgentArena& arena, std::size_t tuple, const Key& key) {
    const shm::HashKey& secret = arena.hash_key();
    TupleSet bit{};
    put(bit, tuple);
    for (std::uint32_t f = 0; f < n_fields_; ++f) {
        if ((covered_[tuple] >> f & 1) == 0) continue;
        const std::uint32_t c = shm::filter_cell(secret, fields_[f], n_cells_, key);
        add_bits(arena.filter_cell(cells_, f * n_cells_ + c), bit);
    }
}

void TupleFilter::retire(ArenaSpace& space) const {
    if (exists()) space.retire_lines(cells_, order_of(n_lines()));
}

void TupleFilter::give(ArenaSpace& space) const {
    if (exists()) space.lines().give(cells_, order_of(n_lines()));
}

}  // namespace raicho::agent
