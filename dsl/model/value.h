// SPDX-License-Identifier: Apache-2.0
// Values of settings: from the tree's words to typed values by the schema row, and back to
// canonical text.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/addr.h"
#include "dsl/model/schema.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// What is wrong with a value, where, and what to do.
struct ValueFault {
    Span span;
    std::string text;
    std::string help;
};
template <class T>
using ValueResult = std::expected<T, ValueFault>;

[[nodiscard]] inline std::unexpected<ValueFault> fault(Span span, std::string text,
                                                       std::string help = {}) {
    return std::unexpected(ValueFault{span, std::move(text), std::move(help)});
}

/// The value of a setting from what follows its keyword. `keyword` is where to point at when
/// there is nothing. Types words, cores and prefix take lists; device is parse_device()'s.
[[nodiscard]] ValueResult<Parsed> parse_value(const Row& row, const Value& keyword,
                                              std::span<const Value> values);
/// Canonical text of a value, quoted where it must be; empty for a flag.
[[nodiscard]] std::string format_value(const Row& row, const Parsed& value);

/// `10.0.0.1/8`, `2001:db8::1/64`; the address as given, nothing masked away.
[[nodiscard]] std::optional<Prefix> parse_prefix(std::string_view text);

/// `tcp:HOST[:PORT]`; IPv6 in brackets.
struct Endpoint {
    std::string host;
    std::uint16_t port = kOpenFlowPort;
};
[[nodiscard]] ValueResult<Endpoint> parse_endpoint(const Value& value);

/// Whether a flow statement's value is a flow text and not a name.
[[nodiscard]] bool looks_like_flow(const Value& value);
/// Whether the word that names an object of the row is a whole flow, group or meter as ovs-ofctl
/// text.
[[nodiscard]] bool is_entry_text(const Row& row, const Value& value);
/// The number that such a text gives its group or meter.
[[nodiscard]] ValueResult<std::string> entry_number(const Row& row, const Value& value);
/// Canonical text of the word that names an object of the row: a name, `tcp:10.0.0.1:6653`, a
/// number, also that of a group's or meter's text, a MAC address, a flow text as it is.
[[nodiscard]] ValueResult<std::string> parse_key(const Row& row, const Value& value);

/// A name: 1 to `longest` letters, digits, `-`, `_`, `.`, the first one a letter, digit or `_`.
[[nodiscard]] ValueResult<std::string> parse_name(const Value& value, std::string_view what,
                                                  std::size_t longest);

/// `did you mean "x"?` when one is near enough, else `allowed: a, b, c`.
[[nodiscard]] std::string suggest(std::string_view word, std::span<const std::string_view> allowed,
                                  std::string_view list_label = "allowed");

}  // namespace raicho::dsl
