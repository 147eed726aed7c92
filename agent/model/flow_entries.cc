// SPDX-License-Identifier: Apache-2.0
#include "agent/model/flow_entries.h"

#include <algorithm>

#include "agent/model/flow_filter.h"
#include "base/error.h"
#include "base/text.h"
#include "openflow/target_check.h"

namespace raicho::agent {
namespace {

using openflow::FlowMod;
using openflow::FlowModCommand;
using openflow::FlowModFailed;
using openflow::FlowRemovedReason;
using openflow::Instructions;
using openflow::ofp_error;
using openflow::OfResult;

constexpr std::uint16_t kKnownFlags =
    openflow::flow_flag::kSendFlowRem | openflow::flow_flag::kCheckOverlap |
    openflow::flow_flag::kResetCounts | openflow::flow_flag::kNoPktCounts |
    openflow::flow_flag::kNoBytCounts;

Time hard_deadline(const FlowHead& head) {
    return head.hard_timeout == 0 ? kNever : head.created + head.hard_timeout * kSecond;
}

Time idle_deadline(const FlowHead& head, Time used) {
    if (head.idle_timeout == 0) return kNever;
    return std::max(head.created, used) + head.idle_timeout * kSecond;
}

KeepCounts keep_of(const FlowMod& mod) {
    return (mod.flags & openflow::flow_flag::kResetCounts) != 0 ? KeepCounts::no : KeepCounts::yes;
}

}  // namespace

/// What add and the modifies share: where they act and what they carry.
OfResult<void> FlowEntries::check_change(const FlowMod& mod) const {
    if (mod.table == kAllTables)
        return ofp_error(FlowModFailed::bad_table_id, "table 255 (all) is for deletes only");
    if (!targets_.has(mod.table))
        return ofp_error(FlowModFailed::bad_table_id, targets_.why_no(mod.table));
    if ((mod.flags & ~kKnownFlags) != 0)
        return ofp_error(FlowModFailed::bad_flags, format("unknown flags 0x{:x}", mod.flags));
    TRY(openflow::check_instructions(mod.instructions, mod.table, mod.match, targets_));
    // §7.3.4.2 speaks of valid buffers only. We have none (n_buffers 0), and an error that leaves
    // a flow behind would mislead: the whole flow-mod is refused.
    // Test: DatapathFlowMod.UnknownBufferIsRefusedAndNothingChanges
    if (mod.buffer_id != openflow::kNoBuffer)
        return ofp_error(openflow::BadRequest::buffer_unknown,
                         format("buffer {}: packets are not buffered", mod.buffer_id));
    return {};
}

/// The bridge has its share, and table features may have made the table smaller (§7.3.5.5).
OfResult<void> FlowEntries::check_room(TableId table) const {
    if (store_.size() >= targets_.share.max_flows)
        return ofp_error(FlowModFailed::table_full,
                         format("the bridge has {} flows, and max-flows is {}", store_.size(),
                                targets_.share.max_flows));
    const std::uint32_t most =
        targets_.plane != nullptr ? targets_.plane->table_setup(table).max_entries : 0;
    if (most == 0 || store_.table_counts(table).active < most) return {};
    return ofp_error(FlowModFailed::table_full,
                     format("table {} is set to {} entries", table.value(), most));
}

FlowEntries::FlowEntries(FlowStore& store, const Targets& targets, Time now)
    : store_(store), targets_(targets), wheel_(now) {
    const bool names = (targets.groups != nullptr && targets.groups->size() != 0) ||
                       (targets.meters != nullptr && targets.meters->size() != 0);
    store_.for_each(kAllTables, [&](FlowId flow) {
        const FlowHead head = store_.head(flow);
        arm(flow, head, head.created);
        if (names) references_.add(store_.instructions(flow));
        return true;
    });
}

FlowEntries::~FlowEntries() {
    for (const Leaving& leaving : leaving_) store_.release(leaving.flow);
}

OfResult<void> FlowEntries::apply(const FlowMod& mod, Time now) {
    switch (mod.command) {
        case FlowModCommand::add: return add(mod, now);
        case FlowModCommand::modify:
        case FlowModCommand::modify_strict: return modify(mod);
        case FlowModCommand::remove:
        case FlowModCommand::remove_strict:
            for (const FlowId flow : selected(mod)) remove(flow, FlowRemovedReason::removed, now);
            return {};
    }
    return ofp_error(FlowModFailed::bad_command);
}

OfResult<void> FlowEntries::test(const FlowMod& mod) const {
    switch (mod.command) {
        case FlowModCommand::add: TRY(check_change(mod)); return check_overlap(mod);
        case FlowModCommand::modify:
        case FlowModCommand::modify_strict: return check_change(mod);
        case FlowModCommand::remove:
        case FlowModCommand::remove_strict: return {};
    }
    return ofp_error(FlowModFailed::bad_command);
}

OfResult<void> FlowEntries::check_overlap(const FlowMod& mod) const {
    if ((mod.flags & openflow::flow_flag::kCheckOverlap) == 0) return {};
    const auto other = store_.find_overlap(mod.table, mod.priority, mod.match);
    if (!other) return {};
    return ofp_error(FlowModFailed::overlap, format("overlaps flow {}", other->value()));
}

OfResult<void> FlowEntries::add(const FlowMod& mod, Time now) {
    TRY(check_change(mod));
    TRY(check_overlap(mod));
    const FlowHead head{mod.table,  mod.priority, mod.idle_timeout, mod.hard_timeout, mod.flags,
                        mod.cookie, now};
    const std::optional<FlowId> old = store_.find_strict(mod.table, mod.priority, mod.match);
    if (!old) {
        TRY(check_room(mod.table));
        TRY_ASSIGN(const FlowId flow, store_.insert(head, mod.match, mod.instructions));
        references_.add(mod.instructions);
        arm(flow, head, now);
        return {};
    }
    // The duration starts anew, the counters go on unless told otherwise, and no flow-removed is
    // sent for the entry that goes (§6.4).
    const Instructions before = named_instructions(*old);
    TRY_ASSIGN(const FlowId flow,
               store_.replace(*old, head, mod.match, mod.instructions, keep_of(mod)));
    references_.drop(before);
    references_.add(mod.instructions);
    wheel_.disarm(*old);
    arm(flow, head, now);
    return {};
}

OfResult<void> FlowEntries::modify(const FlowMod& mod) {
    TRY(check_change(mod));
    const std::vector<FlowId> flows = selected(mod);
    if (flows.empty()) return {};  // no error (§6.4)
    std::vector<Instructions> before;
    if (!references_.empty())
        for (const FlowId flow : flows) before.push_back(store_.instructions(flow));
    TRY(store_.replace_instructions(flows, mod.instructions, keep_of(mod)));
    for (const Instructions& old : before) references_.drop(old);
    references_.add(mod.instructions, flows.size());
    return {};
}

OfResult<void> FlowEntries::restore(const FlowHead& head, const openflow::Match& match,
                                    const openflow::Instructions& instructions) {
    const std::optional<FlowId> old = store_.find_strict(head.table, head.priority, match);
    const Instructions before = old ? named_instructions(*old) : Instructions{};
    TRY_ASSIGN(const FlowId flow,
               old ? store_.replace(*old, head, match, instructions, KeepCounts::yes)
                   : store_.insert(head, match, instructions));
    references_.drop(before);
    references_.add(instructions);
    if (old) wheel_.disarm(*old);
    arm(flow, head, store_.counts(flow).last_used);
    return {};
}

std::vector<FlowId> FlowEntries::selected(const FlowMod& mod) const {
    const FlowFilter filter = filter_of(mod);
    std::vector<FlowId> flows;
    const auto collect = [&](FlowId flow) {
        flows.push_back(flow);
        return true;
    };
    using enum FlowModCommand;
    if (mod.command == modify || mod.command == remove) {
        for_each_selected(store_, filter, mod.match, collect);
        return flows;
    }
    const auto in_table = [&](TableId table) {
        const auto flow = store_.find_strict(table, mod.priority, mod.match);
        if (flow && passes(filter, store_, *flow)) flows.push_back(*flow);
    };
    if (mod.table != kAllTables)
        in_table(mod.table);
    else
        for (std::size_t table = 0; table < kTables; ++table)
            in_table(TableId{static_cast<std::uint8_t>(table)});
    return flows;
}

/// What the flow's references are counted by; nothing is read while no flow has any.
Instructions FlowEntries::named_instructions(FlowId flow) const {
    return references_.empty() ? Instructions{} : store_.instructions(flow);
}

template <class Id>
void FlowEntries::remove_all_using(Id named, FlowRemovedReason reason, Time now) {
    if (references_.flows_of(named) == 0) return;
    std::vector<FlowId> flows;
    store_.for_each_using(named, [&](FlowId flow) {
        flows.push_back(flow);
        return true;
    });
    for (const FlowId flow : flows) remove(flow, reason, now);
}

void FlowEntries::remove_using(GroupId group, Time now) {
    remove_all_using(group, FlowRemovedReason::group_delete, now);
}

void FlowEntries::remove_using(MeterId meter, Time now) {
    remove_all_using(meter, FlowRemovedReason::meter_delete, now);
}

void FlowEntries::remove_stranded(Time now) {
    std::vector<FlowId> flows;
    store_.for_each(kAllTables, [&](FlowId flow) {
        const std::optional<TableId> next = store_.instructions(flow).go_to;
        if (!targets_.has(store_.head(flow).table) || (next && !targets_.has(*next)))
            flows.push_back(flow);
        return true;
    });
    for (const FlowId flow : flows) remove(flow, FlowRemovedReason::removed, now);
}

void FlowEntries::remove(FlowId flow, FlowRemovedReason reason, Time now) {
    wheel_.disarm(flow);
    references_.drop(named_instructions(flow));
    const bool tell = (store_.head(flow).flags & openflow::flow_flag::kSendFlowRem) != 0;
    store_.remove(flow);
    if (!tell) return store_.release(flow);
    leaving_.push_back({flow, reason, now});
    ++promised_;
}

void FlowEntries::arm(FlowId flow, const FlowHead& head, Time used) {
    const Time deadline = std::min(hard_deadline(head), idle_deadline(head, used));
    if (deadline != kNever) wheel_.arm(flow, deadline);
}

void FlowEntries::expire(Time now, std::size_t limit) {
    for (std::size_t n = 0; n < limit; ++n) {
        const std::optional<FlowId> flow = wheel_.pop_due(now);
        if (!flow) return;
        const FlowHead head = store_.head(*flow);
        const Time used = store_.counts(*flow).last_used;
        const Time hard = hard_deadline(head);
        const Time idle = idle_deadline(head, used);
        if (std::min(hard, idle) > now)
            arm(*flow, head, used);  // packets came since: lazily moved on
        else
            remove(*flow,
                   hard <= idle ? FlowRemovedReason::hard_timeout : FlowRemovedReason::idle_timeout,
                   now);
    }
}

std::optional<openflow::FlowRemoved> FlowEntries::pop_removed() {
    if (leaving_.empty() || !store_.settled(leaving_.front().flow)) return std::nullopt;
    const auto [flow, reason, removed] = leaving_.front();
    leaving_.pop_front();
    const FlowHead head = store_.head(flow);
    const FlowCount count = store_.counts(flow);
    const Time age = removed - head.created;
    openflow::FlowRemoved message{
        .cookie = head.cookie,
        .priority = head.priority,
        .reason = reason,
        .table = head.table,
        .duration_sec = static_cast<std::uint32_t>(age / kSecond),
        .duration_nsec = static_cast<std::uint32_t>(age % kSecond),
        .idle_timeout = head.idle_timeout,
        .hard_timeout = head.hard_timeout,
        .packet_count = count.packets,
        .byte_count = count.bytes,
        .match = store_.match(flow),
    };
    store_.release(flow);
    return message;
}

}  // namespace raicho::agent
