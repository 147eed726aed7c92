// SPDX-License-Identifier: Apache-2.0
// A text with its `include` statements replaced by what the files say: for whoever hands a file
// over to a program that does not see the same files (lagosh's `load`).
#pragma once

#include <string>

#include "dsl/edit/refusal.h"

namespace raicho::dsl {

/// Reads `path` and everything it includes (dsl/model/check.h, disk_files()). A text without
/// include comes out as it is.
[[nodiscard]] OrRefusal<std::string> read_with_includes(const std::string& path);

}  // namespace raicho::dsl
