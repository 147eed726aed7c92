// SPDX-License-Identifier: Apache-2.0
// JSON as the language needs it (RFC 8259): read with places, strings written. No comments, no
// trailing commas, no duplicate members, nesting limited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/syntax/diagnostic.h"

namespace raicho::dsl {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

struct JsonValue {
    JsonKind kind = JsonKind::null;
    Span span;
    std::string text{};              // of a string; digits of a number as written; `true`
    std::vector<JsonValue> items{};  // of an array; of an object its members
    std::string name{};              // of a member
    Span name_span{};
};

/// The one value a text holds; nothing when a fault was reported.
[[nodiscard]] std::optional<JsonValue> read_json(const Source& source, Diagnostics& diagnostics);

/// A string with its quotes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace raicho::dsl
