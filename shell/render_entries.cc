// SPDX-License-Identifier: Apache-2.0
// Groups, meters, queues and local interfaces.
#include "base/text.h"
#include "shell/render.h"

namespace raicho::shell {

namespace {

/// Rows of `columns` (a heading first), each followed by lines of its own.
Lines interleaved(const Columns& columns, const std::vector<Lines>& below) {
    const Lines rows = columns.lines();
    Lines lines{rows.front()};
    for (std::size_t i = 0; i < below.size(); ++i) {
        lines.push_back(rows[i + 1]);
        for (const std::string& line : below[i]) lines.push_back("    " + line);
    }
    return lines;
}

std::string counters(const Json& counted) {
    return format("{} packets, {} bytes", with_thousands(counted.number("packet_count")),
                  with_thousands(counted.number("byte_count")));
}

std::string bucket_text(const Json& bucket, std::size_t number) {
    std::string text = format("bucket {}: ", number);
    if (const std::uint64_t weight = bucket.number("weight"); weight != 0)
        text += format("weight {}, ", weight);
    if (const Json port = bucket["watch_port"]; !port.null())
        text += format("watches port {}, ", port_number_text(port.number()));
    if (const Json group = bucket["watch_group"]; !group.null())
        text += format("watches group {}, ", group.number());
    return text + format("{} ({})", bucket.text("actions_text"), counters(bucket));
}

std::string band_text(const Json& band, std::string_view unit) {
    std::string text = format("above {} {}", with_thousands(band.number("rate")),
                              unit == "packets" ? "packets/s" : "kbit/s");
    if (const std::uint64_t burst = band.number("burst_size"); burst != 0)
        text += format(", burst {} {}", with_thousands(burst), unit);
    text += band.text("type") == "drop"
                ? std::string(": drop")
                : format(": raise the drop precedence by {}", band.number("prec_level"));
    return text + format(" ({})", counters(band));
}

/// Tenths of a percent, a dash for none.
std::string share_text(const Json& tenths) {
    if (tenths.null()) return "-";
    return format("{}.{}%", tenths.number() / 10, tenths.number() % 10);
}

std::string joined(const Json& texts) {
    std::string all;
    for (const Json& text : texts.items())
        all += format("{}{}", all.empty() ? "" : " ", text.text());
    return all.empty() ? "-" : all;
}

bool has_flag(const Json& meter, std::string_view flag) {
    for (const Json& one : meter["flags"].items())
        if (one.text() == flag) return true;
    return false;
}

}  // namespace

Lines render_groups(const Json& groups) {
    const auto all = groups.items();
    if (all.empty()) return {"no groups"};
    Columns columns({Align::left, Align::right, Align::left, Align::right, Align::right,
                     Align::right, Align::right});
    columns.row({"BRIDGE", "GROUP", "TYPE", "USED BY", "PACKETS", "BYTES", "AGE"});
    std::vector<Lines> below;
    for (const Json& g : all) {
        columns.row({g.text("bridge"), format("{}", g.number("group")), g.text("type"),
                     format("{}", g.number("ref_count")), with_thousands(g.number("packet_count")),
                     with_thousands(g.number("byte_count")), age_text(g.number("age_ns"))});
        Lines& buckets = below.emplace_back();
        for (const Json& bucket : g["buckets"].items())
            buckets.push_back(bucket_text(bucket, buckets.size() + 1));
    }
    return interleaved(columns, below);
}

Lines render_meters(const Json& meters) {
    const auto all = meters.items();
    if (all.empty()) return {"no meters"};
    Columns columns(
        {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
    columns.row({"BRIDGE", "METER", "FLOWS", "PACKETS", "BYTES", "AGE"});
    std::vector<Lines> below;
    for (const Json& m : all) {
        columns.row({m.text("bridge"), m.text("meter"), format("{}", m.number("flow_count")),
                     with_thousands(m.number("packet_count")),
                     with_thousands(m.number("byte_count")), age_text(m.number("age_ns"))});
        const std::string_view unit = has_flag(m, "pktps") ? "packets" : "kbit";
        Lines& bands = below.emplace_back();
        for (const Json& band : m["bands"].items()) bands.push_back(band_text(band, unit));
    }
    return interleaved(columns, below);
}

Lines render_queues(const Json& queues) {
    const auto all = queues.items();
    if (all.empty()) return {"no queues"};
    Columns columns({Align::left, Align::left, Align::right, Align::right, Align::right,
                     Align::right, Align::right, Align::right});
    columns.row({"BRIDGE", "PORT", "QUEUE", "MIN", "MAX", "TX PKT", "TX BYTES", "LOST"});
    for (const Json& q : all)
        columns.row({q.text("bridge"),
                     format("{} ({})", q.text("port_name"), port_number_text(q.number("port"))),
                     format("{}", q.number("queue")), share_text(q["min_rate"]),
                     share_text(q["max_rate"]), with_thousands(q.number("tx_packets")),
                     with_thousands(q.number("tx_bytes")), with_thousands(q.number("tx_errors"))});
    return columns.lines();
}

Lines render_locals(const Json& locals, Colours colours) {
    const auto all = locals.items();
    if (all.empty()) return {"no bridge has an interface of its own (local in the configuration)"};
    Columns columns({Align::left, Align::left, Align::left, Align::left, Align::right, Align::right,
                     Align::right, Align::left},
                    colours);
    columns.row({"BRIDGE", "INTERFACE", "ADDRESSES", "MAC", "MTU", "RX PKT", "TX PKT", "STATE"});
    for (const Json& l : all)
        columns.row({l.text("bridge"), l.text("device"), joined(l["addresses"]), l.text("mac"),
                     l.number("mtu") == 0 ? "-" : format("{}", l.number("mtu")),
                     with_thousands(l.number("rx_packets")), with_thousands(l.number("tx_packets")),
                     Cell(l.text("state"), health_colour(l))});
    return columns.lines();
}

}  // namespace raicho::shell
