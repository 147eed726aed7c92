// SPDX-License-Identifier: Apache-2.0
// A configuration text with its name and line starts, and places in it. Everything that points at
// text (tokens, diagnostics, config objects) does so by byte offsets into a Source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace raicho::dsl {

/// A range of bytes in a Source.
struct Span {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    [[nodiscard]] constexpr std::uint32_t end() const { return offset + length; }
    friend bool operator==(const Span&, const Span&) = default;
};

/// The range from the beginning of `first` to the end of `last`.
[[nodiscard]] constexpr Span join(Span first, Span last) {
    return {first.offset, last.end() - first.offset};
}

/// Where an object of the configuration was written; `line` 0 = nowhere (made by a command). All
/// places compare equal: where a thing stands is no part of what it says.
struct Place {
    Span span;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    friend bool operator==(const Place&, const Place&) { return true; }
};

/// Line and column, both from 1; a column counts characters (code points), a tab is one.
struct Position {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
    friend bool operator==(const Position&, const Position&) = default;
};

/// Text and name of one configuration file. Immutable.
class Source {
  public:
    Source(std::string file, std::string text);

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] std::string_view text(Span span) const {
        return text().substr(span.offset, span.length);
    }
    /// Position of a byte; the end of the text is allowed.
    [[nodiscard]] Position position(std::uint32_t offset) const;
    [[nodiscard]] Place place(Span span) const;
    /// The line (from 1) without its line end.
    [[nodiscard]] std::string_view line(std::uint32_t number) const;
    /// Offset of the line's first byte.
    [[nodiscard]] std::uint32_t line_start(std::uint32_t number) const;

  private:
    std::string file_;
    std::string text_;
    std::vector<std::uint32_t> starts_;
    std::vector<std::uint32_t> marks_;  // characters of the line before every 4096th byte
};

}  // namespace raicho::dsl
