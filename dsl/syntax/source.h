// SPDX-License-Identifier: Apache-2.0
// A configuration text with its name and line starts, and places in it. Everything that points at
// text (tokens, diagnostics, config objects) does so by byte offsets into a Source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// Text and name of a configuration file, and of the files it includes: their bytes follow each
/// other in one space of offsets, so that a Span says which file as well. Immutable but for add().
class Source {
  public:
    Source(std::string file, std::string text);

    /// A further file; the value is its index. There must be room().
    std::size_t add(std::string file, std::string text);
    /// Bytes that may still be added.
    [[nodiscard]] std::size_t room() const;

    /// The first file's name and text.
    [[nodiscard]] const std::string& file() const { return parts_.front()->file; }
    [[nodiscard]] std::string_view text() const { return parts_.front()->text; }
    /// Text of the file with that index, and the offset of its first byte.
    [[nodiscard]] std::string_view text_of(std::size_t part) const { return parts_[part]->text; }
    [[nodiscard]] std::uint32_t base_of(std::size_t part) const { return parts_[part]->base; }

    /// Name of the file the span is in.
    [[nodiscard]] const std::string& file(Span span) const { return part(span.offset).file; }
    [[nodiscard]] std::string_view text(Span span) const;
    /// Position of a byte in its file; the end of a text is allowed.
    [[nodiscard]] Position position(std::uint32_t offset) const;
    [[nodiscard]] Place place(Span span) const;
    /// `FILE:LINE:COL`.
    [[nodiscard]] std::string where(Span span) const;
    /// The line a byte is in, without its line end, and the offset of the line's first byte.
    [[nodiscard]] std::string_view line_at(std::uint32_t offset) const;
    [[nodiscard]] std::uint32_t line_start(std::uint32_t offset) const;

  private:
    struct Part {
        std::string file;
        std::string text;
        std::uint32_t base = 0;
        std::vector<std::uint32_t> starts{};  // of lines, from the part's begin
        std::vector<std::uint32_t> marks{};   // characters of the line before every 4096th byte
    };
    [[nodiscard]] const Part& part(std::uint32_t offset) const;
    std::vector<std::unique_ptr<const Part>> parts_;
};

}  // namespace raicho::dsl
