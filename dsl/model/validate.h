// SPDX-License-Identifier: Apache-2.0
// What concerns several objects of a configuration together: names, numbers and devices that meet,
// limits, flows and the ports they name.
#pragma once

#include "dsl/model/check.h"
#include "dsl/model/config.h"
#include "dsl/syntax/diagnostic.h"

namespace raicho::dsl {

void validate(const Config& config, Diagnostics& diagnostics);
/// Asks the checker about every flow text; `config` must have passed validate().
void validate_entries(const Config& config, const FlowChecker& flows, Diagnostics& diagnostics);

}  // namespace raicho::dsl
