// SPDX-License-Identifier: Apache-2.0
// The text form of flows and messages: what `show flow` prints, what the configuration language's
// ovs-ofctl lines mean, what logs and vectors show.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "openflow/message.h"

namespace raicho::openflow {

/// `in_port=1,eth_dst=08:00:27:e2:53:5a`; empty for a match of everything.
[[nodiscard]] std::string to_text(const Match& match);
/// `output:2,goto_table:3`, `drop` for none; write_actions(...), clear_actions, meter:N,
/// write_metadata:V/M as ovs-ofctl writes them.
[[nodiscard]] std::string to_text(const Instructions& instructions);
[[nodiscard]] std::string to_text(const Action& action);
/// One line: `FLOW_MOD ADD table=0,priority=1,…`.
[[nodiscard]] std::string to_text(const Message& message);
/// The same with the transaction: `FLOW_MOD xid=0x5 ADD table=0,priority=1,…`.
[[nodiscard]] std::string to_text(const Message& message, std::uint32_t xid);
/// `FLOW_MOD`; `message type 99` of an unknown number.
[[nodiscard]] std::string message_type_name(std::uint8_t type);
/// `in_port=1,eth_dst=08:00:27:e2:53:5a` is made of these.
[[nodiscard]] std::string to_text(const MatchField& field);
/// `1`, `LOCAL`, `CONTROLLER`, …
[[nodiscard]] std::string to_text(PortNo port);
/// `group_id=1,type=select,bucket=weight:2,watch_port:1,actions=output:1`; parse_group() reads it.
[[nodiscard]] std::string to_text(const GroupDesc& desc);
/// `weight:2,watch_port:1,actions=output:1`.
[[nodiscard]] std::string to_text(const Bucket& bucket);
/// `meter=1 kbps burst bands=type=drop rate=1000 burst_size=10`; parse_meter() reads it.
[[nodiscard]] std::string to_text(const MeterConfig& config);
/// `type=drop rate=1000 burst_size=10`.
[[nodiscard]] std::string to_text(const MeterBand& band);
/// `7`, `all`, `any`.
[[nodiscard]] std::string to_text(GroupId group);
/// `7`, `controller`, `slowpath`, `all`.
[[nodiscard]] std::string to_text(MeterId meter);
/// The value as people write that field: `10.0.0.1`, `0x0800`, `100` for a tagged vlan_vid.
[[nodiscard]] std::string value_text(Field field, const FieldValue& value);

/// Where a flow text is wrong.
struct FlowTextError {
    std::string text;        // `unknown field "prioriti"`
    std::string hint;        // `did you mean "priority"?`
    std::size_t offset = 0;  // bytes into the text
    std::size_t length = 1;
};
/// Resolves a port name to its number, nothing when unknown. May be empty.
using PortByName = std::function<std::optional<PortNo>(std::string_view)>;

/// What parse_flow() judges: everything, or only what cannot be said in a message at all. Then
/// missing prerequisites and actions that do not fit are for check_match() and those who receive
/// it.
enum class FlowRules : bool { all, spelling };

/// Parses ovs-ofctl syntax (`table=0,priority=9,ip,nw_dst=10.0.0.0/8 actions=dec_ttl,output:2`):
/// protocol words add their prerequisites; explicit prerequisites that are missing are an error
/// with the remedy; CIDR and value/mask both work. The result is a FlowMod with command add.
[[nodiscard]] std::expected<FlowMod, FlowTextError> parse_flow(std::string_view text,
                                                               const PortByName& ports,
                                                               FlowRules rules = FlowRules::all);

/// Checks prerequisites, value-outside-mask bits and ranges of a match (OF 1.3.5 §7.2.3.6 to
/// §7.2.3.8): BAD_PREREQ, BAD_VALUE, BAD_WILDCARDS. decode() calls it.
[[nodiscard]] OfResult<void> check_match(const Match& match);
/// Checks one action on its own: BAD_SET_TYPE, BAD_SET_ARGUMENT, BAD_ARGUMENT (an ethertype no tag
/// can have), BAD_OUT_PORT (a number that is no port of any switch). decode() calls it for
/// packet-out.
[[nodiscard]] OfResult<void> check_action(const Action& action);
/// Checks an apply list against the match of its flow: check_action() for each and
/// MATCH_INCONSISTENT for a set-field whose prerequisites neither the match nor an earlier action
/// provides (OF 1.3.5 §5.12, §7.2.5).
[[nodiscard]] OfResult<void> check_actions(const ActionList& actions, const Match& match);
/// Checks both lists: the write list runs after the apply list, its set-fields after its pushes
/// (OF 1.3.5 §5.10). decode() calls it for flow-mods that add or modify.
[[nodiscard]] OfResult<void> check_instructions(const Instructions& instructions,
                                                const Match& match);

}  // namespace raicho::openflow
