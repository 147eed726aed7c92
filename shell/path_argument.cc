// SPDX-License-Identifier: Apache-2.0
#include "shell/path_argument.h"

#include <algorithm>
#include <utility>

namespace raicho::shell {

std::expected<WrittenOut, Failure> path_of(const Context& context) {
    const Argument* path = context.command().find("PATH");
    if (path == nullptr) return WrittenOut{};
    auto written = write_out(path->text, context.level());
    if (written) return std::move(*written);
    written.error().begin += path->begin;
    written.error().end += path->begin;
    return std::unexpected(from_line_error(std::move(written.error())));
}

Failure about_path(const Context& context, Failure failure, const WrittenOut& path,
                   JudgedPlace place) {
    const Argument* argument = context.command().find("PATH");
    failure.rendered.clear();
    failure.begin = failure.end = 0;
    if (argument == nullptr) return failure;
    failure.begin = argument->begin;
    failure.end = argument->end;
    const std::size_t before = place.text.size() - path.text.size();
    const std::size_t at = byte_of_column(place.text, place.column);
    if (place.column == 0 || at < before) return failure;
    const WrittenOut::Place typed =
        path.typed({at - before, at - before + std::max<std::size_t>(place.size, 1)});
    failure.begin = argument->begin + typed.begin;
    failure.end = argument->begin + typed.end;
    return failure;
}

Failure about_path(const Context& context, const dsl::Refusal& refusal, const WrittenOut& path,
                   std::string_view judged) {
    Failure failure{ExitCode::usage, "this cannot be"};
    if (refusal.diagnostics.empty()) return failure;
    const dsl::Diagnostic& first = refusal.diagnostics.front();
    failure.text = first.text;
    failure.hint = first.help;
    return about_path(context, std::move(failure), path, {judged, first.column, first.span.length});
}

Failure about_path(const Context& context, const Failure& answer, const WrittenOut& path,
                   std::string_view judged) {
    Failure failure =
        about_path(context, answer, path, {judged, answer.begin, answer.end - answer.begin});
    if (answer.begin != 0) failure.code = ExitCode::usage;  // nothing was checked or committed
    return failure;
}

}  // namespace raicho::shell
