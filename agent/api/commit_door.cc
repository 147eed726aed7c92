// SPDX-License-Identifier: Apache-2.0
#include "agent/api/commit_door.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace raicho::agent::api {

namespace {

ProblemItem to_item(dsl::Diagnostic&& diagnostic) {
    return {std::move(diagnostic.file), diagnostic.line,
            diagnostic.column,          diagnostic.span.length,
            std::move(diagnostic.text), std::move(diagnostic.help)};
}

Problem to_problem(config::CommitFailure&& failure) {
    // The text is at fault, or what it asks for cannot be had.
    Problem refused = problem(failure.diagnostics.empty() ? 409 : 422, failure.error.text,
                              std::move(failure.error.hint));
    for (dsl::Diagnostic& diagnostic : failure.diagnostics) {
        if (refused.detail.empty()) refused.detail = diagnostic.text;
        refused.errors.push_back(to_item(std::move(diagnostic)));
    }
    refused.rendered = std::move(failure.rendered);
    return refused;
}

ChangeReport to_report(config::CommitReport&& report) {
    ChangeReport change{std::move(report.changes), std::move(report.notices), {}};
    for (dsl::Diagnostic& warning : report.warnings)
        change.warnings.push_back(to_item(std::move(warning)));
    return change;
}

config::CommitDone pass_on(ChangeDone done) {
    return [done = std::move(done)](config::CommitOutcome outcome) {
        if (outcome)
            done(to_report(std::move(*outcome)));
        else
            done(std::unexpected(to_problem(std::move(outcome.error()))));
    };
}

bool may_be_quoted(std::string_view name) {
    return !name.empty() && std::ranges::none_of(name, [](char c) {
        return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    });
}

}  // namespace

std::optional<std::uint32_t> PortText::column_in_options(std::uint32_t column) const {
    const std::size_t at = column - 1;
    if (at >= rest_at) return static_cast<std::uint32_t>(at - rest_at + rest_in_options + 1);
    if (at >= number_at && rest_in_options > number_in_options)
        return static_cast<std::uint32_t>(at - number_at + number_in_options + 1);
    return std::nullopt;
}

PortText port_text(std::string_view bridge, std::string_view name, std::string_view options) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    std::size_t at = 0;
    while (at < options.size() && blank(options[at])) ++at;
    PortText made;
    made.number_in_options = at;
    std::size_t end = at;
    while (end < options.size() && !blank(options[end]) && options[end] != '{' &&
           options[end] != ';')
        ++end;
    std::string_view number = options.substr(at, end - at);
    if (number.empty() || std::isdigit(static_cast<unsigned char>(number.front())) == 0)
        number = {};
    at += number.size();
    while (at < options.size() && (blank(options[at]) || options[at] == ';')) ++at;
    made.rest_in_options = at;
    const std::string_view rest = options.substr(at);
    made.text = format("bridge \"{}\" {{ port \"{}\" ", bridge, name);
    made.number_at = made.text.size();
    made.text += number;
    const bool in_braces = rest.starts_with('{');
    made.text += in_braces || rest.empty() ? " " : " { ";
    made.rest_at = made.text.size();
    made.text += rest;
    made.text += in_braces || rest.empty() ? "\n}\n" : "\n} }\n";
    return made;
}

std::string CommitDoor::running_text() const {
    return engine_.running_text();
}

void CommitDoor::load(std::string text, std::string file, ChangeDone done) {
    engine_.load_text(std::move(text), std::move(file), pass_on(std::move(done)));
}

void CommitDoor::add_port(std::string bridge, std::string name, std::string options,
                          ChangeDone done) {
    for (const std::string* word : {&bridge, &name})
        if (!may_be_quoted(*word))
            return done(std::unexpected(problem(400, format("\"{}\" is no name", *word))));
    const dsl::BridgeConfig* owner = engine_.running().find_bridge(bridge);
    if (owner == nullptr)
        return done(std::unexpected(problem(404, format("no bridge \"{}\"", bridge))));
    if (owner->find_port(name) != nullptr)
        return done(std::unexpected(
            problem(409, format("port \"{}\": already in bridge \"{}\"", name, bridge))));
    const PortText made = port_text(bridge, name, options);
    auto in_options = [made, done = pass_on(std::move(done))](config::CommitOutcome outcome) {
        if (!outcome) {
            for (dsl::Diagnostic& diagnostic : outcome.error().diagnostics) {
                diagnostic.file.clear();
                if (diagnostic.line != 1) continue;
                const auto column = made.column_in_options(diagnostic.column);
                diagnostic.line = column ? 1 : 0;
                diagnostic.column = column.value_or(0);
            }
            outcome.error().rendered.clear();  // it shows our text, not the user's
        }
        done(std::move(outcome));
    };
    engine_.merge_text(made.text, "options", std::move(in_options));
}

void CommitDoor::delete_port(std::string bridge, std::string name, ChangeDone done) {
    engine_.delete_port(std::move(bridge), std::move(name), pass_on(std::move(done)));
}

}  // namespace raicho::agent::api
