// SPDX-License-Identifier: Apache-2.0
#include "shell/execute.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/text.h"
#include "dsl/model/check.h"
#include "dsl/syntax/utf8.h"
#include "shell/check.h"
#include "shell/render.h"
#include "shell/render_flow.h"

namespace raicho::shell {

namespace {

using Done = std::expected<void, Failure>;

bool piped_to(const ParsedLine& line, Action pipe) {
    return std::ranges::any_of(line.pipes,
                               [&](const Parsed& p) { return p.command->action == pipe; });
}

/// One command on its way; the members are what every action works with.
class Execution {
  public:
    Execution(const ParsedLine& line, const Surroundings& around, LineSink& out)
        : command_(line.command), around_(around), agent_(around.agent), out_(out) {
        const bool plain = line.pipes.empty();
        colours_ = plain ? around.colours : Colours::off;
        format_ = piped_to(line, Action::pipe_json) ? Format::json : around.format;
    }

    [[nodiscard]] Done run();

  private:
    void write(const Lines& lines) {
        for (const std::string& line : lines)
            if (out_.line(line) == Want::no_more) return;
    }
    /// A document as JSON or by its renderer.
    template <class Render>
    [[nodiscard]] Done show(const std::string& target, Render render) {
        auto document = agent_.get(target);
        if (!document) return std::unexpected(placed(std::move(document.error()), "BRIDGE"));
        if (format_ == Format::json)
            write_lines(document->pretty(), out_);
        else
            write(render(*document));
        return {};
    }
    [[nodiscard]] std::string of_bridge(const char* target) const {
        return target + bridge_query(command_.text("BRIDGE"));
    }
    /// A refusal is about this argument, unless it says otherwise.
    [[nodiscard]] Failure placed(Failure failure, std::string_view placeholder) const {
        const Argument* argument = command_.find(placeholder);
        if (argument != nullptr && failure.code == ExitCode::failed) {
            failure.begin = argument->begin;
            failure.end = argument->end;
        }
        return failure;
    }
    [[nodiscard]] Done show_port();
    [[nodiscard]] Done show_flow();
    [[nodiscard]] std::expected<std::unique_ptr<FlowPrinter>, Failure> flow_printer();
    [[nodiscard]] Done show_configuration();
    [[nodiscard]] Done change(std::string method, std::string target, std::string body,
                              std::string_view placeholder);
    [[nodiscard]] Done load();
    [[nodiscard]] Done add_port();
    [[nodiscard]] Done delete_port();
    [[nodiscard]] Done clear_mac();
    void help();
    void history();

    const Parsed& command_;
    const Surroundings& around_;
    Agent& agent_;
    LineSink& out_;
    Colours colours_ = Colours::off;
    Format format_ = Format::people;
};

Done Execution::run() {
    const auto in_colour = [this](Lines (*render)(const Json&, Colours)) {
        return [this, render](const Json& document) { return render(document, colours_); };
    };
    switch (command_.command->action) {
        case Action::show_summary: return show("/api/v1/summary", in_colour(render_summary));
        case Action::show_version: return show("/api/v1/version", in_colour(render_version));
        case Action::show_bridge:
            return show(of_bridge("/api/v1/bridges"), in_colour(render_bridges));
        case Action::show_port: return show_port();
        case Action::show_controller:
            return show(of_bridge("/api/v1/controllers"), in_colour(render_controllers));
        case Action::show_flow: return show_flow();
        case Action::show_flow_count:
            return show(of_bridge("/api/v1/flows/count"), render_flow_count);
        case Action::show_table: return show(of_bridge("/api/v1/tables"), render_tables);
        case Action::show_mac: return show(of_bridge("/api/v1/mac"), render_macs);
        case Action::show_memory: return show("/api/v1/memory", render_memory);
        case Action::show_worker: return show("/api/v1/workers", in_colour(render_workers));
        case Action::show_configuration: return show_configuration();
        case Action::load: return load();
        case Action::check: return check_file(std::string(command_.text("FILE")), out_);
        case Action::add_port: return add_port();
        case Action::delete_port: return delete_port();
        case Action::clear_mac: return clear_mac();
        case Action::help: help(); return {};
        case Action::history: history(); return {};
        case Action::leave:
        case Action::pipe_match:
        case Action::pipe_except:
        case Action::pipe_find:
        case Action::pipe_count:
        case Action::pipe_last:
        case Action::pipe_json:
        case Action::pipe_no_more: return {};
    }
    return {};
}

Done Execution::show_port() {
    auto document = agent_.get("/api/v1/ports");
    if (!document) return std::unexpected(std::move(document.error()));
    std::vector<Json> ports = document->items();
    const std::string_view wanted = command_.text("PORT");
    if (!wanted.empty()) {
        const auto named = [&](const Json& p) { return p.text("name") == wanted; };
        const auto number = parse_number(wanted);
        const auto numbered = [&](const Json& p) {
            return number && p.number("number") == *number;
        };
        std::vector<Json> found;
        std::ranges::copy_if(ports, std::back_inserter(found), named);
        if (found.empty()) std::ranges::copy_if(ports, std::back_inserter(found), numbered);
        if (found.empty()) {
            std::vector<std::string> names;
            for (const Json& p : ports) names.push_back(p.text("name"));
            const std::vector<std::string_view> known(names.begin(), names.end());
            const auto near = did_you_mean(wanted, known);
            return std::unexpected(
                placed({ExitCode::failed,
                        format("no port \"{}\"", wanted),
                        near ? format("did you mean \"{}\"?", *near) : "show port lists them",
                        0,
                        0,
                        {}},
                       "PORT"));
        }
        ports = std::move(found);
    }
    if (format_ == Format::json) {
        out_.line("[");
        for (std::size_t i = 0; i < ports.size(); ++i)
            write_lines(ports[i].pretty() + (i + 1 < ports.size() ? "," : ""), out_);
        out_.line("]");
    } else if (wanted.empty()) {
        write(render_ports(ports, colours_));
    } else {
        for (const Json& port : ports) write(render_port(port, colours_));
    }
    return {};
}

std::expected<std::unique_ptr<FlowPrinter>, Failure> Execution::flow_printer() {
    if (format_ == Format::json) return json_flow_printer(out_);
    if (command_.has("brief")) {
        auto ports = agent_.get(of_bridge("/api/v1/ports"));
        if (!ports) return std::unexpected(placed(std::move(ports.error()), "BRIDGE"));
        PortNames names;
        for (const Json& p : ports->items())
            names.emplace(std::pair(p.text("bridge"), p.number("number")), p.text("name"));
        return brief_flow_printer(out_, std::move(names), colours_);
    }
    auto bridges = agent_.get(of_bridge("/api/v1/bridges"));
    if (!bridges) return std::unexpected(placed(std::move(bridges.error()), "BRIDGE"));
    std::vector<std::string> names;
    for (const Json& b : bridges->items()) names.push_back(b.text("name"));
    return full_flow_printer(out_, std::move(names));
}

Done Execution::show_flow() {
    auto printer = flow_printer();
    if (!printer) return std::unexpected(std::move(printer.error()));
    std::string target = of_bridge("/api/v1/flows");
    if (const std::string_view table = command_.text("TABLE"); !table.empty())
        target += format("{}table={}", command_.find("BRIDGE") != nullptr ? "&" : "?", table);
    LineCutter cutter;
    Done bad{};
    const auto take = [&](std::string_view line) {
        const auto flow = Json::parse(line);
        if (!flow) {
            bad = std::unexpected(Failure{ExitCode::failed, "the agent sent no JSON"});
            return Want::no_more;
        }
        return (*printer)->flow(*flow);
    };
    const Done streamed = agent_.stream(target, [&](std::string_view piece) {
        return cutter.feed(piece, take) == Want::more ? KeepReading::yes : KeepReading::no;
    });
    if (!streamed) return std::unexpected(placed(streamed.error(), "BRIDGE"));
    if (!bad) return bad;
    (*printer)->end();
    return {};
}

Done Execution::show_configuration() {
    auto text = agent_.get_text("/api/v1/config/running");
    if (!text) return std::unexpected(std::move(text.error()));
    if (format_ == Format::json)
        out_.line(json_object({{"configuration", *text}}));
    else
        write_lines(*text, out_);
    return {};
}

Done Execution::change(std::string method, std::string target, std::string body,
                       std::string_view placeholder) {
    auto report = agent_.send(std::move(method), std::move(target), std::move(body));
    agent_.forget_names();
    if (!report) return std::unexpected(placed(std::move(report.error()), placeholder));
    if (format_ == Format::json)
        write_lines(report->pretty(), out_);
    else
        write(render_change(*report));
    return {};
}

/// A file's bytes; the failure points at the FILE argument.
std::expected<std::string, Failure> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file)
        return std::unexpected(Failure{ExitCode::failed, format("cannot read \"{}\"", path)});
    return text;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const dsl::Character character = dsl::first_character(text);
        if (!character.valid) return false;
        text.remove_prefix(character.size);
    }
    return true;
}

Done Execution::load() {
    const std::string path(command_.text("FILE"));
    auto text = read_file(path);
    if (!text) return std::unexpected(placed(std::move(text.error()), "FILE"));
    // JSON cannot carry other bytes; the checker says where they are.
    if (!is_utf8(*text))
        return std::unexpected(Failure{ExitCode::refused,
                                       format("{}: refused", path),
                                       {},
                                       0,
                                       0,
                                       dsl::check(*text, path, flow_checker()).report()});
    return change("POST", "/api/v1/config/load", json_object({{"text", *text}, {"file", path}}),
                  "FILE");
}

Done Execution::add_port() {
    const Argument* options = command_.find("OPTIONS");
    const std::string_view text = options == nullptr ? std::string_view{} : options->text;
    Done done =
        change("POST", format("/api/v1/bridges/{}/ports", percent_encode(command_.text("BRIDGE"))),
               json_object({{"name", command_.text("NAME")}, {"options", text}}), "BRIDGE");
    // A place within the options, from 1: move it to the line.
    if (!done && done.error().code == ExitCode::refused && done.error().begin != 0) {
        Failure& failure = done.error();
        const std::size_t shift = options == nullptr ? 0 : options->begin;
        failure.begin += shift - 1;
        failure.end += shift - 1;
    }
    return done;
}

Done Execution::delete_port() {
    return change("DELETE",
                  format("/api/v1/bridges/{}/ports/{}", percent_encode(command_.text("BRIDGE")),
                         percent_encode(command_.text("PORT"))),
                  {}, "PORT");
}

Done Execution::clear_mac() {
    auto answer = agent_.send("DELETE", of_bridge("/api/v1/mac"), {});
    if (!answer) return std::unexpected(placed(std::move(answer.error()), "BRIDGE"));
    out_.line("learned addresses forgotten");
    return {};
}

void Execution::help() {
    Columns columns({Align::left, Align::left});
    for (const Command& command : kCommands) columns.row({command.notation, command.help});
    for (const Command& pipe : kPipes) columns.row({format("… | {}", pipe.notation), pipe.help});
    write(columns.lines());
    out_.line("Words may be shortened; ? lists what may follow, Tab completes.");
}

void Execution::history() {
    constexpr std::size_t kAll = 1000;
    if (!around_.history) return;
    for (const std::string& line : around_.history(parse_number(command_.text("N")).value_or(kAll)))
        if (out_.line(line) == Want::no_more) return;
}

}  // namespace

std::expected<AfterCommand, Failure> execute(const ParsedLine& line, const Surroundings& around,
                                             LineSink& out) {
    if (line.command.command->action == Action::leave) return AfterCommand::leave;
    auto filters = make_filters(line.pipes, out);
    if (!filters) return std::unexpected(from_line_error(std::move(filters.error())));
    const Done done = Execution(line, around, **filters).run();
    if (!done) {
        out.end();  // what came before the failure is shown; filters have nothing to say
        return std::unexpected(done.error());
    }
    (*filters)->end();
    return AfterCommand::go_on;
}

}  // namespace raicho::shell
