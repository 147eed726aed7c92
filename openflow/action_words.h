// SPDX-License-Identifier: Apache-2.0
// One action of a flow text. Neighbour: action_parser.h has the instructions around it.
#pragma once

#include "openflow/match_parser.h"

namespace raicho::openflow {

/// The action an item means: a word of the table in action_words.cc, a port by name or number, or
/// `FIELD:VALUE` for a set-field.
[[nodiscard]] Parsed<Action> parse_action(const Item& item, const FlowProtocol& protocol,
                                          const PortByName& ports);

}  // namespace raicho::openflow
