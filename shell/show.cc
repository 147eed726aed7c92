// SPDX-License-Identifier: Apache-2.0
#include "shell/show.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>

#include "base/text.h"
#include "shell/check.h"
#include "shell/keys.h"
#include "shell/render_flow.h"

namespace raicho::shell {

namespace {

/// The ports that `wanted` names, by name or else by number.
std::vector<Json> ports_named(const std::vector<Json>& ports, std::string_view wanted) {
    std::vector<Json> found;
    std::ranges::copy_if(ports, std::back_inserter(found),
                         [&](const Json& p) { return p.text("name") == wanted; });
    const auto number = parse_number(wanted);
    if (found.empty() && number)
        std::ranges::copy_if(ports, std::back_inserter(found),
                             [&](const Json& p) { return p.number("number") == *number; });
    return found;
}

Failure no_such_port(const std::vector<Json>& ports, std::string_view wanted) {
    std::vector<std::string> names;
    for (const Json& p : ports) names.push_back(p.text("name"));
    const std::vector<std::string_view> known(names.begin(), names.end());
    const auto near = did_you_mean(wanted, known);
    return {ExitCode::failed, format("no port \"{}\"", wanted),
            near ? format("did you mean \"{}\"?", *near) : "show port lists them"};
}

using Printer = std::unique_ptr<FlowPrinter>;

std::expected<Printer, Failure> flow_printer(const Context& context) {
    const bool sorted = context.command().find("ORDER") != nullptr;
    if (context.format() == Format::json) return json_flow_printer(context.out());
    if (context.format() == Format::ovs) return ovs_flow_printer(context.out());
    if (sorted || context.command().has("brief") || context.format() == Format::table) {
        auto ports = context.agent().get(context.of_bridge("/api/v1/ports"));
        if (!ports) return std::unexpected(context.placed(std::move(ports.error()), "BRIDGE"));
        PortNames names = port_names(*ports);
        return sorted ? sorted_flow_printer(context.out(), std::move(names), context.colours())
                      : brief_flow_printer(context.out(), std::move(names), context.colours());
    }
    auto bridges = context.agent().get(context.of_bridge("/api/v1/bridges"));
    if (!bridges) return std::unexpected(context.placed(std::move(bridges.error()), "BRIDGE"));
    std::vector<std::string> names;
    for (const Json& b : bridges->items()) names.push_back(b.text("name"));
    return full_flow_printer(context.out(), std::move(names));
}

std::string flow_target(const Context& context) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kParameters{{
        {"bridge", "BRIDGE"},
        {"table", "TABLE"},
        {"match", "FIELDS"},
        {"sort", "ORDER"},
        {"limit", "N"},
    }};
    std::string target = "/api/v1/flows";
    char before = '?';
    for (const auto& [parameter, placeholder] : kParameters) {
        const Argument* argument = context.command().find(placeholder);
        if (argument == nullptr) continue;
        target += format("{}{}={}", before, parameter, percent_encode(argument->text));
        before = '&';
    }
    return target;
}

}  // namespace

Done show_port(const Context& context) {
    auto document = context.agent().get("/api/v1/ports");
    if (!document) return std::unexpected(std::move(document.error()));
    std::vector<Json> ports = document->items();
    const std::string_view wanted = context.text("PORT");
    if (!wanted.empty()) {
        std::vector<Json> found = ports_named(ports, wanted);
        if (found.empty())
            return std::unexpected(context.placed(no_such_port(ports, wanted), "PORT"));
        ports = std::move(found);
    }
    if (context.format() == Format::json) {
        context.out().line("[");
        for (std::size_t i = 0; i < ports.size(); ++i)
            write_lines(ports[i].pretty() + (i + 1 < ports.size() ? "," : ""), context.out());
        context.out().line("]");
    } else if (wanted.empty() || context.format() == Format::table) {
        context.write(render_ports(ports, context.colours(),
                                   context.screen() == Screen::none ? 0 : screen_size().columns));
    } else {
        for (const Json& port : ports) context.write(render_port(port, context.colours()));
    }
    return {};
}

Done show_flow(const Context& context) {
    auto printer = flow_printer(context);
    if (!printer) return std::unexpected(std::move(printer.error()));
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
    const Done streamed = context.agent().stream(flow_target(context), [&](std::string_view piece) {
        return cutter.feed(piece, take) == Want::more ? KeepReading::yes : KeepReading::no;
    });
    if (!streamed) {
        // A place is one in the fields; everything else is about the bridge.
        if (streamed.error().begin != 0)
            return std::unexpected(context.shifted(streamed.error(), "FIELDS"));
        return std::unexpected(context.placed(streamed.error(), "BRIDGE"));
    }
    if (!bad) return bad;
    (*printer)->end();
    return {};
}

std::string log_line(const Json& line, Colours colours) {
    const std::uint64_t time_ms = line.number("time_ms");
    const auto seconds = static_cast<std::time_t>(time_ms / 1000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &local);
    const std::string level = line.text("level");
    const bool heavy = level == "error" || level == "warning";
    return format("{}.{:03} {} {}: {}", text.data(), time_ms % 1000,
                  coloured(level, heavy ? Colour::bad : Colour::dim, colours), line.text("area"),
                  line.text("text"));
}

Done show_log(const Context& context) {
    constexpr std::uint64_t kUsual = 100;
    const std::string_view level = context.text("LEVEL");
    std::string target =
        format("/api/v1/log?limit={}", parse_number(context.text("N")).value_or(kUsual));
    if (!level.empty()) target += format("&level={}", level);
    return context.show(target, [&](const Json& log) {
        Lines lines;
        for (const Json& line : log["lines"].items())
            lines.push_back(log_line(line, context.colours()));
        if (lines.empty()) lines.emplace_back("no lines");
        return lines;
    });
}

}  // namespace raicho::shell
