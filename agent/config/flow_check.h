// SPDX-License-Identifier: Apache-2.0
// The codec's eyes for the language: dsl may not include openflow. Neighbour: entries.h compares
// the entries of two configurations.
#pragma once

#include "dsl/model/check.h"

namespace raicho::agent::config {

/// Judges flows, groups and meters as the datapath will (openflow/entry_judge.h).
[[nodiscard]] dsl::FlowChecker flow_checker();

}  // namespace raicho::agent::config
