// SPDX-License-Identifier: Apache-2.0
#include "shell/change.h"

#include <chrono>
#include <thread>

#include "base/text.h"
#include "dsl/edit/forms.h"
#include "dsl/edit/include.h"
#include "dsl/model/check.h"
#include "dsl/syntax/utf8.h"
#include "shell/check.h"
#include "shell/interrupt.h"

namespace raicho::shell {

namespace {

using Clock = std::chrono::steady_clock;

/// Sends a change and shows what it did.
Done change(const Context& context, std::string method, std::string target, std::string body,
            std::string_view placeholder) {
    auto report = context.agent().send(std::move(method), std::move(target), std::move(body));
    context.agent().forget_names();
    if (!report) return std::unexpected(context.placed(std::move(report.error()), placeholder));
    if (context.format() == Format::json)
        context.write_json(*report);
    else
        context.write(render_change(*report));
    return {};
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const dsl::Character character = dsl::first_character(text);
        if (!character.valid) return false;
        text.remove_prefix(character.size);
    }
    return true;
}

std::string bridge_target(const Context& context, std::string_view rest) {
    return format("/api/v1/bridges/{}{}", percent_encode(context.text("BRIDGE")), rest);
}

std::string how_many(std::uint64_t n, std::string_view noun) {
    return format("{} {}{}", with_thousands(n), noun, n == 1 ? "" : "s");
}

/// What became of a flow command, for people.
Lines render_flow_change(const Json& report, std::string_view command) {
    const std::uint64_t matched = report.number("matched");
    Lines lines;
    if (command == "add")
        lines.push_back(format("{}: {}", matched == 0 ? "added" : "replaced", report.text("text")));
    else if (command == "modify")
        lines.push_back(format("{} modified", how_many(matched, "flow")));
    else
        lines.push_back(format("{} deleted", how_many(matched, "flow")));
    for (const Json& note : report["notes"].items())
        lines.push_back(format("note: {}", note.text()));
    return lines;
}

/// A refusal within the text of a flow, group or meter, moved to where it stands in the line.
Failure about_text(const Context& context, Failure failure, std::string_view placeholder) {
    const bool in_text = failure.begin != 0;
    if (failure.code == ExitCode::refused)  // no configuration was
        failure.code = in_text ? ExitCode::usage : ExitCode::failed;
    if (in_text) return context.shifted(std::move(failure), placeholder);
    return context.placed(std::move(failure), "BRIDGE");
}

/// Whether a person means to delete everything of a kind.
bool sure_of_all(const Context& context, std::string_view what) {
    return !context.around().ask ||
           context.around().ask(format("delete every {} of {}?", what, context.text("BRIDGE")));
}

/// Asks until `done` says yes, the patience ends or ^C comes.
template <class Test>
[[nodiscard]] bool wait_for(std::chrono::seconds patience, Test done) {
    constexpr std::chrono::milliseconds kPause{50};
    const auto until = Clock::now() + patience;
    while (Clock::now() < until && !interrupt_requested()) {
        if (done()) return true;
        std::this_thread::sleep_for(kPause);
    }
    return false;
}

constexpr std::chrono::seconds kPatience{20};

std::string seconds_since(Clock::time_point start) {
    const std::chrono::duration<double> passed = Clock::now() - start;
    return format("{:.1f} s", passed.count());
}

std::string restart_body(std::string_view what, std::string_view bridge) {
    if (bridge.empty()) return json_object({{"what", what}});
    return json_object({{"what", what}, {"bridge", bridge}});
}

}  // namespace

std::expected<ConfigurationFile, Failure> read_configuration(const Context& context) {
    const std::string path(context.text("FILE"));
    auto read = dsl::read_file(path);
    if (!read)
        return std::unexpected(
            context.placed({ExitCode::failed, format("\"{}\" {}", path, read.error())}, "FILE"));
    std::string text = std::move(*read);
    // JSON cannot carry other bytes; the checker says where they are.
    if (!is_utf8(text)) {
        Failure refused{ExitCode::refused, format("{}: refused", path)};
        refused.rendered = dsl::check(text, path, flow_checker()).report();
        return std::unexpected(std::move(refused));
    }
    if (text.find("include") == std::string::npos || dsl::guess_form(text) != dsl::Form::conf)
        return ConfigurationFile{std::move(text), path};
    auto whole = dsl::expand(std::move(text), path, dsl::disk_files());
    if (!whole) {
        Failure refused{ExitCode::refused, format("{}: refused", path)};
        refused.rendered = std::move(whole.error().rendered);
        return std::unexpected(std::move(refused));
    }
    return ConfigurationFile{std::move(*whole), path + " (with what it includes)"};
}

std::optional<Failure> faults_of_parts(const Context& context, const ConfigurationFile& file) {
    const std::string path(context.text("FILE"));
    if (file.name == path) return std::nullopt;  // the agent sees the same text
    const dsl::Checked checked = dsl::check_file(path, flow_checker());
    if (checked.ok()) return std::nullopt;
    Failure refused{ExitCode::refused, format("{}: refused", path)};
    refused.rendered = checked.report();
    return refused;
}

Done load_file(const Context& context) {
    const auto file = read_configuration(context);
    if (!file) return std::unexpected(file.error());
    if (auto faults = faults_of_parts(context, *file)) return std::unexpected(std::move(*faults));
    return change(context, "POST", "/api/v1/config/load",
                  json_object({{"text", file->text}, {"file", file->name}}), "FILE");
}

Done add_port(const Context& context) {
    Done done =
        change(context, "POST", bridge_target(context, "/ports"),
               json_object({{"name", context.text("NAME")}, {"options", context.text("OPTIONS")}}),
               "BRIDGE");
    if (!done && done.error().code == ExitCode::refused && done.error().begin != 0)
        done = std::unexpected(context.shifted(std::move(done.error()), "OPTIONS"));
    return done;
}

Done delete_port(const Context& context) {
    return change(context, "DELETE",
                  bridge_target(context, format("/ports/{}", percent_encode(context.text("PORT")))),
                  {}, "PORT");
}

Done change_flow(const Context& context, std::string_view command) {
    std::string_view flow = context.text("FLOW");
    if (command == "delete" && flow == "all") {
        if (!sure_of_all(context, "flow")) return {};
        flow = {};
    }
    auto report = context.agent().send("POST", bridge_target(context, "/flows"),
                                       json_object({{"command", command}, {"flow", flow}}));
    if (!report) return std::unexpected(about_text(context, std::move(report.error()), "FLOW"));
    if (context.format() == Format::json)
        context.write_json(*report);
    else
        context.write(render_flow_change(*report, command));
    return {};
}

Done change_entry(const Context& context, std::string_view what, std::string_view command) {
    const std::string_view placeholder = what == "group" ? "GROUP" : "METER";
    const std::string_view text = context.text(placeholder);
    if (command == "delete" && text == "all" && !sure_of_all(context, what)) return {};
    auto report = context.agent().send("POST", bridge_target(context, format("/{}s", what)),
                                       json_object({{"command", command}, {what, text}}));
    if (!report)
        return std::unexpected(about_text(context, std::move(report.error()), placeholder));
    if (context.format() == Format::json) {
        context.write_json(*report);
        return {};
    }
    const std::uint64_t flows = report->number("flows_deleted");
    if (command == "delete")
        context.write({format(
            "{} deleted{}", how_many(report->number("matched"), what),
            flows == 0 ? std::string() : format(", and {} with it", how_many(flows, "flow")))});
    else
        context.write(
            {format("{}: {}", command == "add" ? "added" : "modified", report->text("text"))});
    return {};
}

Done test_flow(const Context& context) {
    auto answer = context.agent().send("POST", bridge_target(context, "/flows/test"),
                                       json_object({{"flow", context.text("FLOW")}}));
    if (!answer) return std::unexpected(about_text(context, std::move(answer.error()), "FLOW"));
    const bool accepted = answer->flag("accepted");
    if (context.format() == Format::json) {
        context.write_json(*answer);
    } else if (accepted) {
        Lines lines{format("accepted: {}", answer->text("text"))};
        for (const Json& note : (*answer)["notes"].items())
            lines.push_back(format("note: {}", note.text()));
        context.write(lines);
    }
    if (accepted) return {};
    Failure refused{ExitCode::failed,
                    format("a controller would get {} ({}), {} ({}): {}", answer->text("type_name"),
                           answer->number("type"), answer->text("code_name"),
                           answer->number("code"), answer->text("why")),
                    answer->text("hint")};
    return std::unexpected(context.placed(std::move(refused), "FLOW"));
}

Done clear_mac(const Context& context) {
    auto answer = context.agent().send("DELETE", context.of_bridge("/api/v1/mac"), {});
    if (!answer) return std::unexpected(context.placed(std::move(answer.error()), "BRIDGE"));
    context.out().line("learned addresses forgotten");
    return {};
}

Done restart_agent(const Context& context) {
    const auto before = context.agent().get("/api/v1/version");
    if (!before) return std::unexpected(before.error());
    const auto start = Clock::now();
    auto answer = context.agent().send("POST", "/api/v1/restart", restart_body("agent", {}));
    if (!answer) return std::unexpected(std::move(answer.error()));
    const bool back = wait_for(kPatience, [&] {
        const auto now = context.agent().get("/api/v1/version");
        return now && (now->number("pid") != before->number("pid") ||
                       now->number("uptime_ns") < before->number("uptime_ns"));
    });
    if (!back)
        return std::unexpected(
            Failure{ExitCode::unreachable, "the agent has not come back", "its log says why"});
    context.out().line(format("the agent is back after {}", seconds_since(start)));
    return {};
}

Done restart_dataplane(const Context& context) {
    const auto before = context.agent().get("/api/v1/version");
    if (!before) return std::unexpected(before.error());
    const auto start = Clock::now();
    auto answer = context.agent().send("POST", "/api/v1/restart", restart_body("dataplane", {}));
    if (!answer) return std::unexpected(std::move(answer.error()));
    const bool back = wait_for(kPatience, [&] {
        const auto now = context.agent().get("/api/v1/version");
        return now && (*now)["dataplane"].flag("attached") &&
               (*now)["dataplane"].number("pid") != (*before)["dataplane"].number("pid");
    });
    if (!back)
        return std::unexpected(
            Failure{ExitCode::failed, "the dataplane has stopped and not come back",
                    "raicho run or systemd would start it again; start raicho-dataplane"});
    context.out().line(format("the dataplane is back after {}", seconds_since(start)));
    return {};
}

Done restart_controller(const Context& context) {
    auto answer = context.agent().send("POST", "/api/v1/restart",
                                       restart_body("controller", context.text("BRIDGE")));
    if (!answer) return std::unexpected(context.placed(std::move(answer.error()), "BRIDGE"));
    const std::uint64_t n = answer->number("ended");
    context.out().line(format("{} connection{} ended; they begin anew", n, n == 1 ? "" : "s"));
    return {};
}

}  // namespace raicho::shell
