// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/table_writer.h"

#include <algorithm>

#include "agent/compiler/match_key.h"
#include "shm/hash.h"
#include "shm/walk.h"

namespace raicho::agent {

using shm::Bucket;
using shm::kBucketSlots;
using shm::kNoFlow;
using shm::kNone;
using shm::Template;

TableWriter::TableWriter(ArenaSpace& space, BridgeId bridge, TableId table)
    : space_(space), bridge_(bridge), table_(table) {
    const shm::AgentArena& arena = space_.arena();
    shm::TableVisitor visitor;
    visitor.on_descriptor = [&](std::uint32_t index, const shm::TableDescriptor& d) {
        descriptor_ = index;
        kind_ = d.kind;
        buckets_ = d.buckets;
        n_buckets_ = d.n_buckets;
        for (std::size_t t = 0; t < d.n_tuples; ++t) {
            const shm::TupleRow& row = d.tuples()[t];
            tuples_.push_back({row.mask, 0, 0, row.max_priority.load(std::memory_order_relaxed)});
        }
        filter_ = TupleFilter(arena, d);
    };
    visitor.on_overflow_line = [&](std::uint32_t line) { overflow_.push_back(line); };
    visitor.on_flow = [&](std::uint32_t flow, bool head) {
        const shm::FlowHot& hot = arena.hot(flow);
        ++n_flows_;
        if (hot.is_miss()) return;
        n_slots_ += head ? 1 : 0;
        const auto tuple = tuple_of(arena.cold(hot.body.load().cold).tuple);
        ASSERT(tuple);  // ArenaSpace::scan() has checked it
        count(tuples_[*tuple], hot, 1);
    };
    const auto walked = walk_table(arena, bridge, table, visitor);
    ASSERT(walked);
    grow_at_ = std::max(4 * n_buckets_, n_slots_);
    // An agent killed between a descriptor and its first flow left tuples of nothing.
    if (descriptor_ != kNone && n_slots_ == 0)
        clear();
    else
        drop_empty_tuples();
}

// --- tuples -----------------------------------------------------------------------------------

std::uint64_t TableWriter::hash_of(std::uint32_t mask, const shm::Key& key) const {
    const shm::AgentArena& arena = space_.arena();
    return shm::masked_hash(arena.hash_key(), arena.mask(mask), mask, key);
}

std::optional<std::size_t> TableWriter::tuple_of(std::uint32_t mask) const {
    for (std::size_t t = 0; t < tuples_.size(); ++t)
        if (tuples_[t].mask == mask) return t;
    return std::nullopt;
}

std::optional<std::size_t> TableWriter::add_tuple(const shm::Key& mask) {
    const auto index = space_.masks().acquire(mask);
    if (!index) return std::nullopt;
    const auto gap = std::ranges::find(tuples_, kNone, &Tuple::mask);
    fresh_ = static_cast<std::size_t>(gap - tuples_.begin());
    if (gap == tuples_.end()) tuples_.emplace_back();
    tuples_[*fresh_] = {.mask = *index};
    return fresh_;
}

/// No reader has seen it.
void TableWriter::forget_fresh_tuple() {
    if (!fresh_) return;
    space_.masks().release(tuples_[*fresh_].mask);
    tuples_[*fresh_] = {};
    if (*fresh_ + 1 == tuples_.size()) tuples_.pop_back();
    fresh_.reset();
}

std::size_t TableWriter::n_tuples() const {
    return tuples_.size() -
           static_cast<std::size_t>(std::ranges::count(tuples_, kNone, &Tuple::mask));
}

bool TableWriter::room_for_tuples(std::size_t n) const {
    return n_tuples() + n <= shm::kMaxTuples;
}

void TableWriter::close_gaps() {
    std::erase_if(tuples_, [](const Tuple& tuple) { return tuple.mask == kNone; });
}

/// The order of the descriptor while no filter asks for another: the best flows first.
void TableWriter::sort_tuples() {
    std::ranges::stable_sort(tuples_, std::greater{}, &Tuple::max_priority);
}

void TableWriter::count(Tuple& tuple, const shm::FlowHot& hot, int change) {
    tuple.n_flows += static_cast<std::uint32_t>(change);
    if (hot.mask != tuple.mask) tuple.n_other += static_cast<std::uint32_t>(change);
    if (change > 0) tuple.max_priority = std::max(tuple.max_priority, hot.priority);
}

TableWriter::Choice TableWriter::in_tuple(std::size_t tuple, const shm::Key& key) const {
    const std::uint32_t mask = tuples_[tuple].mask;
    const std::uint64_t hash = hash_of(mask, key);
    return {tuple, find_chain(mask, hash, key), hash};
}

std::optional<TableWriter::Choice> TableWriter::choose(const shm::Key& key,
                                                       std::uint32_t own_mask) {
    // A tuple of the flow's own mask never has long chains: all in one have the same match.
    if (const auto own = tuple_of(own_mask)) return in_tuple(*own, key);
    const shm::AgentArena& arena = space_.arena();
    const shm::Key mask = shm::expanded_mask(arena.mask(own_mask));
    const auto in_new_tuple = [&](const shm::Key& tuple_mask) -> std::optional<Choice> {
        const auto tuple = add_tuple(tuple_mask);
        if (!tuple) return std::nullopt;
        return in_tuple(*tuple, key);
    };
    if (tuples_.empty()) return in_new_tuple(mask);  // an exact table for as long as it lasts

    const auto levels = tuple_masks(mask);
    for (std::size_t level = 0; level < levels.size(); ++level) {
        std::vector<std::size_t> fits;
        const auto index = space_.masks().find(levels[level]);
        if (const auto tuple = index ? tuple_of(*index) : std::nullopt) {
            fits.push_back(*tuple);
        } else if (level == 0) {  // one of the same fields, but off the grid
            for (std::size_t t = 0; t < tuples_.size(); ++t) {
                if (tuples_[t].mask == kNone) continue;
                const shm::Key other = shm::expanded_mask(arena.mask(tuples_[t].mask));
                if (is_part(other, mask) && tuple_masks(other)[0] == levels[0]) fits.push_back(t);
            }
        }
        for (const std::size_t tuple : fits) {
            const Choice choice = in_tuple(tuple, key);
            if (!long_chain(choice.chain)) return choice;
        }
        if (fits.empty() && room_for_tuples(2)) return in_new_tuple(levels[level]);
    }
    // No room for a tuple of its own: any that fits, short chains first; one fits everything.
    std::optional<Choice> last;
    for (std::size_t t = 0; t < tuples_.size(); ++t) {
        if (tuples_[t].mask == kNone ||
            !is_part(shm::expanded_mask(arena.mask(tuples_[t].mask)), mask))
            continue;
        last = in_tuple(t, key);
        if (!long_chain(last->chain)) return last;
    }
    return last ? last : in_new_tuple({});
}

// --- template ---------------------------------------------------------------------------------

bool TableWriter::can_hold(Template kind) const {
    switch (kind) {
        case Template::none: return tuples_.empty();
        case Template::exact: return tuples_.size() == 1 && tuples_[0].n_other == 0;
        case Template::tuple_merge: return !tuples_.empty();
    }
    return false;
}

/// What is wanted, else the quickest that can hold the flows.
Template TableWriter::suitable() const {
    for (const Template kind : {wanted_, Template::exact, Template::tuple_merge})
        if (kind != Template::none && can_hold(kind)) return kind;
    return Template::none;
}

void TableWriter::set_template(Template wanted) {
    wanted_ = wanted;
    if (descriptor_ != kNone && kind_ != suitable()) (void)publish();
}

TableForm TableWriter::form() const {
    if (descriptor_ == kNone) return {};
    const std::size_t descriptor =
        std::size_t{1} << order_of(shm::descriptor_lines(tuples_.size(), filter_.n_fields()));
    return {kind_, n_tuples(), descriptor + n_buckets_ + overflow_.size() + filter_.n_lines()};
}

// --- descriptor -------------------------------------------------------------------------------

void TableWriter::store_slot(std::uint32_t descriptor) {
    auto& place = record().tables[table_.value()];
    const shm::TableSlot slot = place.load(std::memory_order_relaxed);
    // pairs with lookup()
    place.store({descriptor, slot.version + 1}, std::memory_order_release);
}

void TableWriter::bump_version() {
    store_slot(descriptor_);
}

bool TableWriter::publish() {
    const unsigned order = order_of(shm::descriptor_lines(tuples_.size(), filter_.n_fields()));
    const auto fresh = space_.lines().take(order);
    if (!fresh) return false;
    if (!filter_.exists()) sort_tuples();
    auto& d = *reinterpret_cast<shm::TableDescriptor*>(&space_.arena().line(*fresh));
    for (std::uint32_t i = 0; i < 1u << order; ++i) space_.arena().line(*fresh + i) = {};
    d.kind = suitable();
    d.n_tuples = static_cast<std::uint16_t>(tuples_.size());
    d.buckets = buckets_;
    d.n_buckets = n_buckets_;
    auto* rows = reinterpret_cast<shm::TupleRow*>(&d + 1);
    for (std::size_t t = 0; t < tuples_.size(); ++t) {
        rows[t].mask = tuples_[t].mask;
        rows[t].max_priority.store(tuples_[t].max_priority, std::memory_order_relaxed);
    }
    filter_.describe(d);
    space_.step();
    store_slot(*fresh);
    space_.step();
    if (descriptor_ != kNone) {
        const auto& old = space_.arena().descriptor(descriptor_);
        space_.retire_lines(descriptor_,
                            order_of(shm::descriptor_lines(old.n_tuples, old.n_fields)));
    }
    descriptor_ = *fresh;
    kind_ = d.kind;
    return true;
}

void TableWriter::drop_empty_tuples() {
    std::vector<std::uint32_t> gone;
    for (const Tuple& tuple : tuples_)
        if (tuple.n_flows == 0 && tuple.mask != kNone) gone.push_back(tuple.mask);
    if (gone.empty() || gone.size() == n_tuples()) return;
    const std::vector<Tuple> before = tuples_;
    const TupleFilter filter = filter_;
    for (Tuple& tuple : tuples_)
        if (tuple.n_flows == 0) tuple = {};
    if (n_tuples() == 1) filter_ = {};
    if (!filter_.exists()) close_gaps();
    if (!publish()) {
        tuples_ = before;
        filter_ = filter;
        return;
    }
    if (!filter_.exists()) filter.retire(space_);
    for (const std::uint32_t mask : gone) space_.retire_mask(mask);
}

void TableWriter::clear() {
    const auto& d = space_.arena().descriptor(descriptor_);
    const unsigned order = order_of(shm::descriptor_lines(d.n_tuples, d.n_fields));
    store_slot(kNone);
    space_.step();
    space_.retire_lines(descriptor_, order);
    space_.retire_lines(buckets_, order_of(n_buckets_));
    for (const std::uint32_t line : overflow_) space_.retire_lines(line, 0);
    for (const Tuple& tuple : tuples_)
        if (tuple.mask != kNone) space_.retire_mask(tuple.mask);
    filter_.retire(space_);
    filter_ = {};
    tuples_.clear();
    overflow_.clear();
    descriptor_ = buckets_ = kNone;
    n_buckets_ = n_slots_ = grow_at_ = changes_ = stale_ = 0;
    grown_ = false;
    kind_ = Template::none;
}

// --- flows ------------------------------------------------------------------------------------

bool TableWriter::insert(std::uint32_t flow) {
    shm::AgentArena& arena = space_.arena();
    shm::FlowHot& hot = arena.hot(flow);
    hot.next.store(kNoFlow, std::memory_order_relaxed);
    if (hot.is_miss()) {
        space_.step();
        record().misses[table_.value()].store(flow, std::memory_order_release);  // lookup()
        space_.step();
        ++n_flows_;
        bump_version();
        return true;
    }
    if (!prepare_array()) return false;
    grow_if_loaded();
    if (filter_due()) renew_filter();
    fresh_.reset();
    auto choice = choose(expanded_key(arena, hot), hot.mask);
    if (choice && choice->chain.head == kNoFlow) {
        const auto slot = free_slot(buckets_, n_buckets_, choice->hash, overflow_);
        if (slot)
            choice->chain = *slot;
        else
            choice.reset();
    }
    bool ready = choice.has_value();
    if (ready) {
        const std::uint32_t mask = tuples_[choice->tuple].mask;
        arena.cold(hot.body.load(std::memory_order_relaxed).cold).tuple = mask;
        const Tuple before = tuples_[choice->tuple];
        count(tuples_[choice->tuple], hot, 1);
        if (fresh_) {
            filter_.admit_tuple(arena, choice->tuple, shm::expanded_mask(arena.mask(mask)));
            ++stale_;  // it stands where it does by chance
        }
        if (descriptor_ == kNone || fresh_ || !can_hold(kind_)) {
            // the new tuple, or the other template, before a flow that needs it
            ready = publish();
            choice->tuple = *tuple_of(mask);
        } else if (tuples_[choice->tuple].max_priority != before.max_priority) {
            auto& d = *reinterpret_cast<shm::TableDescriptor*>(&arena.line(descriptor_));
            reinterpret_cast<shm::TupleRow*>(&d + 1)[choice->tuple].max_priority.store(
                hot.priority, std::memory_order_release);  // raised before the flow is there
            space_.step();
        }
        if (!ready) tuples_[choice->tuple] = before;
    }
    if (!ready) {
        forget_fresh_tuple();
        return false;
    }
    if (choice->chain.head == kNoFlow)
        filter_.admit_chain(arena, choice->tuple, expanded_key(arena, hot));
    link(*choice, flow);
    ++n_flows_;
    ++changes_;
    space_.step();
    bump_version();
    return true;
}

void TableWriter::link(const Choice& choice, std::uint32_t flow) {
    shm::AgentArena& arena = space_.arena();
    shm::FlowHot& hot = arena.hot(flow);
    Bucket& bucket = arena.bucket(choice.chain.line);
    auto& head = bucket.flow[choice.chain.slot];
    space_.step();
    if (choice.chain.head == kNoFlow) {
        head.store(flow, std::memory_order_release);
        space_.step();
        bucket.tag[choice.chain.slot].store(shm::tag_of(choice.hash), std::memory_order_release);
        ++n_slots_;
        return;
    }
    std::uint32_t before = kNoFlow;
    std::uint32_t after = choice.chain.head;
    while (after != kNoFlow && arena.hot(after).priority >= hot.priority) {
        before = after;
        after = arena.hot(after).next.load(std::memory_order_relaxed);
    }
    hot.next.store(after, std::memory_order_relaxed);
    space_.step();
    if (before == kNoFlow)
        head.store(flow, std::memory_order_release);
    else
        arena.hot(before).next.store(flow, std::memory_order_release);
}

void TableWriter::remove(std::uint32_t flow) {
    shm::AgentArena& arena = space_.arena();
    const shm::FlowHot& hot = arena.hot(flow);
    space_.step();
    --n_flows_;
    if (hot.is_miss()) {
        record().misses[table_.value()].store(kNoFlow, std::memory_order_release);
        space_.step();
        return bump_version();
    }
    const std::uint32_t mask = arena.cold(hot.body.load(std::memory_order_relaxed).cold).tuple;
    const shm::Key key = expanded_key(arena, hot);
    const Chain chain = find_chain(mask, hash_of(mask, key), key);
    ASSERT(chain.line != kNone);
    Bucket& bucket = arena.bucket(chain.line);
    const std::uint32_t after = hot.next.load(std::memory_order_relaxed);
    if (chain.head != flow) {
        std::uint32_t before = chain.head;
        for (;;) {
            const std::uint32_t next = arena.hot(before).next.load(std::memory_order_relaxed);
            if (next == flow) break;
            ASSERT(next != kNoFlow);
            before = next;
        }
        arena.hot(before).next.store(after, std::memory_order_release);
    } else if (after != kNoFlow) {
        bucket.flow[chain.slot].store(after, std::memory_order_release);
    } else {
        bucket.tag[chain.slot].store(0, std::memory_order_release);
        --n_slots_;
    }
    space_.step();
    bump_version();
    ++changes_;
    if (after == kNoFlow && chain.head == flow) ++stale_;
    const auto tuple = tuple_of(mask);
    count(tuples_[*tuple], hot, -1);
    if (n_slots_ == 0)
        clear();
    else if (tuples_[*tuple].n_flows == 0)
        drop_empty_tuples();
}

}  // namespace raicho::agent
