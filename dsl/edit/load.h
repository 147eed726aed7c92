// SPDX-License-Identifier: Apache-2.0
// One configuration text into another: what `load merge|replace|override|set` makes of a
// candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dsl/edit/refusal.h"

namespace raicho::dsl {

enum class LoadMode : std::uint8_t {
    merge,         // objects are joined, settings of the loaded text win, lists grow
    replace,       // what stands at the top of the loaded text (each bridge by name) goes in whole
    override_all,  // the loaded text instead of the old one
    set,           // the loaded text is edit commands
};
/// `merge`, `replace`, `override`, `set`.
[[nodiscard]] std::optional<LoadMode> load_mode_by_name(std::string_view name);

/// `text` may be in any form of forms.h, `file` names it in findings; `at` is the edit level it
/// is meant relative to (empty: the top). Syntax, names and values of `text` are judged, what
/// concerns several objects is not. Comments of both sides stay.
[[nodiscard]] OrRefusal<std::string> load(std::string_view base, LoadMode mode,
                                          std::string_view text, std::string_view file,
                                          std::string_view at = {});

}  // namespace raicho::dsl
