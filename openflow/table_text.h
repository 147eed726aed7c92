// SPDX-License-Identifier: Apache-2.0
// The printed form of table features and of the lists in them.
#pragma once

#include <string>

#include "openflow/table.h"

namespace raicho::openflow {

/// `table=0,name="",…,instructions=[goto_table],…`.
[[nodiscard]] std::string table_features_text(const TableFeatures& features);

/// `[goto_table,meter]`, `[1-254]`, `[output,group]`, `[in_port,ipv4_src/mask]`.
[[nodiscard]] std::string list_text(InstructionSet set);
[[nodiscard]] std::string list_text(const TableSet& set);
[[nodiscard]] std::string list_text(ActionKinds kinds);
[[nodiscard]] std::string list_text(FieldSet set);

}  // namespace raicho::openflow
