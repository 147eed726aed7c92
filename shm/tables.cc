// SPDX-License-Identifier: Apache-2.0
// One function a template, called once per table and burst. Each works in three stages over up to
// kBurst keys, so that the cache misses of one key hide behind those of the others: hash and
// prefetch the bucket; compare tags and prefetch the entries; compare keys.
#include "shm/tables.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__) && !defined(RAICHO_TSAN)
#include <emmintrin.h>
#endif

namespace raicho::shm {
namespace {

constexpr std::size_t kBurst = 64;

inline void prefetch(const void* line) {
    __builtin_prefetch(line, 0, 3);
}

/// Bit i set = tag i of the bucket is `tag`.
inline std::uint32_t tags_equal(const Bucket& bucket, std::uint16_t tag) noexcept {
#if defined(__x86_64__) && !defined(RAICHO_TSAN)
    const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(&bucket.tag));
    const __m128i equal = _mm_cmpeq_epi16(tags, _mm_set1_epi16(static_cast<short>(tag)));
    asm volatile("" ::: "memory");  // the indexes are loaded after the tags
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(equal, equal))) & 0xff;
#else
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kBucketSlots; ++i)
        if (bucket.tag[i].load(std::memory_order_acquire) == tag) bits |= 1u << i;
    return bits;
#endif
}

/// Compares the key words beyond the first three, which lie in chunks.
bool long_key_matches(const ArenaView& arena, const FlowHot& flow, const MaskRecord& mask,
                      const Key& key, std::size_t n) noexcept {
    const std::span<const Chunk> pool = arena.chunks();
    const Chunk* chunk = &pool[static_cast<std::uint32_t>(flow.key[3]) & (pool.size() - 1)];
    std::size_t word = 0;
    for (std::size_t i = 3; i < n; ++i) {
        if (word == kChunkWords) {
            chunk = &pool[chunk->next & (pool.size() - 1)];
            word = 0;
        }
        if ((key.words[mask.index[i] & (kKeyWords - 1)] & mask.words[i]) != chunk->words[word++])
            return false;
    }
    return true;
}

inline bool matches_under(const ArenaView& arena, const FlowHot& flow, const MaskRecord& mask,
                          const Key& key) noexcept {
    const std::size_t n = std::min<std::size_t>(mask.n_words, kKeyWords);
    const std::size_t in_line = n <= kInlineWords ? n : kInlineWords - 1;
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < in_line; ++i)
        difference |= (key.words[mask.index[i] & (kKeyWords - 1)] & mask.words[i]) ^ flow.key[i];
    if (difference != 0) return false;
    return n <= kInlineWords || long_key_matches(arena, flow, mask, key, n);
}

/// A burst in work. `best` is the priority of the flow found, -1 for none.
struct Burst {
    const ArenaView& arena;
    std::span<const Key* const> keys;
    std::span<std::uint32_t> flows;
    std::array<std::int32_t, kBurst> best;
};

/// The best flow of one probe: every chain of the bucket (and its overflow lines) with the key's
/// tag, each from its highest priority down to what was found already.
template <class Matches>
inline void probe(Burst& burst, std::size_t k, const Bucket* bucket, std::uint16_t tag,
                  const Matches& key_matches) noexcept {
    const ArenaView& arena = burst.arena;
    // Bounds on both walks: a damaged link must not hold a worker.
    for (std::uint32_t lines = arena.n_lines(); lines != 0; --lines) {
        for (std::uint32_t bits = tags_equal(*bucket, tag); bits != 0; bits &= bits - 1) {
            const auto slot = static_cast<std::size_t>(std::countr_zero(bits));
            // pairs with the writer's release stores of a slot
            std::uint32_t flow = bucket->flow[slot].load(std::memory_order_acquire);
            for (std::uint32_t left = arena.max_flows(); flow != kNoFlow && left != 0; --left) {
                const FlowHot& entry = arena.hot(flow);
                if (entry.priority <= burst.best[k]) break;
                if (key_matches(entry)) {
                    burst.best[k] = entry.priority;
                    burst.flows[k] = flow;
                    break;
                }
                flow = entry.next.load(std::memory_order_acquire);
            }
        }
        const std::uint32_t next = bucket->next.load(std::memory_order_acquire);
        if (next == kNone) return;
        bucket = &arena.bucket(next);
    }
}

inline void prefetch_entries(const ArenaView& arena, const Bucket& bucket,
                             std::uint16_t tag) noexcept {
    for (std::uint32_t bits = tags_equal(bucket, tag); bits != 0; bits &= bits - 1)
        prefetch(&arena.hot(bucket.flow[static_cast<std::size_t>(std::countr_zero(bits))].load(
            std::memory_order_relaxed)));
}

/// One tuple over the keys listed in `chosen`.
template <class Matches>
inline void search_tuple(Burst& burst, const TableDescriptor& table, const TupleRow& tuple,
                         std::span<const std::uint8_t> chosen, const Matches& matches) noexcept {
    const ArenaView& arena = burst.arena;
    const MaskRecord& mask = arena.mask(tuple.mask);
    std::array<const Bucket*, kBurst> buckets;
    std::array<std::uint16_t, kBurst> tags;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::uint64_t hash =
            masked_hash(arena.hash_key(), mask, tuple.mask, *burst.keys[chosen[i]]);
        buckets[i] = &arena.bucket(table.buckets + bucket_of(hash, table.n_buckets));
        tags[i] = tag_of(hash);
        prefetch(buckets[i]);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) prefetch_entries(arena, *buckets[i], tags[i]);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const Key& key = *burst.keys[chosen[i]];
        probe(burst, chosen[i], buckets[i], tags[i],
              [&](const FlowHot& flow) { return matches(flow, mask, key); });
    }
}

constexpr std::array<std::uint8_t, kBurst> kAll = [] {
    std::array<std::uint8_t, kBurst> all{};
    for (std::size_t i = 0; i < kBurst; ++i) all[i] = static_cast<std::uint8_t>(i);
    return all;
}();

void search_none(Burst&, const TableDescriptor&) noexcept {}

/// All flows have the tuple's mask: one probe, compared with the mask that is in the cache. The
/// flow's mask is checked all the same: while a table becomes tuple-merge its buckets get flows of
/// other masks, and a reader may still hold this descriptor.
inline bool matches_exact(const ArenaView& arena, const TupleRow& tuple, const FlowHot& flow,
                          const MaskRecord& mask, const Key& key) noexcept {
    return flow.mask == tuple.mask && matches_under(arena, flow, mask, key);
}

void search_exact_long(Burst& burst, const TableDescriptor& table) noexcept {
    const TupleRow& tuple = table.tuples()[0];
    search_tuple(burst, table, tuple, std::span(kAll).first(burst.keys.size()),
                 [&](const FlowHot& flow, const MaskRecord& mask, const Key& key) {
                     return matches_exact(burst.arena, tuple, flow, mask, key);
                 });
}

/// A mask of N words: the loops over them are none.
template <std::size_t N>
class MaskWords {
  public:
    explicit MaskWords(const MaskRecord& mask) noexcept {
        for (std::size_t i = 0; i < N; ++i) {
            index_[i] = mask.index[i] & (kKeyWords - 1);
            words_[i] = mask.words[i];
        }
    }
    [[nodiscard]] std::array<std::uint64_t, N> of(const Key& key) const noexcept {
        std::array<std::uint64_t, N> words;
        for (std::size_t i = 0; i < N; ++i) words[i] = key.words[index_[i]] & words_[i];
        return words;
    }

  private:
    std::array<std::size_t, N> index_;
    std::array<std::uint64_t, N> words_;
};

/// Keys of N words, which lie in the entry. Nearly always a bucket has one candidate or none; what
/// has more, or one that is not it, is probed as any.
template <std::size_t N>
void search_exact_words(Burst& burst, const TableDescriptor& table) noexcept {
    static_assert(N <= kInlineWords);
    const ArenaView& arena = burst.arena;
    const TupleRow& tuple = table.tuples()[0];
    const MaskRecord& mask = arena.mask(tuple.mask);
    const MaskWords<N> words(mask);
    const std::uint32_t seed = tuple.mask;
    const HashKey secret = arena.hash_key();
    const std::uint32_t first = table.buckets, n_buckets = table.n_buckets;
    struct Way {
        std::array<std::uint64_t, N> words;
        const Bucket* bucket;
        const FlowHot* entry;  // nullptr: not one candidate
        std::uint32_t flow;
        std::uint16_t tag;
    };
    std::array<Way, kBurst> ways;
    const std::size_t n = burst.keys.size();
    for (std::size_t k = 0; k < n; ++k) {
        Way& way = ways[k];
        way.words = words.of(*burst.keys[k]);
        const std::uint64_t hash = words_hash(secret, seed, way.words);
        way.bucket = &arena.bucket(first + bucket_of(hash, n_buckets));
        way.tag = tag_of(hash);
        prefetch(way.bucket);
    }
    for (std::size_t k = 0; k < n; ++k) {
        Way& way = ways[k];
        const std::uint32_t bits = tags_equal(*way.bucket, way.tag);
        const bool more = way.bucket->next.load(std::memory_order_acquire) != kNone;
        way.entry = nullptr;
        way.flow = kNoFlow;
        if (more || bits == 0 || (bits & (bits - 1)) != 0) [[unlikely]] {
            if (!more && bits == 0) way.tag = 0;  // none: tags in use are not 0
            continue;
        }
        // pairs with the writer's release stores of a slot
        way.flow = way.bucket->flow[static_cast<std::size_t>(std::countr_zero(bits))].load(
            std::memory_order_acquire);
        way.entry = &arena.hot(way.flow);
        prefetch(way.entry);
    }
    for (std::size_t k = 0; k < n; ++k) {
        const Way& way = ways[k];
        if (way.entry != nullptr && way.flow != kNoFlow) [[likely]] {
            std::uint64_t difference = way.entry->mask ^ seed;
            for (std::size_t i = 0; i < N; ++i) difference |= way.words[i] ^ way.entry->key[i];
            if (difference == 0) [[likely]] {
                burst.flows[k] = way.flow;
                continue;
            }
        } else if (way.tag == 0) {
            continue;
        }
        probe(burst, k, way.bucket, way.tag, [&](const FlowHot& flow) {
            return matches_exact(arena, tuple, flow, mask, *burst.keys[k]);
        });
    }
}

void search_exact(Burst& burst, const TableDescriptor& table) noexcept {
    switch (burst.arena.mask(table.tuples()[0].mask).n_words) {
        case 1: return search_exact_words<1>(burst, table);
        case 2: return search_exact_words<2>(burst, table);
        case 3: return search_exact_words<3>(burst, table);
        case 4: return search_exact_words<4>(burst, table);
        default: return search_exact_long(burst, table);
    }
}

using TupleSet = std::array<std::uint64_t, 2>;  // a bit a row of the descriptor

/// The first row of the set whose flows may be better than `best`; it and those before it leave the
/// set. nullptr: there is none.
inline const TupleRow* next_tuple(const TableDescriptor& table, TupleSet& set,
                                  std::int32_t best) noexcept {
    for (std::size_t w = 0; w < set.size(); ++w) {
        while (set[w] != 0) {
            const TupleRow& row =
                table.tuples()[64 * w + static_cast<std::size_t>(std::countr_zero(set[w]))];
            set[w] &= set[w] - 1;
            if (row.mask != kNone && best < row.max_priority.load(std::memory_order_acquire))
                return &row;
        }
    }
    return nullptr;
}

/// The rows of the descriptor. One of before a tuple was there may meet the tuple's bit in a cell.
inline TupleSet all_tuples(const TableDescriptor& table) noexcept {
    TupleSet all{};
    for (std::size_t t = 0; t < std::min<std::size_t>(table.n_tuples, kMaxTuples); ++t)
        all[t / 64] |= std::uint64_t{1} << (t % 64);
    return all;
}

/// Those tuples of the set that may hold a flow for the key, by the table's filter.
inline TupleSet tuples_for(const ArenaView& arena, const TableDescriptor& table,
                           std::span<const FilterCell> cells, TupleSet set,
                           const Key& key) noexcept {
    const HashKey& secret = arena.hash_key();
    const std::uint32_t n_cells = table.n_cells;
    for (std::size_t f = 0; f < cells.size() / n_cells; ++f) {
        const FilterCell& cell =
            cells[f * n_cells + filter_cell(secret, table.fields()[f], n_cells, key)];
        for (std::size_t w = 0; w < set.size(); ++w)
            set[w] &= cell.tuples[w].load(std::memory_order_relaxed);
    }
    return set;
}

/// In rounds: each key that is left in one of its tuples.
void search_filtered(Burst& burst, const TableDescriptor& table,
                     std::span<const FilterCell> cells) noexcept {
    const ArenaView& arena = burst.arena;
    const HashKey& secret = arena.hash_key();
    std::array<TupleSet, kBurst> sets;
    std::array<std::uint8_t, kBurst> left = kAll;
    std::array<const Bucket*, kBurst> buckets;
    std::array<std::uint16_t, kBurst> tags;
    std::size_t n = burst.keys.size();
    const TupleSet all = all_tuples(table);
    for (std::size_t k = 0; k < n; ++k)
        sets[k] = tuples_for(arena, table, cells, all, *burst.keys[k]);
    while (n != 0) {
        std::size_t still = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint8_t k = left[i];
            const TupleRow* tuple = next_tuple(table, sets[k], burst.best[k]);
            if (tuple == nullptr) continue;
            const std::uint64_t hash =
                masked_hash(secret, arena.mask(tuple->mask), tuple->mask, *burst.keys[k]);
            buckets[still] = &arena.bucket(table.buckets + bucket_of(hash, table.n_buckets));
            tags[still] = tag_of(hash);
            prefetch(buckets[still]);
            left[still++] = k;
        }
        n = still;
        for (std::size_t i = 0; i < n; ++i) prefetch_entries(arena, *buckets[i], tags[i]);
        for (std::size_t i = 0; i < n; ++i) {
            const Key& key = *burst.keys[left[i]];
            probe(burst, left[i], buckets[i], tags[i], [&](const FlowHot& flow) {
                return matches_under(arena, flow, arena.mask(flow.mask), key);
            });
        }
    }
}

/// Each tuple for the keys that have not found a flow as good as its best yet; a flow is compared
/// under its own mask, of which the tuple's is a part.
void search_tuple_merge(Burst& burst, const TableDescriptor& table) noexcept {
    if (const auto cells = burst.arena.filter_cells(table); !cells.empty())
        return search_filtered(burst, table, cells);
    const std::size_t n_tuples = std::min<std::size_t>(table.n_tuples, kMaxTuples);
    for (std::size_t t = 0; t < n_tuples; ++t) {
        const TupleRow& tuple = table.tuples()[t];
        const std::int32_t most = tuple.max_priority.load(std::memory_order_acquire);
        std::array<std::uint8_t, kBurst> chosen;
        std::size_t n = 0;
        for (std::size_t k = 0; k < burst.keys.size(); ++k) {
            chosen[n] = static_cast<std::uint8_t>(k);
            n += burst.best[k] < most ? 1 : 0;
        }
        search_tuple(burst, table, tuple, std::span(chosen).first(n),
                     [&](const FlowHot& flow, const MaskRecord&, const Key& key) {
                         return matches_under(burst.arena, flow, burst.arena.mask(flow.mask), key);
                     });
    }
}

using Search = void (*)(Burst&, const TableDescriptor&) noexcept;
/// Indexed by Template; padded to a power of two, so that any byte is safe.
constexpr std::array<Search, 4> kSearches{search_none, search_exact, search_tuple_merge,
                                          search_none};
static_assert(kTemplates <= kSearches.size());

/// A table as it is now.
struct TableNow {
    const TableDescriptor& descriptor;
    std::size_t kind;    // index of kSearches; 0 = no flows
    std::uint32_t miss;  // the table-miss entry
};

TableNow table_now(const ArenaView& arena, BridgeId bridge, TableId table) noexcept {
    const BridgeRecord& record = arena.bridge(bridge);
    // pairs with the writer's publication of a descriptor
    const TableSlot slot = record.tables[table.value()].load(std::memory_order_acquire);
    const TableDescriptor& descriptor = arena.descriptor(slot.descriptor);
    return {descriptor,
            slot.descriptor == kNone ? 0 : static_cast<std::size_t>(descriptor.kind) & 3,
            record.misses[table.value()].load(std::memory_order_acquire)};
}

void search(const ArenaView& arena, const TableNow& table, std::span<const Key* const> keys,
            std::span<std::uint32_t> flows) noexcept {
    const auto& [descriptor, kind, miss] = table;
    std::fill(flows.begin(), flows.end(), kNoFlow);
    if (kind != 0) {
        for (std::size_t done = 0; done < keys.size(); done += kBurst) {
            const std::size_t n = std::min(kBurst, keys.size() - done);
            Burst burst{arena, keys.subspan(done, n), flows.subspan(done, n), {}};
            burst.best.fill(-1);
            kSearches[kind](burst, descriptor);
        }
    }
    if (miss != kNoFlow)
        for (std::uint32_t& flow : flows)
            if (flow == kNoFlow) flow = miss;
}

/// Whether all words of the mask are of the context.
bool context_only(const MaskRecord& mask) noexcept {
    const std::size_t n = std::min<std::size_t>(mask.n_words, kKeyWords);
    return std::all_of(mask.index.begin(), mask.index.begin() + n, [](std::uint8_t word) {
        return word >= kContextWord && word < kContextWord + kContextWords;
    });
}

}  // namespace

void lookup(const ArenaView& arena, BridgeId bridge, TableId table,
            std::span<const Key* const> keys, std::span<std::uint32_t> flows) noexcept {
    search(arena, table_now(arena, bridge, table), keys, flows);
}

std::uint32_t lookup_context(const ArenaView& arena, BridgeId bridge, TableId table,
                             const Key& context) noexcept {
    const TableNow now = table_now(arena, bridge, table);
    const bool exact = now.kind == static_cast<std::size_t>(Template::exact);
    // A table of several tuples whose flows all leave the packet alone is not worth the look.
    if (now.kind != 0 && !(exact && context_only(arena.mask(now.descriptor.tuples()[0].mask))))
        return kNoFlow;
    const std::array<const Key*, 1> keys{&context};
    std::array<std::uint32_t, 1> flows;
    search(arena, now, keys, flows);
    return flows[0];
}

bool matches(const ArenaView& arena, const FlowHot& flow, const Key& key) noexcept {
    return matches_under(arena, flow, arena.mask(flow.mask), key);
}

std::uint16_t port_slot(const ArenaView& arena, BridgeId bridge, PortNo number) noexcept {
    const auto map = arena.port_map(bridge);
    std::size_t at = port_map_start(number.value(), map.size());
    for (std::size_t i = 0; i < map.size(); ++i, at = (at + 1) & (map.size() - 1)) {
        const PortMapEntry entry = map[at].load(std::memory_order_acquire);
        if (entry.used == 0) break;
        if (entry.used == 1 && entry.port_no == number.value()) return entry.slot;
    }
    return kNoSlot;
}

}  // namespace raicho::shm
