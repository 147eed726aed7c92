// SPDX-License-Identifier: Apache-2.0
// Tokens to the lossless tree, by recursive descent. Goes on after each fault at the next `;`,
// line end or `}`, so that one run finds all of them.
#pragma once

#include <cstddef>
#include <memory>

#include "dsl/syntax/diagnostic.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// Blocks inside blocks; deeper ones are reported once and skipped.
inline constexpr std::size_t kMaxDepth = 32;
/// Bytes of a text; a larger one is refused whole.
inline constexpr std::size_t kMaxTextSize = std::size_t{64} << 20;

/// Parses any bytes, those of one file of the source. `source` is kept by the tree and by whoever
/// reads `diagnostics`.
[[nodiscard]] Tree parse(std::shared_ptr<const Source> source, Diagnostics& diagnostics,
                         std::size_t part = 0);

}  // namespace raicho::dsl
