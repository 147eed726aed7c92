// SPDX-License-Identifier: Apache-2.0
#include "shell/context.h"

#include <optional>

#include "base/text.h"
#include "shell/check.h"

namespace raicho::shell {

namespace {

std::optional<Format> format_of(Action pipe) {
    if (pipe == Action::pipe_json) return Format::json;
    if (pipe == Action::pipe_table) return Format::table;
    if (pipe == Action::pipe_set) return Format::set;
    if (pipe == Action::pipe_ovs) return Format::ovs;
    return std::nullopt;
}

}  // namespace

Context::Context(const ParsedLine& line, const Surroundings& surroundings, LineSink& out)
    : command_(line.command),
      around_(surroundings),
      out_(out),
      level_(line.from == PathFrom::top ? std::string() : surroundings.editing.level()),
      colours_(line.pipes.empty() ? surroundings.colours : Colours::off),
      format_(surroundings.format),
      screen_(line.pipes.empty() ? surroundings.screen : Screen::none) {
    for (const Parsed& pipe : line.pipes) {
        if (const auto wanted = format_of(pipe.command->action)) format_ = *wanted;
        if (pipe.command->action != Action::pipe_compare) continue;
        const std::string_view n = pipe.text("N");
        compared_ = n.empty() ? "running" : std::string(n);
    }
}

void Context::write(const Lines& lines) const {
    for (const std::string& line : lines)
        if (out_.line(line) == Want::no_more) return;
}

void Context::write_json(const Json& document) const {
    write_lines(document.pretty(), out_);
}

std::string Context::of_bridge(std::string_view target) const {
    return std::string(target) + bridge_query(text("BRIDGE"));
}

Failure Context::placed(Failure failure, std::string_view placeholder) const {
    const Argument* argument = command_.find(placeholder);
    if (argument != nullptr && failure.code == ExitCode::failed) {
        failure.begin = argument->begin;
        failure.end = argument->end;
    }
    return failure;
}

Failure Context::shifted(Failure failure, std::string_view placeholder) const {
    const Argument* argument = command_.find(placeholder);
    const std::size_t shift = argument == nullptr ? 0 : argument->begin;
    failure.begin += shift - 1;
    failure.end += shift - 1;
    return failure;
}

}  // namespace raicho::shell
