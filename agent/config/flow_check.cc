// SPDX-License-Identifier: Apache-2.0
#include "agent/config/flow_check.h"

#include "dsl/model/checker_by.h"
#include "openflow/entry_judge.h"

namespace raicho::agent::config {

dsl::FlowChecker flow_checker() {
    return dsl::checker_by<openflow::EntryJudge>();
}

}  // namespace raicho::agent::config
