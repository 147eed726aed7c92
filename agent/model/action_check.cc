// SPDX-License-Identifier: Apache-2.0
#include "agent/model/action_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent {
namespace {

using openflow::BadAction;
using openflow::BadInstruction;
using openflow::MeterModFailed;
using openflow::ofp_error;
using openflow::OfResult;

OfResult<void> check_target(const openflow::Action& action, ActionPlace place,
                            const Targets& targets) {
    if (const auto* output = std::get_if<openflow::OutputAction>(&action)) {
        if (output->port == port::kTable && place != ActionPlace::packet_out)
            return ofp_error(BadAction::bad_out_port, "output to TABLE: in packet-outs only");
    } else if (const auto* group = std::get_if<openflow::GroupAction>(&action)) {
        if (!targets.has(group->group))
            return ofp_error(BadAction::bad_out_group,
                             format("group {}: no such group", group->group.value()));
    } else if (const auto* queue = std::get_if<openflow::SetQueue>(&action)) {
        if (!targets.has_queue(queue->queue))
            return ofp_error(BadAction::bad_queue, format("queue {}: no such queue", queue->queue));
    }
    return {};
}

/// §7.4.4 has no code of its own for the meter instruction: the one of a meter that a modify does
/// not find fits best. Test: DatapathMeter.FlowThatNamesNoMeterIsRefused
OfResult<void> check_meter(MeterId meter, const Targets& targets) {
    if (meter.value() == 0 || meter > openflow::meter::kMax)
        return ofp_error(MeterModFailed::invalid_meter,
                         format("meter 0x{:x}: no meter of a flow", meter.value()));
    if (!targets.has(meter))
        return ofp_error(MeterModFailed::unknown_meter,
                         format("meter {}: no such meter", meter.value()));
    return {};
}

}  // namespace

bool Targets::has_queue(std::uint32_t queue) const {
    return plane != nullptr &&
           std::ranges::any_of(plane->ports(), [&](const openflow::PortDesc& port) {
               const auto queues = plane->queues(port.port);
               return std::ranges::find(queues, queue, &openflow::QueueDesc::queue) != queues.end();
           });
}

OfResult<void> check_actions(const openflow::ActionList& actions, ActionPlace place,
                             const Targets& targets) {
    for (const openflow::Action& action : actions) {
        TRY(openflow::check_action(action));
        TRY(check_target(action, place, targets));
    }
    return {};
}

OfResult<void> check_instructions(const openflow::Instructions& instructions, TableId table,
                                  const openflow::Match& match, const Targets& targets) {
    if (instructions.meter) TRY(check_meter(*instructions.meter, targets));
    if (instructions.go_to && (*instructions.go_to <= table || !targets.has(*instructions.go_to)))
        return ofp_error(BadInstruction::bad_table_id,
                         format("goto_table:{} in table {}: must lead forward to a table",
                                instructions.go_to->value(), table.value()));
    for (const auto* list : {&instructions.apply, &instructions.write})
        if (*list) TRY(check_actions(**list, ActionPlace::flow, targets));
    return openflow::check_instructions(instructions, match);
}

}  // namespace raicho::agent
