// SPDX-License-Identifier: Apache-2.0
#include "agent/model/vector_flow_store.h"

#include <algorithm>

#include "agent/model/match_set.h"
#include "base/error.h"

namespace raicho::agent {

openflow::OfResult<FlowId> VectorFlowStore::insert(const FlowHead& head,
                                                   const openflow::Match& match,
                                                   const openflow::Instructions& instructions) {
    FlowId flow{static_cast<std::uint32_t>(entries_.size())};
    if (!free_.empty()) {
        flow = free_.back();
        free_.pop_back();
    } else if (entries_.size() == capacity_) {
        return openflow::ofp_error(openflow::FlowModFailed::table_full);
    } else {
        entries_.emplace_back();
    }
    entries_[flow.value()] = {State::live, head, match, instructions, {}};
    return flow;
}

std::optional<FlowId> VectorFlowStore::find_strict(TableId table, std::uint16_t priority,
                                                   const openflow::Match& match) const {
    std::optional<FlowId> found;
    for_each(table, [&](FlowId flow) {
        const Entry& entry = used(flow);
        if (entry.head.priority == priority && same_match(entry.match, match)) found = flow;
        return !found;
    });
    return found;
}

openflow::OfResult<void> VectorFlowStore::replace_instructions(
    std::span<const FlowId> flows, const openflow::Instructions& instructions, KeepCounts keep) {
    for (const FlowId flow : flows) {
        Entry& entry = live(flow);
        entry.instructions = instructions;
        if (keep == KeepCounts::no) entry.count.packets = entry.count.bytes = 0;
    }
    return {};
}

openflow::OfResult<FlowId> VectorFlowStore::replace(FlowId old, const FlowHead& head,
                                                    const openflow::Match& match,
                                                    const openflow::Instructions& instructions,
                                                    KeepCounts keep) {
    Entry& entry = live(old);
    const FlowCount count = keep == KeepCounts::yes ? entry.count : FlowCount{};
    entry = {State::live, head, match, instructions, count};
    return old;
}

void VectorFlowStore::remove(FlowId flow) {
    live(flow).state = State::leaving;
    ++n_leaving_;
}

bool VectorFlowStore::settled(FlowId flow) const {
    ASSERT(used(flow).state == State::leaving);
    return grace_ == Grace::passes;
}

void VectorFlowStore::release(FlowId flow) {
    Entry& entry = used(flow);
    ASSERT(entry.state == State::leaving);
    entry = {};
    --n_leaving_;
    free_.push_back(flow);
}

FlowCount VectorFlowStore::counts(FlowId flow) const {
    return used(flow).count;
}

FlowHead VectorFlowStore::head(FlowId flow) const {
    return used(flow).head;
}

openflow::Match VectorFlowStore::match(FlowId flow) const {
    return used(flow).match;
}

openflow::Instructions VectorFlowStore::instructions(FlowId flow) const {
    return used(flow).instructions;
}

std::optional<FlowId> VectorFlowStore::next(FlowId from, TableId table) const {
    for (std::uint32_t id = from.value(); id < entries_.size(); ++id) {
        const Entry& entry = entries_[id];
        if (entry.state == State::live && (table == kAllTables || entry.head.table == table))
            return FlowId{id};
    }
    return std::nullopt;
}

TableCount VectorFlowStore::table_counts(TableId table) const {
    TableCount count{0, lookups_[table.value()], matched_[table.value()]};
    for_each(table, [&](FlowId) {
        ++count.active;
        return true;
    });
    return count;
}

std::size_t VectorFlowStore::size() const {
    return static_cast<std::size_t>(std::ranges::count(entries_, State::live, &Entry::state));
}

void VectorFlowStore::hit(FlowId flow, std::uint64_t bytes, Time now) {
    Entry& entry = used(flow);
    ++entry.count.packets;
    entry.count.bytes += bytes;
    entry.count.last_used = now;
    ++lookups_[entry.head.table.value()];
    ++matched_[entry.head.table.value()];
}

const VectorFlowStore::Entry& VectorFlowStore::used(FlowId flow) const {
    ASSERT(flow.value() < entries_.size() && entries_[flow.value()].state != State::free);
    return entries_[flow.value()];
}

VectorFlowStore::Entry& VectorFlowStore::used(FlowId flow) {
    return const_cast<Entry&>(std::as_const(*this).used(flow));
}

VectorFlowStore::Entry& VectorFlowStore::live(FlowId flow) {
    Entry& entry = used(flow);
    ASSERT(entry.state == State::live);
    return entry;
}

}  // namespace raicho::agent
