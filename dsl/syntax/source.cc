// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/source.h"

#include <algorithm>
#include <utility>

namespace raicho::dsl {

namespace {
/// Distance of the marks that keep position() short in files of one long line.
constexpr std::uint32_t kMark = 4096;

bool begins_character(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}
}  // namespace

Source::Source(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
    starts_.push_back(0);
    std::uint32_t characters = 0;  // of this line so far
    for (std::uint32_t i = 0; i < text_.size(); ++i) {
        if (i % kMark == 0) marks_.push_back(characters);
        if (begins_character(text_[i])) ++characters;
        if (text_[i] != '\n') continue;
        starts_.push_back(i + 1);
        characters = 0;
    }
}

Position Source::position(std::uint32_t offset) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    std::uint32_t from = *(next - 1);
    std::uint32_t characters = 0;
    const std::uint32_t mark = offset / kMark;
    if (mark < marks_.size() && mark * kMark > from) {
        from = mark * kMark;
        characters = marks_[mark];
    }
    const std::uint32_t stop = std::min(offset, static_cast<std::uint32_t>(text_.size()));
    for (std::uint32_t i = from; i < stop; ++i)
        if (begins_character(text_[i])) ++characters;
    return {static_cast<std::uint32_t>(next - starts_.begin()), characters + 1};
}

Place Source::place(Span span) const {
    const Position at = position(span.offset);
    return {span, at.line, at.column};
}

std::uint32_t Source::line_start(std::uint32_t number) const {
    return starts_[std::min<std::size_t>(number, starts_.size()) - 1];
}

std::string_view Source::line(std::uint32_t number) const {
    const std::uint32_t start = line_start(number);
    std::string_view rest = text().substr(start);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
}

}  // namespace raicho::dsl
