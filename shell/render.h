// SPDX-License-Identifier: Apache-2.0
// The agent's documents (docs/api.md) as lines for people: sorted, aligned, 80 columns where the
// names allow it. Pure functions; render_flow.h does the same for flows, which may be many.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/columns.h"
#include "shell/render_json.h"

namespace raicho::shell {

using Lines = std::vector<std::string>;

[[nodiscard]] Lines render_summary(const Json& summary, Colours colours);
[[nodiscard]] Lines render_version(const Json& version, Colours colours);
[[nodiscard]] Lines render_bridges(const Json& bridges, Colours colours);
[[nodiscard]] Lines render_controllers(const Json& controllers, Colours colours);
/// All ports as a table for each bridge, or each port at length.
/// On a screen of `columns` (0 = no screen) that is too narrow the table has no totals.
[[nodiscard]] Lines render_ports(const std::vector<Json>& ports, Colours colours,
                                 std::size_t columns = 0);
[[nodiscard]] Lines render_port(const Json& port, Colours colours);
[[nodiscard]] Lines render_flow_count(const Json& counts);
[[nodiscard]] Lines render_tables(const Json& tables);
/// Each group with its buckets, each meter with its bands below.
[[nodiscard]] Lines render_groups(const Json& groups);
[[nodiscard]] Lines render_meters(const Json& meters);
[[nodiscard]] Lines render_queues(const Json& queues);
[[nodiscard]] Lines render_locals(const Json& locals, Colours colours);
[[nodiscard]] Lines render_macs(const Json& macs);
[[nodiscard]] Lines render_memory(const Json& memory);
[[nodiscard]] Lines render_workers(const Json& workers, Colours colours);
/// What a change did: its steps, notices and warnings.
[[nodiscard]] Lines render_change(const Json& report);
/// The line after connecting: version, uptime, bridges, controllers up or down, warnings.
[[nodiscard]] std::string render_greeting(const Json& summary);

/// Green while a port is up, red when it is not and should be.
[[nodiscard]] Colour health_colour(const Json& port);
/// Packets that a port lost, whoever counted them.
[[nodiscard]] std::uint64_t drops_of(const Json& port);
/// By bridge, then by number.
void sort_ports(std::vector<Json>& ports);

/// `Raicho 0.1.0 on lab, up 3m12s`
[[nodiscard]] std::string identity_line(const Json& document);
/// `1.2 kB`, `640 MB`: powers of 1024, as memory is counted.
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// `12.3k`; a dash while nothing is known, 0 when nothing came.
[[nodiscard]] std::string per_second(std::optional<double> rate);
/// The same of a member of a port.
[[nodiscard]] std::string rate_text(const Json& port, const std::string& member);
/// `10 Gbit/s`, empty when unknown.
[[nodiscard]] std::string speed_text(std::uint64_t mbps);
/// `LOCAL` for the local port, else the number.
[[nodiscard]] std::string port_number_text(std::uint64_t number);

}  // namespace raicho::shell
