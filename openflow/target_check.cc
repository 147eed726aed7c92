// SPDX-License-Identifier: Apache-2.0
#include "openflow/target_check.h"

#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "openflow/group_names.h"
#include "openflow/mod_check.h"
#include "openflow/text.h"

namespace raicho::openflow {
namespace {

OfResult<void> check_target(const Action& action, ActionPlace place, const Targets& targets) {
    if (const auto* output = std::get_if<OutputAction>(&action)) {
        if (output->port == port::kTable && place != ActionPlace::packet_out)
            return ofp_error(BadAction::bad_out_port, "output to TABLE: in packet-outs only");
    } else if (const auto* group = std::get_if<GroupAction>(&action)) {
        if (!targets.has(group->group))
            return ofp_error(BadAction::bad_out_group,
                             format("group {}: no such group", group->group.value()));
    } else if (const auto* queue = std::get_if<SetQueue>(&action)) {
        if (!targets.has_queue(queue->queue))
            return ofp_error(BadAction::bad_queue, format("queue {}: no such queue", queue->queue));
    }
    return {};
}

/// §7.4.4 has no code of its own for the meter instruction: the one of a meter that a modify does
/// not find fits best. Test: DatapathMeter.FlowThatNamesNoMeterIsRefused
OfResult<void> check_meter(MeterId meter, const Targets& targets) {
    if (meter.value() == 0 || meter > meter::kMax)
        return ofp_error(MeterModFailed::invalid_meter,
                         format("meter 0x{:x}: no meter of a flow", meter.value()));
    if (!targets.has(meter))
        return ofp_error(MeterModFailed::unknown_meter,
                         format("meter {}: no such meter", meter.value()));
    return {};
}

/// Whether the buckets lead to the group, over those that there are.
bool leads_back(GroupId group, const Buckets& buckets, const Targets& targets) {
    std::unordered_set<GroupId> seen;
    std::vector<GroupId> open = named_by(buckets);
    while (!open.empty()) {
        const GroupId next = open.back();
        open.pop_back();
        if (next == group) return true;
        if (!targets.has(next) || !seen.insert(next).second) continue;
        const std::vector<GroupId> further = named_by(targets.buckets(next));
        open.insert(open.end(), further.begin(), further.end());
    }
    return false;
}

}  // namespace

OfResult<void> check_actions(const ActionList& actions, ActionPlace place, const Targets& targets) {
    for (const Action& action : actions) {
        TRY(check_action(action));
        TRY(check_target(action, place, targets));
    }
    return {};
}

OfResult<void> check_instructions(const Instructions& instructions, TableId table,
                                  const Match& match, const Targets& targets) {
    if (instructions.meter) TRY(check_meter(*instructions.meter, targets));
    if (instructions.go_to && (*instructions.go_to <= table || !targets.has(*instructions.go_to)))
        return ofp_error(BadInstruction::bad_table_id,
                         format("goto_table:{} in table {}: must lead forward to a table",
                                instructions.go_to->value(), table.value()));
    for (const auto* list : {&instructions.apply, &instructions.write})
        if (*list) TRY(check_actions(**list, ActionPlace::flow, targets));
    return check_instructions(instructions, match);
}

OfResult<void> check_group(const GroupMod& mod, const Targets& targets) {
    TRY(check_group(mod.group, mod.type, mod.buckets));
    for (const Bucket& bucket : mod.buckets) {
        TRY(check_actions(bucket.actions, ActionPlace::bucket, targets));
        if (bucket.watch_group != group::kAny && !targets.has(bucket.watch_group))
            return ofp_error(GroupModFailed::bad_watch,
                             format("watch_group {}: no such group", bucket.watch_group.value()));
    }
    if (leads_back(mod.group, mod.buckets, targets))
        return ofp_error(GroupModFailed::loop,
                         format("the buckets of group {} lead back to it", mod.group.value()));
    return {};
}

}  // namespace raicho::openflow
