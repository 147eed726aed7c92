// SPDX-License-Identifier: Apache-2.0
#include "shell/execute.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "shell/candidate.h"
#include "shell/change.h"
#include "shell/check.h"
#include "shell/config_views.h"
#include "shell/host.h"
#include "shell/monitor.h"
#include "shell/show.h"

namespace raicho::shell {

namespace {

/// Side by side where that fits, one below the other where not.
void help_line(LineSink& out, std::string_view notation, std::string_view text) {
    constexpr std::size_t kColumn = 28;
    const std::size_t width = text_width(notation);
    if (width + 2 <= kColumn) {
        out.line(format("{}{:{}}{}", notation, "", kColumn - width, text));
        return;
    }
    out.line(notation);
    out.line(format("{:{}}{}", "", kColumn, text));
}

void help(const Context& context) {
    const Modes mode = context.editing().mode();
    for (const Command& command : kCommands)
        if ((command.modes & kAncestor) == 0 && (command.modes & mode) != 0)
            help_line(context.out(), command.notation, command.help);
    for (const Command& pipe : kPipes)
        if ((pipe.modes & mode) != 0)
            help_line(context.out(), format("… | {}", pipe.notation), pipe.help);
    context.out().line("Words may be shortened; ? lists what may follow, Tab completes.");
}

void history(const Context& context) {
    constexpr std::size_t kAll = 1000;
    if (!context.around().history) return;
    for (const std::string& line :
         context.around().history(parse_number(context.text("N")).value_or(kAll)))
        if (context.out().line(line) == Want::no_more) return;
}

void set_pager(const Context& context) {
    if (context.around().paged != nullptr)
        *context.around().paged = context.command().command->notation == "pager on";
}

Done run(const Context& context) {
    const auto in_colour = [&](Lines (*render)(const Json&, Colours)) {
        return [&context, render](const Json& document) {
            return render(document, context.colours());
        };
    };
    switch (context.command().command->action) {
        case Action::show_summary:
            return context.show("/api/v1/summary", in_colour(render_summary));
        case Action::show_version:
            return context.show("/api/v1/version", in_colour(render_version));
        case Action::show_bridge:
            return context.show(context.of_bridge("/api/v1/bridges"), in_colour(render_bridges));
        case Action::show_port: return show_port(context);
        case Action::show_controller:
            return context.show(context.of_bridge("/api/v1/controllers"),
                                in_colour(render_controllers));
        case Action::show_flow: return show_flow(context);
        case Action::show_flow_count:
            return context.show(context.of_bridge("/api/v1/flows/count"), render_flow_count);
        case Action::show_table:
            return context.show(context.of_bridge("/api/v1/tables"), render_tables);
        case Action::show_group:
            return context.show(context.of_bridge("/api/v1/groups"), render_groups);
        case Action::show_meter:
            return context.show(context.of_bridge("/api/v1/meters"), render_meters);
        case Action::show_queue:
            return context.show(context.of_bridge("/api/v1/queues"), render_queues);
        case Action::show_local:
            return context.show(context.of_bridge("/api/v1/locals"), in_colour(render_locals));
        case Action::show_mac: return context.show(context.of_bridge("/api/v1/mac"), render_macs);
        case Action::show_memory: return context.show("/api/v1/memory", render_memory);
        case Action::show_worker: return context.show("/api/v1/workers", in_colour(render_workers));
        case Action::show_log: return show_log(context);
        case Action::show_configuration: return show_configuration(context);
        case Action::show_commits: return show_commits(context);
        case Action::show_rollback: return show_rollback(context);
        case Action::configure: return configure(context);
        case Action::confirm: return confirm(context);
        case Action::set_statement:
        case Action::delete_statement:
        case Action::activate:
        case Action::deactivate:
        case Action::rename_statement: return edit_statement(context);
        case Action::edit: return edit_level(context);
        case Action::up: return up(context);
        case Action::top: return top(context);
        case Action::show_candidate: return show_candidate(context);
        case Action::compare: return compare(context);
        case Action::commit: return commit(context);
        case Action::commit_check: return commit_check(context);
        case Action::rollback: return rollback(context);
        case Action::load_candidate: return load_candidate(context);
        case Action::save_candidate: return save_candidate(context);
        case Action::update: return update(context);
        case Action::discard: return discard(context);
        case Action::status: return status(context);
        case Action::leave_level: return leave_level(context);
        case Action::leave_configure: return leave_configure(context);
        case Action::monitor_ports: return monitor_ports(context);
        case Action::monitor_flows: return monitor_flows(context);
        case Action::monitor_log: return monitor_log(context);
        case Action::load: return load_file(context);
        case Action::check: return check_file(std::string(context.text("FILE")), context.out());
        case Action::add_port: return add_port(context);
        case Action::delete_port: return delete_port(context);
        case Action::add_flow: return change_flow(context, "add");
        case Action::modify_flow: return change_flow(context, "modify");
        case Action::delete_flow: return change_flow(context, "delete");
        case Action::add_group: return change_entry(context, "group", "add");
        case Action::modify_group: return change_entry(context, "group", "modify");
        case Action::delete_group: return change_entry(context, "group", "delete");
        case Action::add_meter: return change_entry(context, "meter", "add");
        case Action::modify_meter: return change_entry(context, "meter", "modify");
        case Action::delete_meter: return change_entry(context, "meter", "delete");
        case Action::test_flow: return test_flow(context);
        case Action::clear_mac: return clear_mac(context);
        case Action::restart_agent: return restart_agent(context);
        case Action::restart_dataplane: return restart_dataplane(context);
        case Action::restart_controller: return restart_controller(context);
        case Action::ping: return run_host_program(context, "ping");
        case Action::traceroute: return run_host_program(context, "traceroute");
        case Action::pager: set_pager(context); return {};
        case Action::help: help(context); return {};
        case Action::history: history(context); return {};
        case Action::leave:
        case Action::run:  // the parser reads what stands behind it
        case Action::pipe_match:
        case Action::pipe_except:
        case Action::pipe_find:
        case Action::pipe_count:
        case Action::pipe_last:
        case Action::pipe_save:
        case Action::pipe_compare:
        case Action::pipe_json:
        case Action::pipe_table:
        case Action::pipe_set:
        case Action::pipe_ovs:
        case Action::pipe_no_more: return {};
    }
    return {};
}

bool is_configuration(Action action) {
    return action == Action::show_configuration || action == Action::show_candidate ||
           action == Action::show_rollback;
}

bool has_document(Action action) {
    using enum Action;
    switch (action) {
        case check:
        case ping:
        case traceroute:
        case pager:
        case help:
        case history:
        case leave:
        case configure:
        case confirm:
        case compare: return false;
        case commit:
        case commit_check:
        case status:
        case show_candidate: return true;
        default: return (action < set_statement || action > leave_configure) && !is_live(action);
    }
}

bool knows(Action action, Format format) {
    switch (format) {
        case Format::people: return true;
        case Format::set: return is_configuration(action);
        case Format::ovs: return action == Action::show_flow;
        case Format::table: return action >= Action::show_summary && action <= Action::show_worker;
        case Format::json: return has_document(action);
    }
    return false;
}

/// A pipe that asks for a form the command does not have.
std::optional<Failure> wrong_form(const ParsedLine& line) {
    const Command& command = *line.command.command;
    for (const Parsed& pipe : line.pipes) {
        const Action form = pipe.command->action;
        if (form == Action::pipe_compare && command.action != Action::show_candidate) {
            Failure failure{ExitCode::usage,
                            format("| compare does not go with {}",
                                   command.notation.substr(0, command.notation.find(' '))),
                            "show | compare"};
            failure.begin = pipe.begin;
            failure.end = pipe.end;
            return failure;
        }
        const Format wanted = form == Action::pipe_json    ? Format::json
                              : form == Action::pipe_table ? Format::table
                              : form == Action::pipe_set   ? Format::set
                              : form == Action::pipe_ovs   ? Format::ovs
                                                           : Format::people;
        if (knows(command.action, wanted)) continue;
        Failure failure{ExitCode::usage,
                        format("| {} does not go with {}", pipe.command->notation,
                               command.notation.substr(0, command.notation.find(" ["))),
                        wanted == Format::set   ? "show configuration | display set"
                        : wanted == Format::ovs ? "show flow | display ovs"
                                                : ""};
        failure.begin = pipe.begin;
        failure.end = pipe.end;
        return failure;
    }
    return std::nullopt;
}

}  // namespace

bool is_live(Action action) {
    return action == Action::monitor_ports || action == Action::monitor_flows ||
           action == Action::monitor_log;
}

std::expected<AfterCommand, Failure> execute(const ParsedLine& line, const Surroundings& around,
                                             LineSink& out) {
    if (line.command.command->action == Action::leave) return AfterCommand::leave;
    if (auto wrong = wrong_form(line)) return std::unexpected(std::move(*wrong));
    auto filters = make_filters(line.pipes, out);
    if (!filters) return std::unexpected(std::move(filters.error()));
    const Done done = run(Context(line, around, **filters));
    if (!done) {
        out.end();  // what came before the failure is shown; filters have nothing to say
        return std::unexpected(done.error());
    }
    (*filters)->end();
    if (auto fault = (*filters)->fault()) return std::unexpected(std::move(*fault));
    return AfterCommand::go_on;
}

}  // namespace raicho::shell
