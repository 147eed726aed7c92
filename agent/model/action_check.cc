// SPDX-License-Identifier: Apache-2.0
#include "agent/model/action_check.h"

#include "base/error.h"
#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent {
namespace {

using openflow::BadAction;
using openflow::BadInstruction;
using openflow::ofp_error;
using openflow::OfResult;

OfResult<void> check_target(const openflow::Action& action, ActionPlace place) {
    if (const auto* output = std::get_if<openflow::OutputAction>(&action)) {
        if (output->port == port::kTable && place == ActionPlace::flow)
            return ofp_error(BadAction::bad_out_port, "output to TABLE: in packet-outs only");
    } else if (const auto* group = std::get_if<openflow::GroupAction>(&action)) {
        return ofp_error(BadAction::bad_out_group,
                         format("group {}: no such group", group->group.value()));
    } else if (const auto* queue = std::get_if<openflow::SetQueue>(&action)) {
        return ofp_error(BadAction::bad_queue, format("queue {}: no such queue", queue->queue));
    }
    return {};
}

}  // namespace

OfResult<void> check_actions(const openflow::ActionList& actions, ActionPlace place) {
    for (const openflow::Action& action : actions) {
        TRY(openflow::check_action(action));
        TRY(check_target(action, place));
    }
    return {};
}

OfResult<void> check_instructions(const openflow::Instructions& instructions, TableId table,
                                  const openflow::Match& match) {
    if (instructions.meter)
        return ofp_error(BadInstruction::unsup_inst,  // as table-features say
                         format("meter {}: meters are not served", instructions.meter->value()));
    if (instructions.go_to && (*instructions.go_to <= table || *instructions.go_to == kAllTables))
        return ofp_error(BadInstruction::bad_table_id,
                         format("goto_table:{} in table {}: must lead forward, up to 254",
                                instructions.go_to->value(), table.value()));
    for (const auto* list : {&instructions.apply, &instructions.write})
        if (*list) TRY(check_actions(**list, ActionPlace::flow));
    return openflow::check_instructions(instructions, match);
}

}  // namespace raicho::agent
