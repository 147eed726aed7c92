// SPDX-License-Identifier: Apache-2.0
#include "shell/render.h"

#include <array>

#include "base/ids.h"
#include "base/text.h"

namespace raicho::shell {

namespace {

/// `1 bridge`, `2 bridges`.
std::string counted(std::uint64_t n, std::string_view noun) {
    return format("{} {}{}", with_thousands(n), noun, n == 1 ? "" : "s");
}

void add_verdict(Lines& lines, const Json& bridge, Colours colours) {
    const Colour colour = bridge.flag("forwarding") ? Colour::none : Colour::bad;
    lines.push_back("  " + coloured(bridge.text("verdict"), colour, colours));
    if (const std::string hint = bridge.text("hint"); !hint.empty())
        lines.push_back("    help: " + hint);
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    auto value = static_cast<double>(bytes);
    // Half a unit below the next is shown as the next: 1023.6 kB reads 1 MB.
    while (value >= 1023.5 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    std::string text = format("{:.{}f}", value, unit == 0 || value >= 100 ? 0 : 1);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return format("{} {}", text, kUnits[unit]);
}

std::string speed_text(std::uint64_t mbps) {
    if (mbps == 0) return {};
    if (mbps % 1000 == 0) return format("{} Gbit/s", mbps / 1000);
    return format("{} Mbit/s", mbps);
}

std::string port_number_text(std::uint64_t number) {
    return number == port::kLocal.value() ? "LOCAL" : format("{}", number);
}

std::string identity_line(const Json& document) {
    return format("Raicho {} on {}, up {}", document.text("version"), document.text("name"),
                  age_text(document.number("uptime_ns")));
}

Lines render_summary(const Json& summary, Colours colours) {
    Lines lines{identity_line(summary),
                format("run directory {} ({})", summary.text("rundir"), summary.text("start"))};
    const Json dataplane = summary["dataplane"];
    lines.push_back("dataplane " + coloured(dataplane.text("state"),
                                            dataplane.flag("attached") ? Colour::none : Colour::bad,
                                            colours));
    const auto bridges = summary["bridges"].items();
    lines.emplace_back(bridges.empty() ? "no bridges: load FILE brings a configuration"
                                       : "bridges");
    for (const Json& bridge : bridges) add_verdict(lines, bridge, colours);
    const auto warnings = summary["warnings"].items();
    if (!warnings.empty()) lines.emplace_back("warnings");
    for (const Json& warning : warnings)
        lines.push_back("  " + coloured(warning.text(), Colour::bad, colours));
    return lines;
}

Lines render_version(const Json& version, Colours colours) {
    const Json dataplane = version["dataplane"];
    Columns columns({Align::left, Align::left}, colours);
    columns.row({"agent", identity_line(version)});
    columns.row({"start", version.text("start")});
    columns.row({"dataplane", Cell(dataplane.text("state"),
                                   dataplane.flag("attached") ? Colour::none : Colour::bad)});
    if (const std::string why = dataplane.text("last_error");
        !dataplane.flag("attached") && !dataplane.text("state").starts_with(why))
        columns.row({"", why});
    columns.row({"run directory", version.text("rundir")});
    return columns.lines();
}

Lines render_bridges(const Json& bridges, Colours colours) {
    const auto all = bridges.items();
    if (all.empty()) return {"no bridges"};
    Columns columns(
        {Align::left, Align::left, Align::left, Align::right, Align::right, Align::right}, colours);
    columns.row({"BRIDGE", "DPID", "FAIL-MODE", "PORTS UP", "CONTROLLERS", "FLOWS"});
    for (const Json& b : all)
        columns.row({b.text("name"), b.text("dpid"), b.text("fail_mode"),
                     format("{}/{}", b.number("ports_up"), b.number("ports")),
                     format("{}/{}", b.number("controllers_connected"), b.number("controllers")),
                     with_thousands(b.number("flows"))});
    const Lines table = columns.lines();
    Lines lines{table.front()};
    for (std::size_t i = 0; i < all.size(); ++i) {
        lines.push_back(table[i + 1]);
        add_verdict(lines, all[i], colours);
        if (all.size() == 1) lines.push_back(format("  packets: {}", all[i].text("mode")));
    }
    return lines;
}

Lines render_controllers(const Json& document, Colours colours) {
    const auto controllers = document["controllers"].items();
    const auto listens = document["listens"].items();
    if (controllers.empty() && listens.empty()) return {"no controllers and no listeners"};
    Columns columns({Align::left, Align::left, Align::right, Align::right, Align::left}, colours);
    if (!controllers.empty()) columns.row({"BRIDGE", "CONTROLLER", "IN", "OUT", "STATE"});
    for (const Json& c : controllers) {
        std::string state = c.text("state");
        const std::string why = c.text("last_error");
        if (!c.flag("connected") && !state.starts_with(why)) state += format(" ({})", why);
        if (const std::uint64_t lost = c.number("packet_ins_dropped"); lost != 0)
            state += format(", {} packet-ins dropped: it reads too slowly", with_thousands(lost));
        columns.row(
            {c.text("bridge"),
             c.flag("passive") ? format("{} (came in)", c.text("target")) : c.text("target"),
             with_thousands(c.number("messages_in")), with_thousands(c.number("messages_out")),
             Cell(state, c.flag("connected") ? Colour::good : Colour::bad)});
    }
    Lines lines = columns.lines();
    if (listens.empty()) return lines;
    Columns listeners({Align::left, Align::left, Align::left});
    listeners.row({"BRIDGE", "LISTENER", "STATE"});
    for (const Json& l : listens)
        listeners.row({l.text("bridge"), l.text("target"), l.text("state")});
    for (std::string& line : listeners.lines()) lines.push_back(std::move(line));
    return lines;
}

Lines render_change(const Json& report) {
    Lines lines;
    for (const Json& step : report["steps"].items()) lines.push_back(step.text());
    if (lines.empty()) lines.emplace_back("nothing to change: running is already so");
    for (const Json& notice : report["notices"].items())
        lines.push_back(format("note: {}", notice.text()));
    for (const Json& warning : report["warnings"].items()) {
        const std::uint64_t line = warning.number("line");
        const std::string place =
            line == 0 ? std::string()
                      : format("{}:{}:{}: ", warning.text("file"), line, warning.number("column"));
        lines.push_back(format("{}warning: {}", place, warning.text("text")));
        if (const std::string hint = warning.text("hint"); !hint.empty())
            lines.push_back("  help: " + hint);
    }
    return lines;
}

std::string render_greeting(const Json& summary) {
    const auto bridges = summary["bridges"].items();
    std::uint64_t controllers = 0;
    std::uint64_t connected = 0;
    for (const Json& bridge : bridges) {
        controllers += bridge.number("controllers");
        connected += bridge.number("controllers_connected");
    }
    std::string line = format("{}: {}", identity_line(summary), counted(bridges.size(), "bridge"));
    if (controllers != 0)
        line += format(", {} of {} up", connected, counted(controllers, "controller"));
    if (!summary["dataplane"].flag("attached")) line += ", no dataplane";
    if (const auto n = summary["warnings"].items().size(); n != 0)
        line += format(", {} (show)", counted(n, "warning"));
    return line;
}

}  // namespace raicho::shell
