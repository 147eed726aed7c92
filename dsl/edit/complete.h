// SPDX-License-Identifier: Apache-2.0
// What may follow while an edit command is typed: words of the schema and names of the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/model/complete.h"

namespace raicho::dsl {

enum class EditVerb : std::uint8_t { set, remove, edit, show, activate, deactivate };

/// Candidates for the next word after `words` (already split, the edit level `at` not in them)
/// that begin with `prefix`. set and edit offer the schema and, for names, those that exist and
/// the placeholder; the others only what stands in `text`. Empty when the words lead nowhere. A
/// candidate `<enter>` says that the command may end here.
[[nodiscard]] std::vector<Candidate> complete_edit(std::string_view text, EditVerb verb,
                                                   std::string_view at,
                                                   std::span<const std::string_view> words,
                                                   std::string_view prefix);

}  // namespace raicho::dsl
