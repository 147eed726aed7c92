// SPDX-License-Identifier: Apache-2.0
// What a flow text means, as the configuration's lints ask (dsl may not see openflow).
#pragma once

#include "dsl/model/lint.h"

namespace raicho::shell {

[[nodiscard]] dsl::FlowFactsOf flow_facts();

}  // namespace raicho::shell
