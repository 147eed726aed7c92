// SPDX-License-Identifier: Apache-2.0
// What of instructions, actions and groups only those can judge who know what there is: ports,
// groups, queues, meters and tables (OF 1.3.5 §6.4, §7.4.4). A datapath asks it of a controller's
// message, a configuration's check of a text: both say the same. Bytes and values are text.h's and
// mod_check.h's; what a table can do is the store's.
#pragma once

#include "openflow/action.h"
#include "openflow/error.h"
#include "openflow/match.h"
#include "openflow/message.h"
#include "openflow/targets.h"

namespace raicho::openflow {

/// OFPP_TABLE makes sense in a packet-out only (§4.5).
enum class ActionPlace : std::uint8_t { flow, bucket, packet_out };

/// BadAction::bad_out_port for OFPP_TABLE in a flow or bucket, bad_out_group and bad_queue for what
/// is not among `targets`; and what check_action() refuses. A physical port number that
/// no port has yet is accepted, and packets to it are dropped until one has (§6.4 allows both;
/// controllers install flows before the port comes).
[[nodiscard]] OfResult<void> check_actions(const ActionList& actions, ActionPlace place,
                                           const Targets& targets);

/// Instructions of a flow of `table`: BadInstruction::bad_table_id for a goto that does not lead
/// forward or leads to no table, MeterModFailed::invalid_meter for a number that no meter of a flow
/// can have, MeterModFailed::unknown_meter, check_actions() of both lists, and set-fields that the
/// match does not warrant (text.h).
[[nodiscard]] OfResult<void> check_instructions(const Instructions& instructions, TableId table,
                                                const Match& match, const Targets& targets);

/// A group to add or modify: check_group() of mod_check.h, check_actions() of each bucket,
/// GroupModFailed::bad_watch for a watched group that is not there, GroupModFailed::loop for
/// buckets that lead back to the group.
[[nodiscard]] OfResult<void> check_group(const GroupMod& mod, const Targets& targets);

}  // namespace raicho::openflow
