// SPDX-License-Identifier: Apache-2.0
// What of instructions and actions only a datapath can judge: ports, groups, queues, meters and
// tables (OF 1.3.5 §6.4, §7.4.4). Bytes and values are the codec's; what a table can do is the
// store's.
#pragma once

#include "agent/model/targets.h"
#include "openflow/action.h"
#include "openflow/error.h"
#include "openflow/match.h"

namespace raicho::agent {

/// OFPP_TABLE makes sense in a packet-out only (§4.5).
enum class ActionPlace : std::uint8_t { flow, bucket, packet_out };

/// BadAction::bad_out_port for OFPP_TABLE in a flow or bucket, bad_out_group and bad_queue for what
/// is not among `targets`; and what openflow::check_action() refuses. A physical port number that
/// no port has yet is accepted, and packets to it are dropped until one has (§6.4 allows both;
/// controllers install flows before the port comes).
[[nodiscard]] openflow::OfResult<void> check_actions(const openflow::ActionList& actions,
                                                     ActionPlace place, const Targets& targets);

/// Instructions of a flow of `table`: BadInstruction::bad_table_id for a goto that does not lead
/// forward or leads to no table, MeterModFailed::invalid_meter for a number that no meter of a flow
/// can have, MeterModFailed::unknown_meter, check_actions() of both lists, and set-fields that the
/// match does not warrant (openflow::check_instructions).
[[nodiscard]] openflow::OfResult<void> check_instructions(
    const openflow::Instructions& instructions, TableId table, const openflow::Match& match,
    const Targets& targets);

}  // namespace raicho::agent
