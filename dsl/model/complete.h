// SPDX-License-Identifier: Apache-2.0
// Completion and help from the schema table: what may stand at a place of the tree.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/model/schema.h"

namespace raicho::dsl {

/// One possibility. `word` is literal, or a placeholder such as `<name>` that cannot be inserted.
struct Candidate {
    std::string word;
    std::string help;
    [[nodiscard]] bool placeholder() const { return word.starts_with('<'); }
};

/// What may follow the words `path` (`bridge br0 port p1`) and begins with `prefix`; names are
/// taken as given. Empty when the path leads nowhere.
[[nodiscard]] std::vector<Candidate> complete(std::span<const std::string_view> path,
                                              std::string_view prefix);

/// What may follow as the value of a setting after `given` words of it.
[[nodiscard]] std::vector<Candidate> complete_value(const Row& row,
                                                    std::span<const std::string_view> given,
                                                    std::string_view prefix);

/// One-line help of the statement at `path` (`bridge`, `port`, `mtu`: names left out), or empty.
[[nodiscard]] std::string_view help(std::span<const std::string_view> path);

}  // namespace raicho::dsl
