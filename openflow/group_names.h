// SPDX-License-Identifier: Apache-2.0
// Which groups are named by what: the edges of the graph that must have no loop (OF 1.3.5 §6.7).
#pragma once

#include <vector>

#include "openflow/action.h"
#include "openflow/group.h"

namespace raicho::openflow {

/// The groups that the actions send to, each once.
[[nodiscard]] std::vector<GroupId> groups_of(const ActionList& actions);
/// The groups of both lists, each once.
[[nodiscard]] std::vector<GroupId> groups_of(const Instructions& instructions);
/// The groups that the buckets send to, each once.
[[nodiscard]] std::vector<GroupId> sent_to(const Buckets& buckets);
/// The same with the groups whose liveness they look at: both kinds can make a loop.
[[nodiscard]] std::vector<GroupId> named_by(const Buckets& buckets);

}  // namespace raicho::openflow
