// SPDX-License-Identifier: Apache-2.0
#include "shell/render_config.h"

#include <array>
#include <ctime>

#include "base/text.h"

namespace raicho::shell {

namespace {

Colour colour_of(std::string_view line) {
    if (line.starts_with('+')) return Colour::good;
    if (line.starts_with('-')) return Colour::bad;
    return line.starts_with('[') ? Colour::bold : Colour::none;
}

std::string age_of_seconds(std::uint64_t seconds) {
    return age_text(seconds * 1'000'000'000);
}

}  // namespace

std::string time_text(std::uint64_t seconds_since_1970) {
    const auto seconds = static_cast<std::time_t>(seconds_since_1970);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
    return text.data();
}

Lines render_difference(std::string_view text, Colours colours) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.empty()) return {"no difference"};
    Lines lines;
    for (const std::string_view line : split(text, '\n'))
        lines.push_back(coloured(line, colour_of(line), colours));
    return lines;
}

Lines render_commits(const Json& revisions) {
    const auto all = revisions.items();
    if (all.empty()) return {"nothing has been committed"};
    Columns columns(
        {Align::right, Align::right, Align::left, Align::left, Align::left, Align::left});
    columns.row({"N", "REVISION", "TIME", "USER", "VIA", "COMMENT"});
    for (const Json& r : all) {
        std::string comment = r.text("comment");
        if (r.flag("unconfirmed")) comment += comment.empty() ? "(unconfirmed)" : " (unconfirmed)";
        columns.row({format("{}", r.number("n")), format("{}", r.number("revision")),
                     time_text(r.number("time")), r.text("user"), r.text("via"), comment});
    }
    return columns.lines();
}

Lines render_config_status(const Json& status, std::string_view own) {
    Lines lines{format("revision {} is running", status.number("revision"))};
    if (const Json confirm = status["confirm"]; !confirm.null())
        lines.push_back(
            format("revision {} of {} waits to be confirmed: in {} revision {} comes back",
                   confirm.number("revision"), confirm.text("user"),
                   age_of_seconds(confirm.number("seconds_left")), confirm.number("returns_to")));
    Columns columns({Align::left, Align::left, Align::right, Align::left, Align::left});
    columns.row({"CANDIDATE", "USER", "BEHIND", "CHANGED", "STATE"});
    for (const Json& c : status["candidates"].items()) {
        std::string state = c.flag("differs") ? "has changes" : "as running";
        if (c.text("id") == own) state += ", yours";
        columns.row({c.text("id"), c.text("user"), format("{}", c.number("behind")),
                     time_text(c.number("changed")), state});
    }
    for (std::string& line : columns.lines()) lines.push_back(std::move(line));
    return lines;
}

}  // namespace raicho::shell
