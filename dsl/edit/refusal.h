// SPDX-License-Identifier: Apache-2.0
// Why a tool of dsl/edit did not do what was asked: findings with places, and their printed form.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "dsl/syntax/diagnostic.h"

namespace raicho::dsl {

/// Findings of one source. `rendered` has source lines and carets, as the shell and the log show
/// them.
struct Refusal {
    /// Index of the command at fault where several were given; the findings' places then count
    /// within it. kText: the configuration text itself is at fault.
    static constexpr std::size_t kText = ~std::size_t{0};
    std::size_t command = kText;
    std::vector<Diagnostic> diagnostics{};
    std::string rendered{};
};

template <class T>
using OrRefusal = std::expected<T, Refusal>;

}  // namespace raicho::dsl
