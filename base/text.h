// SPDX-License-Identifier: Apache-2.0
// Small text tools that every printer and parser shares: formatting (fmt), suggestions, natural
// order, numbers as people write them.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace raicho {

using fmt::format;

/// Levenshtein distance with transposition.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` when it is near enough to be meant, else nothing.
[[nodiscard]] std::optional<std::string_view> did_you_mean(
    std::string_view word, std::span<const std::string_view> candidates);

/// Natural order of names: `p2` before `p10`.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

/// Whole text as an unsigned number, decimal or 0x hex; nothing on overflow or rest.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

/// `1234567` as `1,234,567`.
[[nodiscard]] std::string with_thousands(std::uint64_t value);

/// Nanoseconds as `950ms`, `12s`, `3m12s`, `2h05m`, `4d06h`.
[[nodiscard]] std::string age_text(std::uint64_t ns);

/// `aabbcc` of the bytes.
[[nodiscard]] std::string hex_text(std::span<const std::byte> bytes);
/// Bytes of hex digits, blanks skipped; nothing when a character is neither or the count is odd.
[[nodiscard]] std::optional<std::vector<std::byte>> parse_hex(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);
/// Parts between `separator`, empty ones kept.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace raicho
