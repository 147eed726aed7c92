// SPDX-License-Identifier: Apache-2.0
// Aligned columns and colours. Widths count terminal cells, so that names with wide characters
// stay in line; colour is added after aligning and only where it is wanted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace raicho::shell {

enum class Colour : std::uint8_t { none, good, bad, dim, bold };
enum class Colours : bool { off, on };

/// Terminal cells of UTF-8 text.
[[nodiscard]] std::size_t text_width(std::string_view text);

/// Terminal cells of text with colours in it.
[[nodiscard]] std::size_t shown_width(std::string_view text);
/// As much of `text`, which may have colours, as fits into `width` cells.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t width);

/// `text` between the escapes of a colour, or as it is.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour, Colours colours);

enum class Align : bool { left, right };

struct Cell {
    Cell(std::string cell_text, Colour cell_colour = Colour::none)  // NOLINT: reads as its text
        : text(std::move(cell_text)), colour(cell_colour) {}
    Cell(const char* cell_text) : text(cell_text) {}       // NOLINT: the same
    Cell(std::string_view cell_text) : text(cell_text) {}  // NOLINT: the same
    std::string text;
    Colour colour = Colour::none;
};

/// Rows of cells, two blanks between columns, none at the end of a line.
class Columns {
  public:
    explicit Columns(std::vector<Align> alignment, Colours colours = Colours::off)
        : alignment_(std::move(alignment)), colours_(colours), widths_(alignment_.size()) {}

    /// As many cells as columns, or fewer.
    void row(std::vector<Cell> cells);
    /// Every line begins with `indent`.
    [[nodiscard]] std::vector<std::string> lines(std::string_view indent = {}) const;
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    /// A line in the widths of the rows so far, for rows that are not kept.
    [[nodiscard]] std::string line(const std::vector<Cell>& cells,
                                   std::string_view indent = {}) const;

  private:
    std::vector<Align> alignment_;
    Colours colours_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace raicho::shell
