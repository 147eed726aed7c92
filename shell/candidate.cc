// SPDX-License-Identifier: Apache-2.0
#include "shell/candidate.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "dsl/edit/edit.h"
#include "shell/change.h"
#include "shell/path_argument.h"
#include "shell/render_config.h"

namespace raicho::shell {

namespace {

/// Says what the agent has to say about a changed candidate.
Done tell_notices(const Context& context, const std::expected<Json, Failure>& answer) {
    context.editing().forget_text();
    if (!answer) return std::unexpected(answer.error());
    for (const Json& notice : (*answer)["notices"].items())
        context.out().line(format("note: {}", notice.text()));
    return {};
}

/// What others have in hand, for whoever begins to edit.
void tell_of_others(const Context& context, const Json& status, std::string_view own) {
    for (const Json& candidate : status["candidates"].items()) {
        const std::string id = candidate.text("id");
        if (!candidate.flag("differs")) continue;
        const std::string who = candidate.text("user");
        const std::string when = time_text(candidate.number("changed"));
        if (id == own)
            context.out().line(
                format("warning: the candidate has changes that are not committed, by {} at {} "
                       "(show | compare)",
                       who, when));
        else
            context.out().line(format("warning: {} edits too, {}, last at {}", who,
                                      id == Editing::kShared
                                          ? std::string("the shared candidate")
                                          : format("a private candidate ({})", id),
                                      when));
    }
}

/// What a commit or check said.
void tell(const Context& context, const Json& report) {
    if (context.format() == Format::json)
        context.write_json(report);
    else
        context.write(render_change(report));
}

/// Faults have their places in the configuration, not in the line.
Failure of_configuration(Failure failure) {
    failure.begin = failure.end = 0;
    return failure;
}

std::string verb_of(const Context& context) {
    const std::string_view notation = context.command().command->notation;
    return std::string(notation.substr(0, notation.find(' ')));
}

void forget_private(const Context& context) {
    if (context.editing().is_private())
        static_cast<void>(context.agent().send("DELETE", context.editing().target(""), {}));
}

}  // namespace

Done configure(const Context& context) {
    const auto status = context.agent().get("/api/v1/config/status");
    if (!status) return std::unexpected(status.error());
    std::string id(Editing::kShared);
    if (context.command().has("private")) {
        const auto made = context.agent().send("POST", "/api/v1/config/candidates", "{}");
        if (!made) return std::unexpected(made.error());
        id = made->text("id");
        context.out().line(format("a private candidate ({}): nobody else changes it", id));
    }
    tell_of_others(context, *status, id);
    context.editing().enter(std::move(id));
    return {};
}

Done edit_statement(const Context& context) {
    const auto path = path_of(context);
    if (!path) return std::unexpected(path.error());
    const std::string command = format("{} {}", verb_of(context), path->text);
    const auto answer = context.agent().send(
        "POST", context.editing().target("/edit"),
        JsonBody().texts("commands", {command}).text("at", context.level()).take());
    if (answer || answer.error().code != ExitCode::refused) return tell_notices(context, answer);
    return std::unexpected(about_path(context, answer.error(), *path, command));
}

Done edit_level(const Context& context) {
    const auto path = path_of(context);
    if (!path) return std::unexpected(path.error());
    auto level = dsl::edit_level(path->text, context.level());
    if (!level)
        return std::unexpected(about_path(context, level.error(), *path,
                                          format("{} {}", context.level(), path->text)));
    context.editing().descend(std::move(*level));
    return {};
}

Done up(const Context& context) {
    Editing& edits = context.editing();
    std::string level = edits.level();
    for (std::uint64_t n = parse_number(context.text("N")).value_or(1); n != 0; --n) {
        if (level.empty())
            return std::unexpected(
                context.placed({ExitCode::failed, "this is the top already"}, "N"));
        level = dsl::level_up(level);
    }
    edits.ascend(std::move(level));
    return {};
}

Done top(const Context& context) {
    context.editing().ascend({});
    return {};
}

Done commit(const Context& context) {
    constexpr std::uint64_t kUsualMinutes = 10;
    Editing& edits = context.editing();
    const Parsed& command = context.command();
    JsonBody body;
    if (const Argument* comment = command.find("TEXT")) body.text("comment", comment->text);
    const Argument* minutes = command.find("MINUTES");
    if (minutes != nullptr || command.command->notation.starts_with("commit confirmed"))
        body.number("confirm_minutes",
                    minutes == nullptr ? kUsualMinutes : parse_number(minutes->text).value_or(0));
    const auto report = context.agent().send("POST", edits.target("/commit"), body.take());
    edits.forget_text();
    context.agent().forget_names();
    if (!report) {
        if (report.error().code == ExitCode::failed)
            return std::unexpected(context.placed(report.error(), "MINUTES"));
        return std::unexpected(of_configuration(report.error()));
    }
    tell(context, *report);
    if (context.format() != Format::json) {
        context.out().line(format("commit complete: revision {}", report->number("revision")));
        if (const std::uint64_t seconds = report->number("confirm_seconds"); seconds != 0)
            context.out().line(
                format("it is taken back in {} unless confirm or another commit "
                       "comes before",
                       age_text(seconds * 1'000'000'000)));
    }
    if (!command.has("and-quit")) return {};
    forget_private(context);
    edits.leave();
    return {};
}

Done commit_check(const Context& context) {
    const auto report = context.agent().send("POST", context.editing().target("/check"), "{}");
    if (!report) return std::unexpected(of_configuration(report.error()));
    tell(context, *report);
    if (context.format() != Format::json) context.out().line("the check succeeds");
    return {};
}

Done rollback(const Context& context) {
    const std::uint64_t n = parse_number(context.text("N")).value_or(0);
    auto answer = context.agent().send("POST", context.editing().target("/rollback"),
                                       JsonBody().number("n", n).take());
    if (!answer) return std::unexpected(context.placed(std::move(answer.error()), "N"));
    return tell_notices(context, answer);
}

Done discard(const Context& context) {
    return tell_notices(context,
                        context.agent().send("POST", context.editing().target("/discard"), "{}"));
}

Done load_candidate(const Context& context) {
    const auto words = split(context.command().command->notation, ' ');
    const std::string_view mode = words[1];
    ConfigurationFile from{{}, "terminal"};
    if (words[2] == "terminal") {
        if (!context.around().read_block)
            return std::unexpected(Failure{ExitCode::usage, "no text can follow this command",
                                           "name a file, or give the commands with -f"});
        auto text = context.around().read_block();
        if (!text) return std::unexpected(std::move(text.error()));
        from.text = std::move(*text);
    } else {
        auto file = read_configuration(context);
        if (!file) return std::unexpected(std::move(file.error()));
        from = std::move(*file);
    }
    const auto answer = context.agent().send(
        "POST", context.editing().target("/load"),
        JsonBody().text("mode", mode).text("text", from.text).text("file", from.name).take());
    if (!answer) return std::unexpected(of_configuration(answer.error()));
    return tell_notices(context, answer);
}

Done save_candidate(const Context& context) {
    const auto text = context.editing().text();
    if (!text) return std::unexpected(text.error());
    const std::string path(context.text("FILE"));
    std::FILE* file = std::fopen(path.c_str(), "we");
    bool written =
        file != nullptr && std::fwrite(text->data(), 1, text->size(), file) == text->size();
    int error = written ? 0 : errno;
    if (file != nullptr && std::fclose(file) != 0 && error == 0) error = errno;
    if (error != 0)
        return std::unexpected(context.placed(
            {ExitCode::failed, fail_errno(format("cannot write \"{}\"", path), error).error().text},
            "FILE"));
    context.out().line(format("the candidate is in {}", path));
    return {};
}

Done update(const Context& context) {
    return tell_notices(context,
                        context.agent().send("POST", context.editing().target("/update"), "{}"));
}

Done leave_level(const Context& context) {
    return context.editing().back() ? Done{} : leave_configure(context);
}

Done leave_configure(const Context& context) {
    Editing& edits = context.editing();
    static_cast<void>(edits.refresh());
    if (edits.state().differs) {
        const bool lost = edits.is_private();
        const Ask& ask = context.around().ask;
        if (ask && !ask(lost ? "the private candidate has changes that will be lost; leave?"
                             : "the candidate has changes that are not committed; leave?"))
            return {};
        if (!ask)
            context.out().line(lost ? "note: the changes of the private candidate are lost"
                                    : "note: the candidate keeps changes that are not committed");
    }
    forget_private(context);
    edits.leave();
    return {};
}

Done rehearse(const Context& context) {
    Editing& edits = context.editing();
    const auto path = path_of(context);
    if (!path) return std::unexpected(path.error());
    switch (context.command().command->action) {
        case Action::configure: edits.enter(std::string(Editing::kShared)); return {};
        case Action::edit: return edit_level(context);
        case Action::up: return up(context);
        case Action::top: return top(context);
        case Action::leave_level:
            if (!edits.back()) edits.leave();
            return {};
        case Action::leave_configure: edits.leave(); return {};
        case Action::commit:
            if (context.command().has("and-quit")) edits.leave();
            return {};
        case Action::set_statement: {
            const std::string command = format("set {}", path->text);
            auto judged = dsl::edit({}, {&command, 1}, context.level());
            if (judged) return {};
            return std::unexpected(about_path(context, judged.error(), *path, command));
        }
        default: return {};
    }
}

Done confirm(const Context& context) {
    const auto answer = context.agent().send("POST", "/api/v1/config/confirm", "{}");
    if (!answer) {
        Failure failure = of_configuration(answer.error());
        failure.code = ExitCode::failed;
        return std::unexpected(std::move(failure));
    }
    context.out().line(format("confirmed: revision {} stays", answer->number("revision")));
    return {};
}

}  // namespace raicho::shell
