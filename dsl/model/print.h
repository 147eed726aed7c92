// SPDX-License-Identifier: Apache-2.0
// The canonical text of a configuration: what running.conf holds and `show configuration` prints.
// check(print(config)).config == config for every valid config.
#pragma once

#include <string>
#include <string_view>

#include "dsl/model/config.h"

namespace raicho::dsl {

/// Objects in natural order of name, statements in the schema's order, defaults left out.
[[nodiscard]] std::string print(const Config& config);
[[nodiscard]] std::string print(const BridgeConfig& bridge);

}  // namespace raicho::dsl
