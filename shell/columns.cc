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

namespace {

/// Bytes of the colour escape that `text` begins with, 0 for none.
std::size_t escape_size(std::string_view text) {
    if (!text.starts_with("\033[")) return 0;
    const std::size_t end = text.find('m');
    return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace

std::size_t shown_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        if (const std::size_t escape = escape_size(text); escape != 0) {
            text.remove_prefix(escape);
            continue;
        }
        const std::size_t plain = std::max<std::size_t>(text.find('\033', 1), 1);
        const std::string_view part = text.substr(0, plain);
        width += text_width(part);
        text.remove_prefix(part.size());
    }
    return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
    std::string out;
    std::size_t used = 0;
    while (!text.empty()) {
        std::size_t size = escape_size(text);
        if (size == 0) {
            const dsl::Character character = dsl::first_character(text);
            size = character.size;
            used += static_cast<std::size_t>(dsl::display_width(character.code));
            // Escapes behind the cut still count: they end the colour.
            if (used > width) {
                text.remove_prefix(size);
                continue;
            }
        }
        out += text.substr(0, size);
        text.remove_prefix(size);
    }
    return out;
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
