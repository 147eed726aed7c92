// SPDX-License-Identifier: Apache-2.0
// A text that stands for itself: what `include` and `define` mean in their place.
#pragma once

#include <string>

#include "dsl/edit/refusal.h"
#include "dsl/model/include.h"

namespace raicho::dsl {

/// Statements of included files in the place of each `include`, values of definitions in the place
/// of their names. Comments stay, and what is inactive as it is. Without `files` an include is
/// refused. Only syntax and references are judged.
[[nodiscard]] OrRefusal<std::string> expand(std::string text, std::string file,
                                            const FileReader& files = {});
/// The same of a file and of what it includes from the disk: for whoever hands a file to a program
/// that does not see the same files (lagosh's `load`).
[[nodiscard]] OrRefusal<std::string> read_expanded(const std::string& path);

}  // namespace raicho::dsl
