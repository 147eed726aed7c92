// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/diagnostic.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "dsl/syntax/utf8.h"

namespace raicho::dsl {

namespace {

/// Bytes of a source line shown at most; longer ones are cut around the caret.
constexpr std::size_t kShown = 120;
constexpr std::size_t kShownBefore = 60;

bool continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// A source line as it is shown and the blanks that lead to the caret below it.
struct Shown {
    std::string line;
    std::string indent;
    std::size_t width = 0;  // of the marked range, in columns
};

/// Appends one character to the shown line: what a terminal would act upon or could not show
/// becomes U+FFFD. Returns its columns.
int show(std::string& line, std::string_view raw, const Character& c) {
    if (c.code == '\t') {
        line += '\t';
        return 1;
    }
    if (!c.valid || c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0)) {
        line += "\xef\xbf\xbd";
        return 1;
    }
    line += raw.substr(0, c.size);
    return display_width(c.code);
}

/// `begin` and `end` are bytes of `line`.
Shown show_line(std::string_view line, std::size_t begin, std::size_t end) {
    Shown shown;
    std::size_t at = 0;
    std::size_t stop = line.size();
    if (line.size() > kShown) {
        if (begin > kShownBefore) at = begin - kShownBefore;
        while (at > 0 && continuation(line[at])) --at;
        stop = std::min(line.size(), at + kShown);
        while (stop < line.size() && continuation(line[stop])) ++stop;
    }
    if (at > 0) {
        shown.line = "...";
        shown.indent = "   ";
    }
    while (at < stop) {
        const std::string_view rest = line.substr(at);
        const Character c = first_character(rest);
        const int columns = show(shown.line, rest, c);
        if (at < begin) {
            if (c.code == '\t')
                shown.indent += '\t';  // as wide as the one above it, whatever the terminal does
            else
                shown.indent.append(static_cast<std::size_t>(columns), ' ');
        } else if (at < end) {
            shown.width += static_cast<std::size_t>(columns);
        }
        at += c.size;
    }
    if (stop < line.size()) shown.line += "...";
    shown.width = std::max<std::size_t>(shown.width, 1);
    return shown;
}

std::string_view name_of(Severity severity) {
    return severity == Severity::error ? "error" : "warning";
}

}  // namespace

void Diagnostics::error(Span span, std::string text, std::string help) {
    error(source_->place(span), std::move(text), std::move(help));
}

void Diagnostics::warning(Span span, std::string text, std::string help) {
    warning(source_->place(span), std::move(text), std::move(help));
}

void Diagnostics::error(const Place& place, std::string text, std::string help) {
    if (++n_errors_ <= kMaxDiagnostics)
        add(Severity::error, place, std::move(text), std::move(help));
}

void Diagnostics::warning(const Place& place, std::string text, std::string help) {
    if (++n_warnings_ <= kMaxDiagnostics)
        add(Severity::warning, place, std::move(text), std::move(help));
}

void Diagnostics::add(Severity severity, const Place& place, std::string text, std::string help) {
    // What has no place comes first; the files in the order they were read.
    const auto order = [](std::uint32_t line, Span span) {
        return std::pair(line != 0, line == 0 ? 0 : span.offset);
    };
    const auto after =
        std::ranges::upper_bound(found_, order(place.line, place.span), {},
                                 [&](const Diagnostic& d) { return order(d.line, d.span); });
    found_.insert(after, {severity, place.line == 0 ? source_->file() : source_->file(place.span),
                          place.span, place.line, place.column, std::move(text), std::move(help)});
}

std::vector<Diagnostic> Diagnostics::take() {
    n_errors_ = 0;
    n_warnings_ = 0;
    return std::exchange(found_, {});
}

std::string to_text(const Diagnostic& d, const Source& source) {
    std::string out;
    if (d.line == 0) {
        out = format("{}: {}: {}\n", d.file, name_of(d.severity), d.text);
    } else {
        out = format("{}:{}:{}: {}: {}\n", d.file, d.line, d.column, name_of(d.severity), d.text);
        const std::string_view line = source.line_at(d.span.offset);
        const std::size_t begin =
            std::min<std::size_t>(d.span.offset - source.line_start(d.span.offset), line.size());
        const std::size_t end = std::min<std::size_t>(begin + d.span.length, line.size());
        const Shown shown = show_line(line, begin, end);
        out +=
            format("    {}\n    {}{}\n", shown.line, shown.indent, std::string(shown.width, '^'));
    }
    if (!d.help.empty()) out += format("    help: {}\n", d.help);
    return out;
}

std::string to_text(const std::vector<Diagnostic>& diagnostics, const Source& source) {
    std::string out;
    for (const Diagnostic& d : diagnostics) out += to_text(d, source);
    return out;
}

}  // namespace raicho::dsl
