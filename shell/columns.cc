// SPDX-License-Identifier: Apache-2.0
#include "shell/columns.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "dsl/syntax/utf8.h"

namespace raicho::shell {

std::size_t text_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const dsl::Character character = dsl::first_character(text);
        width += static_cast<std::size_t>(dsl::display_width(character.code));
        text.remove_prefix(character.size);
    }
    return width;
}

std::string coloured(std::string_view text, Colour colour, Colours colours) {
    constexpr std::array<std::string_view, 5> kEscapes{"", "\033[32m", "\033[31m", "\033[2m",
                                                       "\033[1m"};
    const std::string_view escape = kEscapes[static_cast<std::size_t>(colour)];
    if (colours == Colours::off || escape.empty() || text.empty()) return std::string(text);
    return std::string(escape) + std::string(text) + "\033[0m";
}

void Columns::row(std::vector<Cell> cells) {
    ASSERT(cells.size() <= alignment_.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        // The last cell of a row stretches nobody: long sentences stand there.
        const bool last = i + 1 == cells.size() && alignment_[i] == Align::left;
        if (!last) widths_[i] = std::max(widths_[i], text_width(cells[i].text));
    }
    rows_.push_back(std::move(cells));
}

std::string Columns::line(const std::vector<Cell>& cells, std::string_view indent) const {
    std::string out(indent);
    std::size_t owed = 0;  // blanks before the next text
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t width = text_width(cells[i].text);
        const std::size_t fill = widths_[i] > width ? widths_[i] - width : 0;
        if (i != 0) owed += 2;
        if (alignment_[i] == Align::right) owed += fill;
        if (!cells[i].text.empty()) {
            out.append(owed, ' ');
            owed = 0;
            out += coloured(cells[i].text, cells[i].colour, colours_);
        } else {
            owed += width;
        }
        if (alignment_[i] == Align::left) owed += fill;
    }
    return out;
}

std::vector<std::string> Columns::lines(std::string_view indent) const {
    std::vector<std::string> all;
    all.reserve(rows_.size());
    for (const auto& cells : rows_) all.push_back(line(cells, indent));
    return all;
}

}  // namespace raicho::shell
