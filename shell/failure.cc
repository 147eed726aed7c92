// SPDX-License-Identifier: Apache-2.0
#include "shell/failure.h"

#include <algorithm>

#include "base/text.h"

namespace raicho::shell {

namespace {

/// `line` on the screen: a tab is a blank, so that the caret finds its word.
std::string flat(std::string_view line) {
    std::string text(line);
    std::ranges::replace(text, '\t', ' ');
    return text;
}

}  // namespace

Failure from_line_error(LineError error) {
    return {ExitCode::usage, std::move(error.text), std::move(error.hint), error.begin, error.end};
}

std::string failure_text(const Failure& failure, std::string_view line, const Origin& origin,
                         Colours colours) {
    if (failure.code == ExitCode::interrupted) return {};
    const bool placed = failure.end > failure.begin && failure.begin <= line.size();
    std::string out;
    if (!origin.file.empty()) {
        out = format("{}:{}:", origin.file, origin.line);
        if (placed) out += format("{}:", text_width(line.substr(0, failure.begin)) + 1);
        out += ' ';
    }
    if (!failure.rendered.empty())
        return out.empty() ? failure.rendered : out + "\n" + failure.rendered;
    out += format("{} {}\n", coloured("error:", Colour::bad, colours), failure.text);
    if (placed) {
        const std::string_view word =
            line.substr(failure.begin, std::min(failure.end, line.size()) - failure.begin);
        const std::size_t width = std::max<std::size_t>(text_width(word), 1);
        out +=
            format("  {}\n  {:{}}{}\n", flat(line), "", text_width(line.substr(0, failure.begin)),
                   coloured(std::string(width, '^'), Colour::bad, colours));
    }
    for (const std::string& detail : failure.details) out += format("  {}\n", detail);
    if (!failure.hint.empty()) out += format("help: {}\n", failure.hint);
    return out;
}

}  // namespace raicho::shell
