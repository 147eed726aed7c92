// SPDX-License-Identifier: Apache-2.0
// Reading a `flow` statement in both forms into ovs-ofctl text with a map back to the source.
#pragma once

#include <optional>

#include "dsl/model/config.h"
#include "dsl/model/scope.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// `flow "text"` or `flow NAME { ... }`; nothing when a fault was reported.
[[nodiscard]] std::optional<FlowConfig> read_flow(const Statement& statement, Scopes& scopes);

/// The ovs-ofctl text of a named flow.
[[nodiscard]] std::string flow_text(const FlowParts& parts);

}  // namespace raicho::dsl
