// SPDX-License-Identifier: Apache-2.0
// Numbers with units: sizes, rates, times and plain ones, from a word to a number within the row's
// limits and back. Neighbour: value.h has the other types.
#pragma once

#include <cstdint>
#include <string>

#include "dsl/model/schema.h"
#include "dsl/model/value.h"

namespace raicho::dsl {

/// Bytes, bits a second, seconds, milliseconds or a count, as the row's type says; the fault tells
/// the limits.
[[nodiscard]] ValueResult<std::uint64_t> parse_quantity(const Row& row, const Value& value);
/// A number within limits, with its multiplier.
[[nodiscard]] ValueResult<std::uint64_t> parse_limited(const Value& value, std::string_view what,
                                                       Range range);
/// Canonical text of one: `512M`, `100k`, `30s`, `500ms`.
[[nodiscard]] std::string quantity_text(const Row& row, std::uint64_t value);
/// `allowed: 1 to 65535`
[[nodiscard]] std::string range_help(const Row& row);

}  // namespace raicho::dsl
