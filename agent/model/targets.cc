// SPDX-License-Identifier: Apache-2.0
#include "agent/model/targets.h"

#include "base/text.h"

namespace raicho::agent {

std::string Targets::why_no(TableId table) const {
    if (table.value() < share.n_tables)
        return format("table {}: taken out by table features", table.value());
    return format("table {}: the bridge has {} tables", table.value(), share.n_tables);
}

}  // namespace raicho::agent
