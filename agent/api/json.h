// SPDX-License-Identifier: Apache-2.0
// The API's JSON: a writer for answers and a strict reader for request bodies. json.cc is the only
// file of the agent that sees RapidJSON. What RapidJSON lets pass and we refuse: deep nesting (it
// would recurse), duplicate keys, integers beyond 64 bits, text after the end.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace raicho::agent::api {

/// Writes one JSON document into a string. Misnesting is our own bug and asserts. Bytes that are
/// no UTF-8 become U+FFFD.
class JsonWriter {
  public:
    JsonWriter();
    ~JsonWriter();
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);
    JsonWriter& text(std::string_view value);
    JsonWriter& number(std::uint64_t value);
    JsonWriter& real(double value);
    JsonWriter& boolean(bool value);
    JsonWriter& null();

    /// Key and value of an object's member.
    JsonWriter& field(std::string_view name, std::string_view value) {
        return key(name).text(value);
    }
    JsonWriter& field(std::string_view name, const char* value) { return key(name).text(value); }
    template <std::unsigned_integral T>
    JsonWriter& field(std::string_view name, T value) {
        if constexpr (std::same_as<T, bool>)
            return key(name).boolean(value);
        else
            return key(name).number(value);
    }

    /// The document; the writer is empty afterwards and may be used again.
    [[nodiscard]] std::string take();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct JsonMember;

/// A JSON value of a request body.
struct JsonValue {
    using Array = std::vector<JsonValue>;
    using Object = std::vector<JsonMember>;  // in the order of the text, no key twice
    std::variant<std::nullptr_t, bool, std::uint64_t, std::int64_t, double, std::string, Array,
                 Object>
        value;

    /// The member of an object, or nullptr.
    [[nodiscard]] const JsonValue* find(std::string_view name) const;
    /// The string, or nullptr when the value is none.
    [[nodiscard]] const std::string* as_text() const { return std::get_if<std::string>(&value); }
};

/// A member of an object.
struct JsonMember {
    std::string name;
    JsonValue value;
};

struct JsonLimits {
    std::size_t max_size = 8u << 20;  // bytes
    std::size_t max_depth = 32;
};

/// Where a body is wrong; line and column start at 1, the column counts bytes.
struct JsonError {
    std::string text;
    std::size_t line = 1;
    std::size_t column = 1;
};

/// The one value that `text` is. Nothing but white space may follow it.
[[nodiscard]] std::expected<JsonValue, JsonError> parse_json(std::string_view text,
                                                             const JsonLimits& limits = {});

}  // namespace raicho::agent::api
