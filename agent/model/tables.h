// SPDX-License-Identifier: Apache-2.0
// The flow tables as a pipeline: what they can do, which there are, how large each may grow
// (OF 1.3.5 §7.3.3, §7.3.5.5). The setup lies with the plane.
#pragma once

#include <vector>

#include "agent/model/plane.h"
#include "agent/model/targets.h"
#include "openflow/message.h"

namespace raicho::agent {

/// What all tables of a datapath can do alike.
struct TableAbility {
    std::size_t n_tables = kTables;  // of the bridge
    std::uint32_t max_entries = 0;
    bool groups = false;
    bool meters = false;
};

/// Every table of the pipeline with all it can do. The _miss twins are left out: they are the same
/// (§7.3.5.5.2).
[[nodiscard]] std::vector<openflow::TableFeatures> table_features(const TableAbility& ability,
                                                                  const Plane& plane);

/// Makes the pipeline what the request lists: tables that it does not list are taken out, names and
/// sizes are kept, and the tables go on to do all they can, at least what was asked (§7.3.5.5).
/// An error changes nothing: TableFeaturesFailed bad_table (no such table, listed twice),
/// bad_type (a property twice), bad_argument (more than the tables can do, unknown config bits).
[[nodiscard]] openflow::OfResult<void> set_table_features(
    const std::vector<openflow::TableFeatures>& wanted, const TableAbility& ability, Plane& plane);

/// There is nothing that a table-mod could change in 1.3. Errors: TableModFailed bad_table,
/// bad_config.
[[nodiscard]] openflow::OfResult<void> modify_table(const openflow::TableMod& mod,
                                                    const Targets& targets);

}  // namespace raicho::agent
