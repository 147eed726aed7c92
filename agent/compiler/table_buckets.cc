// SPDX-License-Identifier: Apache-2.0
// The buckets of a table's hash array and the chains that hang in them: found, filled, grown, and
// listed for the filter.
#include <algorithm>
#include <unordered_map>

#include "agent/compiler/match_key.h"
#include "agent/compiler/table_writer.h"
#include "shm/hash.h"
#include "shm/walk.h"

namespace raicho::agent {

using shm::Bucket;
using shm::kBucketSlots;
using shm::kNoFlow;
using shm::kNone;

namespace {

/// Chains longer than this make new flows go to a tuple with a longer mask.
constexpr std::size_t kChainLimit = 40;

bool equal_under(const shm::MaskRecord& mask, const shm::Key& a, const shm::Key& b) {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < mask.n_words; ++i)
        difference |= (a.words[mask.index[i]] ^ b.words[mask.index[i]]) & mask.words[i];
    return difference == 0;
}

}  // namespace

TableWriter::Chain TableWriter::find_chain(std::uint32_t mask, std::uint64_t hash,
                                           const shm::Key& key) const {
    if (n_buckets_ == 0) return {};
    const shm::AgentArena& arena = space_.arena();
    const std::uint16_t tag = shm::tag_of(hash);
    std::uint32_t line = buckets_ + shm::bucket_of(hash, n_buckets_);
    while (line != kNone) {
        const Bucket& bucket = arena.bucket(line);
        for (std::size_t s = 0; s < kBucketSlots; ++s) {
            if (bucket.tag[s].load(std::memory_order_relaxed) != tag) continue;
            const std::uint32_t head = bucket.flow[s].load(std::memory_order_relaxed);
            const shm::FlowHot& hot = arena.hot(head);
            if (arena.cold(hot.body.load(std::memory_order_relaxed).cold).tuple == mask &&
                equal_under(arena.mask(mask), expanded_key(arena, hot), key))
                return {line, s, head};
        }
        line = bucket.next.load(std::memory_order_relaxed);
    }
    return {};
}

bool TableWriter::long_chain(const Chain& chain) const {
    std::size_t length = 0;
    for (std::uint32_t flow = chain.head; flow != kNoFlow && length < kChainLimit; ++length)
        flow = space_.arena().hot(flow).next.load(std::memory_order_relaxed);
    return length >= kChainLimit;
}

bool TableWriter::prepare_array() {
    if (n_buckets_ != 0) return true;
    const auto line = space_.lines().take(0);
    if (!line) return false;
    space_.arena().line(*line) = {};
    buckets_ = *line;
    n_buckets_ = 1;
    grow_at_ = 4;
    return true;
}

std::optional<TableWriter::Chain> TableWriter::free_slot(std::uint32_t buckets,
                                                         std::uint32_t n_buckets,
                                                         std::uint64_t hash,
                                                         std::vector<std::uint32_t>& overflow) {
    std::uint32_t line = buckets + shm::bucket_of(hash, n_buckets);
    for (;;) {
        Bucket& bucket = space_.arena().bucket(line);
        for (std::size_t s = 0; s < kBucketSlots; ++s)
            if (bucket.tag[s].load(std::memory_order_relaxed) == 0) return Chain{line, s, kNoFlow};
        const std::uint32_t next = bucket.next.load(std::memory_order_relaxed);
        if (next != kNone) {
            line = next;
            continue;
        }
        const auto fresh = space_.lines().take(0);
        if (!fresh) return std::nullopt;
        space_.arena().line(*fresh) = {};
        space_.step();
        bucket.next.store(*fresh, std::memory_order_release);  // an empty line: changes nothing
        overflow.push_back(*fresh);
        return Chain{*fresh, 0, kNoFlow};
    }
}

bool TableWriter::fill(std::uint32_t buckets, std::uint32_t n_buckets,
                       std::vector<std::uint32_t>& overflow) {
    shm::AgentArena& arena = space_.arena();
    for (std::uint32_t b = 0; b < n_buckets_; ++b) {
        for (std::uint32_t line = buckets_ + b; line != kNone;) {
            const Bucket& old = arena.bucket(line);
            for (std::size_t s = 0; s < kBucketSlots; ++s) {
                if (old.tag[s].load(std::memory_order_relaxed) == 0) continue;
                const std::uint32_t head = old.flow[s].load(std::memory_order_relaxed);
                const shm::FlowHot& hot = arena.hot(head);
                const std::uint32_t tuple =
                    arena.cold(hot.body.load(std::memory_order_relaxed).cold).tuple;
                const std::uint64_t hash = hash_of(tuple, expanded_key(arena, hot));
                const auto place = free_slot(buckets, n_buckets, hash, overflow);
                if (!place) return false;
                Bucket& bucket = arena.bucket(place->line);
                bucket.flow[place->slot].store(head, std::memory_order_relaxed);
                bucket.tag[place->slot].store(shm::tag_of(hash), std::memory_order_relaxed);
            }
            line = old.next.load(std::memory_order_relaxed);
        }
    }
    return true;
}

void TableWriter::grow_if_loaded() {
    if (n_slots_ < grow_at_ || n_buckets_ == 0) return;
    const std::uint32_t n_new = 2 * n_buckets_;
    const auto fresh = space_.lines().take(order_of(n_new));
    std::vector<std::uint32_t> overflow;
    bool done = fresh.has_value();
    if (done) {
        for (std::uint32_t i = 0; i < n_new; ++i) space_.arena().line(*fresh + i) = {};
        done = fill(*fresh, n_new, overflow);
    }
    const std::uint32_t old = buckets_;
    const std::uint32_t n_old = n_buckets_;
    if (done) {
        buckets_ = *fresh;
        n_buckets_ = n_new;
        done = publish();
    }
    if (!done) {  // go on with the array there is: chains of overflow lines, but right
        for (const std::uint32_t line : overflow) space_.lines().give(line, 0);
        if (fresh) space_.lines().give(*fresh, order_of(n_new));
        buckets_ = old;
        n_buckets_ = n_old;
        grow_at_ = n_slots_ + n_slots_ / 8 + 1;
        return;
    }
    space_.retire_lines(old, order_of(n_old));
    for (const std::uint32_t line : overflow_) space_.retire_lines(line, 0);
    overflow_ = std::move(overflow);
    grow_at_ = 4 * n_buckets_;
    grown_ = true;
}

// --- filter -----------------------------------------------------------------------------------

namespace {

/// With fewer of them a filter costs more than it spares.
constexpr std::size_t kFilterTuples = 4, kFilterChains = 16;
/// A filter is made from all flows, so a share of them must have changed.
constexpr std::uint32_t kFewestChanges = 256, kFewestStale = 1024;

}  // namespace

bool TableWriter::filter_due() const {
    if (n_slots_ < kFilterChains || n_tuples() < kFilterTuples) return false;
    if (filter_.exists()) return grown_ || stale_ >= std::max(kFewestStale, n_flows_ / 4);
    return grown_ || changes_ >= std::max(kFewestChanges, n_flows_ / 8);
}

/// A filter of the flows that there are and tuples in their order; or none, where none pays.
void TableWriter::renew_filter() {
    grown_ = false;
    changes_ = stale_ = 0;
    const std::vector<Tuple> before = tuples_;
    const TupleFilter old = filter_;
    close_gaps();
    sort_tuples();
    std::vector<shm::Key> masks;
    for (const Tuple& tuple : tuples_)
        masks.push_back(shm::expanded_mask(space_.arena().mask(tuple.mask)));
    filter_ =
        TupleFilter::make(space_, masks, n_slots_, [&](ChainVisitor visit) { each_chain(visit); });
    if ((!filter_.exists() && !old.exists()) || !publish()) {
        filter_.give(space_);
        filter_ = old;
        tuples_ = before;
        return;
    }
    old.retire(space_);
}

void TableWriter::each_chain(ChainVisitor visit) const {
    const shm::AgentArena& arena = space_.arena();
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (std::size_t t = 0; t < tuples_.size(); ++t) places.emplace(tuples_[t].mask, t);
    for (std::uint32_t b = 0; b < n_buckets_; ++b) {
        for (std::uint32_t line = buckets_ + b; line != kNone;) {
            const Bucket& bucket = arena.bucket(line);
            for (std::size_t s = 0; s < kBucketSlots; ++s) {
                if (bucket.tag[s].load(std::memory_order_relaxed) == 0) continue;
                const std::uint32_t head = bucket.flow[s].load(std::memory_order_relaxed);
                const shm::FlowHot& hot = arena.hot(head);
                const std::uint32_t cold = hot.body.load(std::memory_order_relaxed).cold;
                visit(places.at(arena.cold(cold).tuple), expanded_key(arena, hot));
            }
            line = bucket.next.load(std::memory_order_relaxed);
        }
    }
}

}  // namespace raicho::agent
