// SPDX-License-Identifier: Apache-2.0
// Ports, tables, addresses, memory, workers: what is a table on the screen.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "shell/render.h"

namespace raicho::shell {

namespace {

std::string flags_text(const Json& flags) {
    std::string text;
    for (const Json& flag : flags.items())
        text += format("{}{}", text.empty() ? "" : ", ", flag.text());
    return text.empty() ? "-" : text;
}

enum class Totals : bool { hidden, shown };

Lines port_table(const std::vector<Json>& ports, Colours colours, Totals totals) {
    std::vector<Align> alignment{Align::left, Align::left, Align::right};
    std::vector<Cell> heads{"BRIDGE", "PORT", "NO"};
    if (totals == Totals::shown) heads.insert(heads.end(), {"RX PKT", "TX PKT"});
    heads.insert(heads.end(), {"RX PKT/S", "RX BIT/S", "TX PKT/S", "TX BIT/S", "DROPS"});
    alignment.resize(heads.size(), Align::right);
    alignment.push_back(Align::left);
    heads.emplace_back("STATE");
    Columns columns(std::move(alignment), colours);
    columns.row(std::move(heads));
    for (const Json& p : ports) {
        std::vector<Cell> cells{p.text("bridge"), p.text("name"),
                                port_number_text(p.number("number"))};
        if (totals == Totals::shown)
            cells.insert(cells.end(), {with_thousands(p.number("rx_packets")),
                                       with_thousands(p.number("tx_packets"))});
        for (const char* rate : {"rx_pps", "rx_bps", "tx_pps", "tx_bps"})
            cells.emplace_back(rate_text(p, rate));
        cells.emplace_back(with_thousands(drops_of(p)));
        cells.emplace_back(p.text("state"), health_colour(p));
        columns.row(std::move(cells));
    }
    return columns.lines();
}

}  // namespace

Colour health_colour(const Json& port) {
    const std::string health = port.text("health");
    if (health == "up") return Colour::good;
    return health == "closed" ? Colour::none : Colour::bad;
}

std::uint64_t drops_of(const Json& port) {
    std::uint64_t sum = port.number("rx_dropped") + port.number("tx_dropped");
    std::uint64_t by_reason = 0;
    for (const Json& drop : port["drops"].items()) by_reason += drop.number("packets");
    return std::max(sum, by_reason);
}

void sort_ports(std::vector<Json>& ports) {
    std::ranges::stable_sort(ports, [](const Json& a, const Json& b) {
        const std::string bridge_a = a.text("bridge");
        const std::string bridge_b = b.text("bridge");
        if (bridge_a != bridge_b) return natural_less(bridge_a, bridge_b);
        return a.number("number") < b.number("number");
    });
}

std::string per_second(std::optional<double> rate) {
    if (!rate) return "-";
    constexpr std::array<std::string_view, 4> kUnits{"", "k", "M", "G"};
    double value = *rate;
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    return unit == 0 ? format("{:.0f}", value) : format("{:.1f}{}", value, kUnits[unit]);
}

std::string rate_text(const Json& port, const std::string& member) {
    const Json rate = port[member];
    return per_second(rate.null() ? std::nullopt
                                  : std::optional(static_cast<double>(rate.number())));
}

Lines render_ports(const std::vector<Json>& given, Colours colours, std::size_t width) {
    if (given.empty()) return {"no ports"};
    std::vector<Json> ports = given;
    sort_ports(ports);
    Lines whole = port_table(ports, colours, Totals::shown);
    const auto fits = [&](const std::string& line) { return shown_width(line) <= width; };
    if (width == 0 || std::ranges::all_of(whole, fits)) return whole;
    return port_table(ports, colours, Totals::hidden);
}

Lines render_port(const Json& p, Colours colours) {
    Lines lines{format("{}: port {} of {}", p.text("name"), port_number_text(p.number("number")),
                       p.text("bridge"))};
    Columns columns({Align::left, Align::left}, colours);
    columns.row({"state", Cell(p.text("state"), health_colour(p))});
    std::string device = p.text("kind");
    if (const std::string name = p.text("device"); !name.empty()) device += " " + name;
    const bool open = p.number("mtu") != 0;  // else nobody knows queues and link
    if (open)
        device += format(", {} queue{}", p.number("queues"), p.number("queues") == 1 ? "" : "s");
    columns.row({"device", device});
    if (open) {
        const std::string speed = speed_text(p.number("speed_mbps"));
        columns.row({"link", format("{}{}mtu {}, {}", speed, speed.empty() ? "" : ", ",
                                    p.number("mtu"), p.text("mac"))});
    }
    columns.row({"openflow", format("config {}, state {}", flags_text(p["of_config"]),
                                    flags_text(p["of_state"]))});
    columns.row({"age", age_text(p.number("age_ns"))});
    for (const char* way : {"rx", "tx"}) {
        const std::string w = way;
        columns.row(
            {w == "rx" ? "received" : "sent", format("{} packets, {} bytes, {} dropped, {} errors",
                                                     with_thousands(p.number(w + "_packets")),
                                                     with_thousands(p.number(w + "_bytes")),
                                                     with_thousands(p.number(w + "_dropped")),
                                                     with_thousands(p.number(w + "_errors")))});
        columns.row({"", format("{} packets/s, {} bit/s", rate_text(p, w + "_pps"),
                                rate_text(p, w + "_bps"))});
    }
    for (std::string& line : columns.lines("  ")) lines.push_back(std::move(line));
    const auto drops = p["drops"].items();
    if (drops.empty()) return lines;
    lines.emplace_back("  drops");
    Columns reasons({Align::right, Align::left, Align::left});
    for (const Json& drop : drops)
        reasons.row(
            {with_thousands(drop.number("packets")), drop.text("reason"), drop.text("meaning")});
    for (std::string& line : reasons.lines("    ")) lines.push_back(std::move(line));
    return lines;
}

Lines render_flow_count(const Json& counts) {
    const auto bridges = counts.items();
    if (bridges.empty()) return {"no bridges"};
    Columns columns({Align::left, Align::right, Align::right});
    columns.row({"BRIDGE", "TABLE", "FLOWS"});
    for (const Json& bridge : bridges) {
        const auto tables = bridge["tables"].items();
        for (const Json& table : tables)
            columns.row({bridge.text("bridge"), format("{}", table.number("table")),
                         with_thousands(table.number("flows"))});
        if (tables.size() != 1)
            columns.row({bridge.text("bridge"), "all", with_thousands(bridge.number("flows"))});
    }
    return columns.lines();
}

Lines render_tables(const Json& tables) {
    const auto all = tables.items();
    if (all.empty()) return {"no table holds a flow or has seen a packet"};
    Columns columns({Align::left, Align::right, Align::right, Align::right, Align::right,
                     Align::left, Align::right, Align::right});
    columns.row({"BRIDGE", "TABLE", "FLOWS", "LOOKUPS", "MATCHES", "FORM", "TUPLES", "MEMORY"});
    for (const Json& t : all)
        columns.row({t.text("bridge"), format("{}", t.number("table")),
                     with_thousands(t.number("flows")), with_thousands(t.number("lookups")),
                     with_thousands(t.number("matches")), t.text("form"),
                     with_thousands(t.number("tuples")), size_text(t.number("bytes"))});
    return columns.lines();
}

Lines render_macs(const Json& macs) {
    const auto all = macs.items();
    if (all.empty()) return {"no addresses learned (only NORMAL learns)"};
    Columns columns({Align::left, Align::left, Align::right, Align::left, Align::right});
    columns.row({"BRIDGE", "MAC", "VLAN", "PORT", "AGE"});
    for (const Json& m : all)
        columns.row({m.text("bridge"), m.text("mac"),
                     m.number("vlan") == 0 ? "-" : format("{}", m.number("vlan")),
                     format("{} ({})", m.text("port_name"), port_number_text(m.number("port"))),
                     age_text(m.number("age_s") * 1'000'000'000)});
    return columns.lines();
}

Lines render_memory(const Json& memory) {
    Lines lines{format("{}: {}, {}", memory.text("file"), size_text(memory.number("size")),
                       memory.text("backing"))};
    Columns columns({Align::left, Align::right, Align::right, Align::right, Align::right});
    columns.row({"REGION", "USED", "OF", "EACH", "SIZE"});
    for (const Json& r : memory["regions"].items())
        columns.row({r.text("name"), with_thousands(r.number("used")),
                     with_thousands(r.number("limit")), size_text(r.number("unit_size")),
                     size_text(r.number("limit") * r.number("unit_size"))});
    for (std::string& line : columns.lines("  ")) lines.push_back(std::move(line));
    return lines;
}

Lines render_workers(const Json& workers, Colours colours) {
    const auto all = workers.items();
    if (all.empty()) return {"no worker: the dataplane is not running"};
    Columns columns({Align::right, Align::right, Align::right, Align::right, Align::right,
                     Align::right, Align::right, Align::left},
                    colours);
    columns.row({"WORKER", "CORE", "BUSY", "RX PKT", "TX PKT", "DROPS", "PACKET-IN", "STATE"});
    for (const Json& w : all) {
        const Json busy = w["busy"];
        columns.row({format("{}", w.number("worker")), format("{}", w.number("core")),
                     busy.null() ? "-" : format("{:.1f}%", busy.real() * 100),
                     with_thousands(w.number("rx_packets")), with_thousands(w.number("tx_packets")),
                     with_thousands(w.number("dropped")), with_thousands(w.number("packet_ins")),
                     w.text("state")});
    }
    return columns.lines();
}

}  // namespace raicho::shell
