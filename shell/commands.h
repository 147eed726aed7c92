// SPDX-License-Identifier: Apache-2.0
// Every command of lagosh in one table: parsing, unique prefixes, `?`, Tab, the man page and
// docs/lagosh.md derive from it. Neighbour: execute.h carries the actions out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "shell/grammar.h"

namespace raicho::shell {

enum class Action : std::uint8_t {
    show_summary,
    show_version,
    show_bridge,
    show_port,
    show_controller,
    show_flow,
    show_flow_count,
    show_table,
    show_mac,
    show_memory,
    show_worker,
    show_configuration,
    load,
    check,
    add_port,
    delete_port,
    clear_mac,
    help,
    history,
    leave,
    // behind a `|`
    pipe_match,
    pipe_except,
    pipe_find,
    pipe_count,
    pipe_last,
    pipe_json,
    pipe_no_more,
};

/// Modes a command is known in, as bits. Only the operational mode exists so far.
using Modes = std::uint8_t;
inline constexpr Modes kOperate = 1;

struct Command {
    Action action;
    Modes modes;
    std::string_view notation;
    std::string_view help;  // one line
};

inline constexpr std::array<Command, 21> kCommands{{
    {Action::show_summary, kOperate, "show",
     "what is up, and why nothing is forwarded where nothing is"},
    {Action::show_version, kOperate, "show version", "versions, uptime, run directory"},
    {Action::show_bridge, kOperate, "show bridge [BRIDGE]",
     "bridges and what they do with packets"},
    {Action::show_port, kOperate, "show port [PORT]", "ports: state, counters, drops by reason"},
    {Action::show_controller, kOperate, "show controller [BRIDGE]",
     "controllers and listeners, why a connection failed"},
    {Action::show_flow, kOperate, "show flow [BRIDGE] [brief] [table TABLE]",
     "flow entries with their counters"},
    {Action::show_flow_count, kOperate, "show flow count [BRIDGE]",
     "numbers of flow entries by table"},
    {Action::show_table, kOperate, "show table [BRIDGE]", "tables: flows, lookups, matches"},
    {Action::show_mac, kOperate, "show mac [BRIDGE]", "addresses that NORMAL has learned"},
    {Action::show_memory, kOperate, "show memory", "the shared memory: backing, regions, use"},
    {Action::show_worker, kOperate, "show worker", "forwarding workers: load and packets"},
    {Action::show_configuration, kOperate, "show configuration",
     "the running configuration as a file would say it"},
    {Action::load, kOperate, "load FILE", "replace the running configuration by a file's"},
    {Action::check, kOperate, "check FILE", "check a configuration file; needs no agent"},
    {Action::add_port, kOperate, "add port BRIDGE NAME [OPTIONS]", "add a port to a live bridge"},
    {Action::delete_port, kOperate, "delete port BRIDGE PORT", "take a port out of a live bridge"},
    {Action::clear_mac, kOperate, "clear mac [BRIDGE]", "forget the learned addresses"},
    {Action::help, kOperate, "help", "the commands"},
    {Action::history, kOperate, "history [N]", "what was typed before"},
    {Action::leave, kOperate, "exit", "leave the shell"},
    {Action::leave, kOperate, "quit", "leave the shell"},
}};

/// What may stand behind a `|`.
inline constexpr std::array<Command, 7> kPipes{{
    {Action::pipe_match, kOperate, "match RE", "only lines that match"},
    {Action::pipe_except, kOperate, "except RE", "only lines that do not match"},
    {Action::pipe_find, kOperate, "find RE", "from the first line that matches"},
    {Action::pipe_count, kOperate, "count", "the number of lines"},
    {Action::pipe_last, kOperate, "last [N]", "the last N lines (10)"},
    {Action::pipe_json, kOperate, "json", "the same as JSON"},
    {Action::pipe_no_more, kOperate, "no-more", "without stopping at each page"},
}};

/// Help for words that begin several commands or stand in brackets.
struct WordRow {
    std::string_view word;
    std::string_view help;
};
inline constexpr std::array<WordRow, 9> kWordRows{{
    {"add", "add an object to the live switch"},
    {"brief", "aligned columns, ports by name, rate and age"},
    {"clear", "forget learned state"},
    {"count", "only how many"},
    {"delete", "delete an object of the live switch"},
    {"mac", "learned addresses"},
    {"port", "a port"},
    {"show", "look at the switch"},
    {"table", "only one table"},
}};

namespace detail {
template <std::size_t n>
constexpr std::array<Syntax, n> read_all(const std::array<Command, n>& commands) {
    std::array<Syntax, n> all{};
    for (std::size_t i = 0; i < n; ++i) all[i] = read_syntax(commands[i].notation);
    return all;
}
inline constexpr auto kCommandSyntax = read_all(kCommands);
inline constexpr auto kPipeSyntax = read_all(kPipes);
static_assert(std::ranges::all_of(kCommandSyntax, &Syntax::valid));
static_assert(std::ranges::all_of(kPipeSyntax, &Syntax::valid));
}  // namespace detail

}  // namespace raicho::shell
