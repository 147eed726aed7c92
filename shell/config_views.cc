// SPDX-License-Identifier: Apache-2.0
#include "shell/config_views.h"

#include "base/text.h"
#include "shell/check.h"
#include "shell/path_argument.h"
#include "shell/render_config.h"

namespace raicho::shell {

namespace {

Done show_difference(const Context& context, std::string_view from, std::string_view to) {
    const auto text = context.agent().get_text(
        format("/api/v1/config/compare?from={}&to={}", percent_encode(from), percent_encode(to)));
    if (!text) return std::unexpected(context.placed(text.error(), "N"));
    context.write(render_difference(*text, context.colours()));
    return {};
}

std::string form_word(Format format) {
    return format == Format::set ? "set" : format == Format::json ? "json" : "conf";
}

/// `level` and `rest` as one path.
std::string joined(std::string_view level, std::string_view rest) {
    if (level.empty() || rest.empty()) return std::string(level.empty() ? rest : level);
    return format("{} {}", level, rest);
}

/// Shows a configuration of the agent's, from the line's PATH on.
Done show_text(const Context& context, const std::string& target) {
    const auto path = path_of(context);
    if (!path) return std::unexpected(path.error());
    const std::string whole = joined(context.level(), path->text);
    const auto text =
        context.agent().get_text(format("{}?format={}{}", target, form_word(context.format()),
                                        whole.empty() ? "" : "&path=") +
                                 percent_encode(whole));
    if (text) {
        if (!text->empty()) write_lines(*text, context.out());
        return {};
    }
    if (text.error().code != ExitCode::refused)
        return std::unexpected(context.placed(text.error(), "N"));
    return std::unexpected(about_path(context, text.error(), *path, whole));
}

}  // namespace

Done show_candidate(const Context& context) {
    const Editing& edits = context.editing();
    if (const auto& from = context.compared_with())
        return show_difference(context, *from, edits.id());
    return show_text(context, edits.target("/text"));
}

Done compare(const Context& context) {
    const std::string_view n = context.text("N");
    return show_difference(context, n.empty() ? "running" : n, context.editing().id());
}

Done status(const Context& context) {
    return context.show("/api/v1/config/status", [&](const Json& document) {
        return render_config_status(document, context.editing().id());
    });
}

Done show_configuration(const Context& context) {
    return show_text(context, "/api/v1/config/running");
}

Done show_commits(const Context& context) {
    return context.show("/api/v1/config/revisions", render_commits);
}

Done show_rollback(const Context& context) {
    const std::string& n = context.command().arguments.front().text;
    if (const Argument* with = context.command().find_behind("compare"))
        return show_difference(context, n, with->text);
    return show_text(context, "/api/v1/config/revisions/" + percent_encode(n));
}

}  // namespace raicho::shell
