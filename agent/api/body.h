// SPDX-License-Identifier: Apache-2.0
// The JSON object that a request brings: members by name and kind, everything else refused.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/http.h"
#include "agent/api/json.h"
#include "agent/api/problem.h"

namespace raicho::agent::api {

class Body {
  public:
    enum class Kind { text, number, texts };
    struct Member {
        std::string_view name;
        Kind kind = Kind::text;
        enum class Needed : bool { no, yes } needed = Needed::no;
    };

    /// A missing body is `{}`. Refused: another content type, no JSON, unknown members, members of
    /// another kind, missing ones.
    [[nodiscard]] static std::expected<Body, Problem> read(const Request& request,
                                                           std::span<const Member> members);

    /// Empty when it is not there.
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;

  private:
    explicit Body(JsonValue value) : value_(std::move(value)) {}
    JsonValue value_;
};

}  // namespace raicho::agent::api
