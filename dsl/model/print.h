// SPDX-License-Identifier: Apache-2.0
// The canonical text of a configuration: what running.conf holds and `show configuration` prints.
// Reading it back gives the same configuration, bridges and ports in natural order of name.
#pragma once

#include <string>
#include <string_view>

#include "dsl/model/config.h"

namespace raicho::dsl {

/// Objects in natural order of name, statements in the schema's order, defaults left out.
[[nodiscard]] std::string print(const Config& config);
[[nodiscard]] std::string print(const BridgeConfig& bridge);

}  // namespace raicho::dsl
