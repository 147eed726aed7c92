// SPDX-License-Identifier: Apache-2.0
// What two configuration texts say differently, in JunOS style and as values, and joining two
// people's changes of one text. Order, layout, comments and spelling of values (9k and 9000) make
// no difference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/edit/refusal.h"

namespace raicho::dsl {

/// Lines of the difference, grouped by level, empty when there is none:
///   [edit bridge br0]
///   +  port p3 3 {
///   +      device tap
///   +  }
///   !  inactive: port p2        (`!  active: port p2`)
///   [edit bridge br0 port p1]
///   -  mtu 1500
///   +  mtu 9000
/// Texts with faults are refused, the first of the two first.
[[nodiscard]] OrRefusal<std::string> compare(std::string_view before, std::string_view after);

/// One statement that differs. `path` is as edit commands take it. `before` and `after` are what
/// stands at it: a setting's value, an object's block in canonical form, `inactive` before either
/// where it is; empty where there is nothing, `{ }` for an object that says nothing.
struct Difference {
    std::string path;
    std::string before;
    std::string after;
    friend bool operator==(const Difference&, const Difference&) = default;
};
[[nodiscard]] OrRefusal<std::vector<Difference>> differences(std::string_view before,
                                                             std::string_view after);

/// `mine` and `theirs` both began as `base`.
struct Merged {
    std::string text;                   // canonical; has the changes of both, mine where they meet
    std::vector<Difference> conflicts;  // before: theirs, after: mine
};
/// A conflict is a statement that both changed to different things, or that one changed and the
/// other deleted. Comments of `mine` stay.
[[nodiscard]] OrRefusal<Merged> merge_changes(std::string_view base, std::string_view mine,
                                              std::string_view theirs);

}  // namespace raicho::dsl
