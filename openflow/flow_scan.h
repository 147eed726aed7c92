// SPDX-License-Identifier: Apache-2.0
// The words of a flow text with their places: `name`, `name=value`, `name:value`, `name(value)`,
// parted by commas and blanks. Neighbours: match_parser.h, action_parser.h, flow_parser.cc.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "openflow/text.h"

namespace raicho::openflow {

template <class T>
using Parsed = std::expected<T, FlowTextError>;

/// A piece of the text and where it begins in it.
struct Word {
    std::string_view text;
    std::size_t offset = 0;

    [[nodiscard]] Word part(std::size_t from, std::size_t length = std::string_view::npos) const {
        return {text.substr(from, length), offset + from};
    }
};

/// The error at a word.
[[nodiscard]] std::unexpected<FlowTextError> wrong(const Word& at, std::string text,
                                                   std::string hint = {});

/// One item; `separator` is what stood between name and value, 0 for a bare name.
struct Item {
    Word name;
    char separator = 0;
    Word value;
    Word whole;
};

/// Takes items off the front of a text.
class ItemScanner {
  public:
    explicit ItemScanner(Word text) : rest_(text) {}

    /// The next item; nothing at the end. An error where brackets do not match.
    [[nodiscard]] Parsed<std::optional<Item>> next();
    /// What has not been taken.
    [[nodiscard]] const Word& rest() const { return rest_; }

  private:
    Word rest_;
};

/// The value as a number of at most `max`: `priority: "9x" is not a number`.
[[nodiscard]] Parsed<std::uint64_t> number(const Item& item, std::uint64_t max);
/// The same for a part of an item's value.
[[nodiscard]] Parsed<std::uint64_t> number(std::string_view name, const Word& value,
                                           std::uint64_t max);

/// A port by number, reserved name or the caller's names.
[[nodiscard]] Parsed<PortNo> port(const Word& value, const PortByName& ports);
/// The reserved port of that name in any case, or nothing.
[[nodiscard]] std::optional<PortNo> reserved_port(std::string_view name);

[[nodiscard]] std::string lower(std::string_view text);

/// `did you mean "priority"?`, or nothing when no name is near.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string_view> names);

}  // namespace raicho::openflow
