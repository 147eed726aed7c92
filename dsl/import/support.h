// SPDX-License-Identifier: Apache-2.0
// What of the language this version of the switch can do, as an importer asks.
#pragma once

#include <string_view>

#include "dsl/model/schema.h"

namespace raicho::dsl {

/// Whether the statement `name` within `parent` is more than known by name.
[[nodiscard]] inline bool is_supported(std::string_view parent, std::string_view name) {
    const Row* row = find(parent, name);
    return row != nullptr && row->support == Support::yes;
}

}  // namespace raicho::dsl
