// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"

namespace raicho::dsl {

namespace {
/// Distance of the marks that keep position() short in files of one long line.
constexpr std::uint32_t kMark = 4096;

bool begins_character(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}
}  // namespace

Source::Source(std::string file, std::string text) {
    add(std::move(file), std::move(text));
}

std::size_t Source::room() const {
    const Part& last = *parts_.back();
    return std::numeric_limits<std::uint32_t>::max() - last.base - last.text.size() - 1;
}

std::size_t Source::add(std::string file, std::string text) {
    auto part = std::make_unique<Part>(Part{std::move(file), std::move(text)});
    if (!parts_.empty()) {  // one more than its size: the end of a text belongs to it
        const Part& before = *parts_.back();
        part->base = before.base + static_cast<std::uint32_t>(before.text.size()) + 1;
    }
    part->starts.push_back(0);
    std::uint32_t characters = 0;  // of this line so far
    for (std::uint32_t i = 0; i < part->text.size(); ++i) {
        if (i % kMark == 0) part->marks.push_back(characters);
        if (begins_character(part->text[i])) ++characters;
        if (part->text[i] != '\n') continue;
        part->starts.push_back(i + 1);
        characters = 0;
    }
    parts_.push_back(std::move(part));
    return parts_.size() - 1;
}

const Source::Part& Source::part(std::uint32_t offset) const {
    const auto after =
        std::ranges::upper_bound(parts_, offset, {}, [](const auto& part) { return part->base; });
    return **(after - 1);
}

std::string_view Source::text(Span span) const {
    const Part& in = part(span.offset);
    return std::string_view(in.text).substr(span.offset - in.base, span.length);
}

Position Source::position(std::uint32_t offset) const {
    const Part& in = part(offset);
    offset -= in.base;
    const auto next = std::ranges::upper_bound(in.starts, offset);
    std::uint32_t from = *(next - 1);
    std::uint32_t characters = 0;
    const std::uint32_t mark = offset / kMark;
    if (mark < in.marks.size() && mark * kMark > from) {
        from = mark * kMark;
        characters = in.marks[mark];
    }
    const std::uint32_t stop = std::min(offset, static_cast<std::uint32_t>(in.text.size()));
    for (std::uint32_t i = from; i < stop; ++i)
        if (begins_character(in.text[i])) ++characters;
    return {static_cast<std::uint32_t>(next - in.starts.begin()), characters + 1};
}

Place Source::place(Span span) const {
    const Position at = position(span.offset);
    return {span, at.line, at.column};
}

std::string Source::where(Span span) const {
    const Position at = position(span.offset);
    return format("{}:{}:{}", file(span), at.line, at.column);
}

std::uint32_t Source::line_start(std::uint32_t offset) const {
    const Part& in = part(offset);
    return in.base + *(std::ranges::upper_bound(in.starts, offset - in.base) - 1);
}

std::string_view Source::line_at(std::uint32_t offset) const {
    const Part& in = part(offset);
    std::string_view rest = std::string_view(in.text).substr(line_start(offset) - in.base);
    rest = rest.substr(0, rest.find('\n'));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
}

}  // namespace raicho::dsl
