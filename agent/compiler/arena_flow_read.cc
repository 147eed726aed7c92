// SPDX-License-Identifier: Apache-2.0
// The reading half of the arena's flow store: finding flows, their counters, what a flow is.
#include <algorithm>
#include <bit>

#include "agent/compiler/arena_flow_store.h"
#include "openflow/codec.h"
#include "shm/hash.h"
#include "shm/walk.h"

namespace raicho::agent {

// --- finding ----------------------------------------------------------------------------------

std::uint64_t ArenaFlowStore::strict_hash(TableId table, std::uint16_t priority, std::uint32_t mask,
                                          const shm::Key& key) const {
    const shm::AgentArena& arena = space_.arena();
    const std::uint64_t hash = shm::masked_hash(arena.hash_key(), arena.mask(mask), mask, key);
    return shm::fold_multiply(hash ^ (std::uint64_t{table.value()} << 16 | priority),
                              arena.hash_key()[2]);
}

std::uint64_t ArenaFlowStore::strict_hash(FlowId flow) const {
    const shm::FlowHot& entry = hot(flow);
    return strict_hash(TableId(entry.table), entry.priority, entry.mask,
                       expanded_key(space_.arena(), entry));
}

std::optional<FlowId> ArenaFlowStore::find_strict(TableId table, std::uint16_t priority,
                                                  const openflow::Match& match) const {
    const MaskedKey wanted = masked_key(match);
    const auto mask = space_.masks().find(wanted.mask);
    if (!mask) return std::nullopt;
    const std::uint32_t flow =
        strict_.find(strict_hash(table, priority, *mask, wanted.key), [&](std::uint32_t candidate) {
            const shm::FlowHot& entry = hot(FlowId(candidate));
            return entry.table == table.value() && entry.priority == priority &&
                   entry.mask == *mask && expanded_key(space_.arena(), entry) == wanted.key;
        });
    if (flow == shm::kNoFlow) return std::nullopt;
    return FlowId(flow);
}

std::optional<FlowId> ArenaFlowStore::next(FlowId from, TableId table) const {
    if (table != kAllTables && (!tables_[table.value()] || tables_[table.value()]->size() == 0))
        return std::nullopt;
    std::size_t word = from.value() / 64;
    std::uint64_t keep = ~std::uint64_t{0} << (from.value() % 64);
    for (; word < live_.size(); ++word, keep = ~std::uint64_t{0}) {
        for (std::uint64_t bits = live_[word] & keep; bits != 0; bits &= bits - 1) {
            const FlowId flow(static_cast<std::uint32_t>(
                word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
            if (table == kAllTables || hot(flow).table == table.value()) return flow;
        }
    }
    return std::nullopt;
}

void ArenaFlowStore::for_each_within(TableId table, const openflow::Match& request,
                                     FunctionRef<bool(FlowId)> visit) const {
    const MaskedKey wanted = masked_key(request);
    const shm::AgentArena& arena = space_.arena();
    for_each(table, [&](FlowId flow) {
        const shm::FlowHot& entry = hot(flow);
        const shm::Key mask = shm::expanded_mask(arena.mask(entry.mask));
        if (!is_part(wanted.mask, mask)) return true;
        const shm::Key key = expanded_key(arena, entry);
        for (std::size_t i = 0; i < shm::kKeyWords; ++i)
            if ((key.words[i] & wanted.mask.words[i]) != wanted.key.words[i]) return true;
        return visit(flow);
    });
}

std::optional<FlowId> ArenaFlowStore::find_overlap(TableId table, std::uint16_t priority,
                                                   const openflow::Match& match) const {
    const MaskedKey wanted = masked_key(match);
    const shm::AgentArena& arena = space_.arena();
    std::optional<FlowId> found;
    for_each(table, [&](FlowId flow) {
        const shm::FlowHot& entry = hot(flow);
        if (entry.priority != priority) return true;
        const shm::Key mask = shm::expanded_mask(arena.mask(entry.mask));
        const shm::Key key = expanded_key(arena, entry);
        for (std::size_t i = 0; i < shm::kKeyWords; ++i)
            if (((key.words[i] ^ wanted.key.words[i]) & mask.words[i] & wanted.mask.words[i]) != 0)
                return true;
        found = flow;
        return false;
    });
    return found;
}

// --- counters ---------------------------------------------------------------------------------

FlowCount ArenaFlowStore::counts(FlowId flow) const {
    const shm::FlowCold& record = cold(flow);
    const Time now = space_.now();
    const auto sum = space_.arena().flow_sum(flow.value(), now);
    FlowCount count{.packets = packets_since(record, sum), .bytes = bytes_since(record, sum)};
    // A tick says "in this eighth of a second": its end, so that nothing idles out too early. What
    // lies before the flow was counted by an earlier one of this row.
    constexpr Time kTick = kSecond / 8;
    const Time used = std::min(now, sum.last_used_ns + kTick - 1);
    if ((count.packets != 0 || record.resets != 0) && sum.last_used_ns != 0 &&
        used >= record.created_ns)
        count.last_used = used;
    return count;
}

void ArenaFlowStore::harvest(std::size_t limit) {
    for (; limit != 0; --limit) {
        const auto flow = next(FlowId(harvested_), kAllTables);
        if (!flow) {
            harvested_ = 0;
            return;
        }
        const std::uint64_t packets = counts(*flow).packets;
        space_.arena()
            .cold(cold_index(*flow))
            .last_packets.store(packets, std::memory_order_relaxed);
        harvested_ = flow->value() + 1;
    }
}

TableCount ArenaFlowStore::table_counts(TableId table) const {
    const auto totals = space_.arena().table_totals(bridge_, table);
    const auto& writer = tables_[table.value()];
    return {
        .active = writer ? writer->size() : 0, .lookup = totals.lookups, .matched = totals.matched};
}

// --- what a flow is ---------------------------------------------------------------------------

FlowHead ArenaFlowStore::head(FlowId flow) const {
    const shm::FlowHot& entry = hot(flow);
    const shm::FlowCold& record = cold(flow);
    return {.table = TableId(entry.table),
            .priority = entry.priority,
            .idle_timeout = record.idle_timeout,
            .hard_timeout = record.hard_timeout,
            .flags = record.flags,
            .cookie = record.cookie,
            .created = record.created_ns};
}

openflow::Match ArenaFlowStore::match(FlowId flow) const {
    auto match = openflow::decode_match_fields(match_bytes(space_.arena(), cold(flow)));
    return match ? *match : openflow::Match{};
}

openflow::Instructions ArenaFlowStore::instructions(FlowId flow) const {
    auto instructions =
        openflow::decode_instructions(instruction_bytes(space_.arena(), hot(flow).program()));
    return instructions ? *std::move(instructions) : openflow::Instructions{};
}

}  // namespace raicho::agent
