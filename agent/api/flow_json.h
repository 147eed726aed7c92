// SPDX-License-Identifier: Apache-2.0
// A flow entry as one JSON object: the text form of match and actions (what ovs-ofctl users know)
// beside the same by name, for programs.
#pragma once

#include <string_view>

#include "agent/api/json.h"
#include "agent/model/types.h"
#include "openflow/action.h"
#include "openflow/match.h"

namespace raicho::agent::api {

/// Everything of one flow entry, as read from its store.
struct FlowEntry {
    FlowHead head;
    FlowCount count;
    openflow::Match match;
    openflow::Instructions instructions;
};

/// Writes the actions as an array of objects under `key`.
void write_actions(JsonWriter& json, const char* key, const openflow::ActionList& actions);

/// Writes the object; ages are counted until `now`.
void write_flow(JsonWriter& json, std::string_view bridge, const FlowEntry& flow, Time now);

}  // namespace raicho::agent::api
