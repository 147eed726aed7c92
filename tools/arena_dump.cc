// SPDX-License-Identifier: Apache-2.0
// raicho-arena-dump RUNDIR: every bridge, port, group, meter, table and flow of a switch from the
// arena's file alone, read-only; both daemons may be dead or alive. Layout: docs/shm-layout.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <span>
#include <string_view>

#include "base/text.h"
#include "openflow/codec.h"
#include "openflow/text.h"
#include "shm/arena.h"
#include "shm/text_field.h"
#include "shm/walk.h"

namespace raicho {
namespace {

using shm::ArenaView;

template <class... Args>
void line(fmt::format_string<Args...> text, Args&&... args) {
    std::puts(format(text, std::forward<Args>(args)...).c_str());
}

std::uint64_t now_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

const char* name_of(shm::BridgeMode mode) {
    switch (mode) {
        case shm::BridgeMode::unused: return "unused";
        case shm::BridgeMode::flows_drop: return "flows, a miss drops";
        case shm::BridgeMode::flows_normal: return "flows, a miss goes to NORMAL";
        case shm::BridgeMode::normal: return "NORMAL";
    }
    return "?";
}
const char* name_of(shm::PortKind kind) {
    switch (kind) {
        case shm::PortKind::none: return "none";
        case shm::PortKind::af_packet: return "af-packet";
        case shm::PortKind::tap: return "tap";
        case shm::PortKind::null: return "null";
        case shm::PortKind::ethdev: return "ethdev";
        case shm::PortKind::local: return "local";
    }
    return "?";
}
const char* name_of(shm::PortHealth health) {
    switch (health) {
        case shm::PortHealth::closed: return "closed";
        case shm::PortHealth::up: return "up";
        case shm::PortHealth::down: return "down";
        case shm::PortHealth::absent: return "absent";
        case shm::PortHealth::failed: return "failed";
    }
    return "?";
}

void print_header(const ArenaView& arena) {
    const auto& agent = arena.agent_words();
    const auto& dataplane = arena.dataplane_words();
    const shm::ArenaConfig config = arena.config();
    line("Arena: {}, {} MB, {}, layout {:#018x}", arena.path(), arena.size() >> 20,
         arena.backing_text(), arena.header().layout_hash);
    line(" max-flows {}, ports {}, bridges {}, workers {}", config.max_flows, config.max_ports,
         config.max_bridges, config.max_workers);
    line(" agent: pid {}, generation {}", agent.pid.load(), agent.generation.load());
    line(" dataplane: pid {}, generation {}", dataplane.pid.load(), dataplane.generation.load());
}

void print_ports(const ArenaView& arena, std::uint16_t bridge) {
    std::map<std::uint32_t, PortSlot> ports;  // by number
    for (std::uint16_t s = 0; s < arena.max_ports(); ++s) {
        const shm::WantedPort& port = arena.wanted_port(PortSlot(s));
        if (port.phase.load() != shm::PortPhase::free && port.bridge == bridge)
            ports.emplace(port.port_no, PortSlot(s));
    }
    for (const auto& [number, slot] : ports) {
        const shm::WantedPort& port = arena.wanted_port(slot);
        const shm::PortStatus& status = arena.port_status(slot);
        const shm::PortCounters sum = arena.port_totals(slot);
        line(" Port: {} {} {} {} {}{}{}, rx {} packets {} bytes, tx {} packets {} bytes",
             openflow::to_text(PortNo(number)), shm::get_text(port.name), name_of(port.kind),
             shm::get_text(port.device), name_of(status.health), status.text[0] != 0 ? ": " : "",
             shm::get_text(status.text), sum.rx_packets, sum.rx_bytes, sum.tx_packets,
             sum.tx_bytes);
    }
}

void print_flow(const ArenaView& arena, std::uint32_t flow) {
    const shm::FlowHot& hot = arena.hot(flow);
    const shm::FlowBody body = hot.body.load();
    const shm::FlowCold& cold = arena.cold(body.cold);
    const ArenaView::FlowSum sum = arena.flow_sum(flow, now_ns());
    const auto match = openflow::decode_match_fields(match_bytes(arena, cold));
    const auto instructions = openflow::decode_instructions(instruction_bytes(arena, body.program));
    const std::string match_text = match ? openflow::to_text(*match) : "damaged match";
    line(
        "  priority={},idle_timeout={},hard_timeout={},flags={},cookie={},packet_count={},"
        "byte_count={}{}{} actions={}",
        hot.priority, cold.idle_timeout, cold.hard_timeout, cold.flags, cold.cookie,
        packets_since(cold, sum), bytes_since(cold, sum), match_text.empty() ? "" : ",", match_text,
        instructions ? openflow::to_text(*instructions) : "damaged");
}

/// False when the table is damaged.
bool print_table(const ArenaView& arena, BridgeId bridge, TableId table) {
    std::string kind = "none";
    std::vector<std::uint32_t> flows;
    shm::TableVisitor visitor;
    visitor.on_descriptor = [&](std::uint32_t, const shm::TableDescriptor& d) {
        const std::span rows(d.tuples(), std::min<std::size_t>(d.n_tuples, shm::kMaxTuples));
        const auto gaps = std::ranges::count(rows, shm::kNone, &shm::TupleRow::mask);
        const std::size_t n_tuples = rows.size() - static_cast<std::size_t>(gaps);
        kind = format("{}, {} {}, {} buckets{}", name_of(d.kind), n_tuples,
                      n_tuples == 1 ? "mask" : "tuples", d.n_buckets,
                      d.n_fields != 0 ? format(", a filter of {} fields", d.n_fields) : "");
    };
    visitor.on_flow = [&](std::uint32_t flow, bool) { flows.push_back(flow); };
    const auto walked = walk_table(arena, bridge, table, visitor);
    if (!walked) std::fprintf(stderr, "error: %s\n", walked.error().text.c_str());
    if (flows.empty()) return walked.has_value();
    std::ranges::stable_sort(flows, std::greater{},
                             [&](std::uint32_t flow) { return arena.hot(flow).priority; });
    line(" Table id: {}", table.value());
    const shm::TableCounters sum = arena.table_totals(bridge, table);
    line("  template {}, {} flows, lookups {}, matched {}", kind, flows.size(), sum.lookups,
         sum.matched);
    for (const std::uint32_t flow : flows) print_flow(arena, flow);
    return walked.has_value();
}

const char* name_of(shm::GroupType type) {
    switch (type) {
        case shm::GroupType::all: return "all";
        case shm::GroupType::select: return "select";
        case shm::GroupType::indirect: return "indirect";
        case shm::GroupType::fast_failover: return "fast_failover";
    }
    return "?";
}

/// Rows of the bridge in ascending order of numbers.
std::map<std::uint32_t, std::uint32_t> rows_of(const shm::NamedRows& rows, std::uint16_t bridge) {
    std::map<std::uint32_t, std::uint32_t> found;
    for (std::uint32_t i = 1; i < rows.rows.size(); ++i)
        if (rows[i].state.load() != 0 && rows[i].bridge == bridge) found.emplace(rows[i].id, i);
    return found;
}

void print_groups(const ArenaView& arena, std::uint16_t bridge) {
    const shm::NamedRows rows = arena.groups();
    for (const auto& [id, row] : rows_of(rows, bridge)) {
        const std::uint32_t body = rows[row].body.load();
        const shm::Tally sum =
            arena.group_sum(row) - shm::Tally{rows[row].base_packets, rows[row].base_bytes};
        const auto buckets = arena.buckets_of(body);
        line(" Group: {} {}, {} buckets, {} packets {} bytes", id,
             name_of(arena.group_body(body).type), buckets.size(), sum.packets, sum.bytes);
        for (const shm::BucketRow& b : buckets) {
            const shm::Tally part =
                arena.bucket_sum(b.counter) - shm::Tally{b.base_packets, b.base_bytes};
            std::string watched;
            if (b.watch_port != shm::kWatchNone)
                watched += format(" watch_port={}", openflow::to_text(PortNo(b.watch_port)));
            if (b.watch_group != shm::kWatchNone)
                watched += format(" watch_group={}", b.watch_group);
            line("  bucket: weight to {}{}, {} packets {} bytes", b.weight_end, watched,
                 part.packets, part.bytes);
        }
    }
}

void print_meters(const ArenaView& arena, std::uint16_t bridge) {
    const shm::NamedRows rows = arena.meters();
    for (const auto& [id, row] : rows_of(rows, bridge)) {
        const std::uint32_t body = rows[row].body.load();
        const shm::Tally sum =
            arena.meter_sum(row) - shm::Tally{rows[row].base_packets, rows[row].base_bytes};
        const bool packets = arena.meter_body(body).counts_packets();
        line(" Meter: {}, {} packets {} bytes", id, sum.packets, sum.bytes);
        const auto bands = arena.bands_of(body);
        const shm::BandTallies sums = arena.band_sums(arena.meter_body(body).state);
        for (std::size_t i = 0; i < bands.size(); ++i)
            line("  band: {} above {} {}, {} packets {} bytes",
                 bands[i].type == shm::BandType::drop ? "drop" : "dscp_remark", bands[i].rate,
                 packets ? "packets/s" : "kbit/s", sums.bands[i].packets - bands[i].base_packets,
                 sums.bands[i].bytes - bands[i].base_bytes);
    }
}

int dump(const std::string& rundir) {
    const auto arena = ArenaView::attach(rundir);
    if (!arena) {
        std::fprintf(stderr, "error: %s\n", arena.error().text.c_str());
        return 1;
    }
    print_header(*arena);
    bool whole = true;
    for (std::uint16_t b = 0; b < arena->max_bridges(); ++b) {
        const shm::BridgeRecord& bridge = arena->bridge(BridgeId(b));
        if (bridge.mode.load() == shm::BridgeMode::unused) continue;
        line("Bridge: {}", shm::get_text(bridge.name));
        line(" dpid {:#018x}, {}, {} learned addresses", bridge.dpid, name_of(bridge.mode.load()),
             arena->mac_count(BridgeId(b)));
        print_ports(*arena, b);
        print_groups(*arena, b);
        print_meters(*arena, b);
        for (std::size_t t = 0; t < kTables; ++t)
            whole =
                print_table(*arena, BridgeId(b), TableId(static_cast<std::uint8_t>(t))) && whole;
    }
    return whole ? 0 : 1;
}

}  // namespace
}  // namespace raicho

int main(int argc, char** argv) {
    CLI::App app(
        "Prints every bridge, port, group, meter, table and flow from the arena's file alone.");
    std::string rundir;
    app.add_option("rundir", rundir, "Run directory of the switch")
        ->envname("RAICHO_RUNDIR")
        ->default_val("/run/raicho");
    CLI11_PARSE(app, argc, argv);
    return raicho::dump(rundir);
}
