// SPDX-License-Identifier: Apache-2.0
// The forms of a text to and from statements. Neighbours: forms.h is the door for texts,
// set_form.cc and json_form.cc do one form each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/edit/document.h"
#include "dsl/edit/forms.h"
#include "dsl/edit/scheme.h"

namespace raicho::dsl {

/// Statements of a text, judged; they stand at `level`.
[[nodiscard]] OrRefusal<Document> read_form(std::string_view text, std::string_view file, Form form,
                                            Level level = nullptr);

/// Commands that make the statements (canonical, numbers as settings), each line with `before` (a
/// path with a blank behind it, or nothing) in its path.
[[nodiscard]] std::string to_set(const std::vector<Node>& nodes, Level level,
                                 const std::string& before = {});
/// The same as a JSON object, with a line end.
[[nodiscard]] std::string to_json(const std::vector<Node>& nodes, Level level);
/// Statements of a JSON text; faults are reported.
[[nodiscard]] std::vector<Node> from_json(const Source& source, Level level,
                                          Diagnostics& diagnostics);

/// Where the words of a path lead by the schema: the level of its last object, as far as it goes.
[[nodiscard]] Level level_at(std::span<const Value> words);

}  // namespace raicho::dsl
