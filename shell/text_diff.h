// SPDX-License-Identifier: Apache-2.0
// Lines that two texts have differently, in the unified form of diff(1).
#pragma once

#include <string>
#include <string_view>

namespace raicho::shell {

/// Empty when the texts are equal.
[[nodiscard]] std::string text_diff(std::string_view before, std::string_view after,
                                    std::string_view before_name, std::string_view after_name);

}  // namespace raicho::shell
