// SPDX-License-Identifier: Apache-2.0
// The three forms of a configuration (braces, `set` commands, JSON) and the layout of the first.
// Each can say everything but comments, which only the first has: define, include and inactive
// travel. From one form to another and back is the identity on canonical text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dsl/edit/refusal.h"

namespace raicho::dsl {

enum class Form : std::uint8_t { conf, set, json };

/// `conf`, `set`, `json`, or nothing.
[[nodiscard]] std::optional<Form> form_by_name(std::string_view name);
/// What the text looks like: json begins with `{`, set has only commands.
[[nodiscard]] Form guess_form(std::string_view text);

/// The text in another form. Unknown statements and values that cannot be are refused; what
/// concerns several objects is not judged. conf to conf is the canonical text: lists of objects
/// taken apart, one statement a line, equal objects joined, comments kept.
[[nodiscard]] OrRefusal<std::string> convert(std::string_view text, std::string_view file,
                                             Form from, Form to);

/// The same statements, comments and values as written, laid out: one statement a line, four
/// blanks a level, blocks on one line stay there when they fit. Only syntax is judged.
/// fmt(fmt(x)) == fmt(x).
[[nodiscard]] OrRefusal<std::string> fmt(std::string_view text, std::string_view file);

/// What stands at `path` in a text, in a form; set commands carry the whole path. Empty path: all.
/// Nothing there: an empty text. A path that cannot be is refused.
[[nodiscard]] OrRefusal<std::string> subtree(std::string_view text, std::string_view path,
                                             Form form);

}  // namespace raicho::dsl
