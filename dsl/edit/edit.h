// SPDX-License-Identifier: Apache-2.0
// Changing a configuration text by commands, in JunOS manners: set, delete, activate, deactivate
// at a path. Text in, text out: comments and what is inactive stay, the result is laid out as
// fmt() does it. A result may be incomplete (a flow without actions yet): check.h judges it.
// Neighbours: forms.h writes a whole text as `set` commands, complete.h says what may follow.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dsl/edit/refusal.h"

namespace raicho::dsl {

/// Carries out all commands, or none. A command is one of
///   set PATH [VALUE...]    makes objects on the way; adds to a list, replaces other values
///   delete PATH [VALUE]    an object, a setting, or one member of a list
///   deactivate PATH        keeps the statement and takes it out of force
///   activate PATH          undoes that
///   rename PATH to NAME    gives an object another name
/// PATH is words as in the text with blocks left out (`bridge br0 port p1 mtu`), quoted where the
/// text would quote. `at` is a path that goes before every command's (the shell's `edit` level).
/// A port's number is the setting `number`; `set bridge br0 port p1 1` says the same. Braces at
/// the end are taken too: `set bridge br0 port p1 { device tap; mtu 1400 }`.
/// Names, words, types and ranges are judged at once, with did-you-mean; what concerns several
/// objects is not. Empty commands and comments do nothing.
[[nodiscard]] OrRefusal<std::string> edit(std::string_view text,
                                          std::span<const std::string> commands,
                                          std::string_view at = {});

/// Whether an `edit` level may be entered: `path` leads to an object by the schema; it need not
/// exist yet. The value is the path in canonical form.
[[nodiscard]] OrRefusal<std::string> edit_level(std::string_view path, std::string_view at = {});

/// The path one block up (`bridge br0 port p1` to `bridge br0`), or empty.
[[nodiscard]] std::string level_up(std::string_view path);

}  // namespace raicho::dsl
