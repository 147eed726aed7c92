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
    show_group,
    show_meter,
    show_queue,
    show_mac,
    show_local,
    show_memory,
    show_worker,
    show_log,
    show_configuration,
    show_commits,
    show_rollback,
    configure,
    confirm,
    load,
    check,
    add_port,
    delete_port,
    add_flow,
    modify_flow,
    delete_flow,
    add_group,
    modify_group,
    delete_group,
    add_meter,
    modify_meter,
    delete_meter,
    test_flow,
    clear_mac,
    restart_agent,
    restart_dataplane,
    restart_controller,
    monitor_ports,
    monitor_flows,
    monitor_log,
    ping,
    traceroute,
    pager,
    help,
    history,
    leave,
    // in configure mode
    set_statement,
    delete_statement,
    activate,
    deactivate,
    rename_statement,
    edit,
    up,
    top,
    run,
    show_candidate,
    compare,
    commit,
    commit_check,
    rollback,
    load_candidate,
    save_candidate,
    update,
    discard,
    status,
    leave_level,
    leave_configure,
    // behind a `|`
    pipe_match,
    pipe_except,
    pipe_find,
    pipe_count,
    pipe_last,
    pipe_save,
    pipe_compare,
    pipe_json,
    pipe_table,
    pipe_set,
    pipe_ovs,
    pipe_no_more,
};

/// Modes a command is known in, as bits.
using Modes = std::uint8_t;
inline constexpr Modes kOperate = 1;
inline constexpr Modes kConfigure = 2;
inline constexpr Modes kBoth = kOperate | kConfigure;
/// A word of Lagopus for a command of ours: understood, but never suggested, and no reason to call
/// a shorter word ambiguous.
inline constexpr Modes kAncestor = 0x80;

struct Command {
    Action action;
    Modes modes;
    std::string_view notation;
    std::string_view help;  // one line
};

inline constexpr std::array kCommands{std::to_array<Command>({
    {Action::show_summary, kOperate, "show",
     "what is up, and why nothing is forwarded where nothing is"},
    {Action::show_version, kOperate, "show version", "versions, uptime, run directory"},
    {Action::show_bridge, kOperate, "show bridge [BRIDGE]",
     "bridges and what they do with packets"},
    {Action::show_port, kOperate, "show port [PORT]", "ports: state, counters, drops by reason"},
    {Action::show_controller, kOperate, "show controller [BRIDGE]",
     "controllers and listeners, why a connection failed"},
    {Action::show_flow, kOperate,
     "show flow [BRIDGE] [brief] [table TABLE] [match FIELDS] [sort ORDER] [top N]",
     "flow entries with their counters"},
    {Action::show_flow_count, kOperate, "show flow count [BRIDGE]",
     "numbers of flow entries by table"},
    {Action::show_table, kOperate, "show table [BRIDGE]",
     "tables: flows, lookups, matches, template"},
    {Action::show_group, kOperate, "show group [BRIDGE]", "groups with their buckets"},
    {Action::show_meter, kOperate, "show meter [BRIDGE]", "meters with their bands"},
    {Action::show_queue, kOperate, "show queue [BRIDGE]", "queues of ports with their counters"},
    {Action::show_mac, kOperate, "show mac [BRIDGE]", "addresses that NORMAL has learned"},
    {Action::show_local, kOperate, "show local [BRIDGE]",
     "the bridges' own host interfaces with their addresses"},
    {Action::show_memory, kOperate, "show memory", "the shared memory: backing, regions, use"},
    {Action::show_worker, kOperate, "show worker", "forwarding workers: load and packets"},
    {Action::show_log, kOperate, "show log [N] [level LEVEL]", "the last lines of the agent's log"},
    {Action::show_configuration, kOperate, "show configuration [PATH]",
     "the running configuration as a file would say it"},
    {Action::show_commits, kOperate, "show system commit",
     "the last commits, running first: when, by whom, why"},
    {Action::show_rollback, kOperate, "show system rollback N [compare N]",
     "the configuration N commits ago, or how another one differs from it"},
    {Action::configure, kOperate, "configure [private]",
     "change the configuration: edit a candidate, then commit it"},
    {Action::confirm, kBoth, "confirm", "keep the commit that waits to be confirmed"},
    {Action::monitor_ports, kOperate, "monitor ports [BRIDGE] [every N] [times N]",
     "ports and their rates, live; q leaves"},
    {Action::monitor_flows, kOperate, "monitor flows [BRIDGE] [match FIELDS] [every N] [times N]",
     "the busiest flows, live; q leaves"},
    {Action::monitor_log, kOperate, "monitor log [level LEVEL]",
     "the agent's log as it grows; q leaves"},
    {Action::load, kOperate, "load FILE", "replace the running configuration by a file's"},
    {Action::check, kOperate, "check FILE", "check a configuration file; needs no agent"},
    {Action::add_port, kOperate, "add port BRIDGE NAME [OPTIONS]", "add a port to a live bridge"},
    {Action::add_flow, kOperate, "add flow BRIDGE FLOW", "add a flow entry, as a controller would"},
    {Action::modify_flow, kOperate, "modify flow BRIDGE FLOW",
     "give new actions to the flows that lie within a match"},
    {Action::delete_port, kOperate, "delete port BRIDGE PORT", "take a port out of a live bridge"},
    {Action::delete_flow, kOperate, "delete flow BRIDGE FLOW",
     "delete the flows that lie within a match; strict,… deletes that one, all every flow"},
    {Action::add_group, kOperate, "add group BRIDGE GROUP", "add a group, as a controller would"},
    {Action::modify_group, kOperate, "modify group BRIDGE GROUP",
     "give a group another type and other buckets"},
    {Action::delete_group, kOperate, "delete group BRIDGE GROUP",
     "delete a group, 7 or group_id=7, with the flows that send to it; all every group"},
    {Action::add_meter, kOperate, "add meter BRIDGE METER", "add a meter, as a controller would"},
    {Action::modify_meter, kOperate, "modify meter BRIDGE METER", "give a meter other bands"},
    {Action::delete_meter, kOperate, "delete meter BRIDGE METER",
     "delete a meter, 7 or meter=7, with the flows that go through it; all every meter"},
    {Action::test_flow, kOperate, "test flow BRIDGE FLOW",
     "the answer a controller would get for it; changes nothing"},
    {Action::clear_mac, kOperate, "clear mac [BRIDGE]", "forget the learned addresses"},
    {Action::restart_agent, kOperate, "restart agent", "start the agent anew; no packet is lost"},
    {Action::restart_dataplane, kOperate, "restart dataplane",
     "start the dataplane anew; packets are missed for about a second"},
    {Action::restart_controller, kOperate, "restart controller [BRIDGE]",
     "end the connections to controllers; they begin anew"},
    {Action::ping, kBoth, "ping HOST [ARGUMENTS]", "the host's ping"},
    {Action::traceroute, kBoth, "traceroute HOST [ARGUMENTS]", "the host's traceroute"},
    {Action::pager, kBoth, "pager on", "stop long output at each screen"},
    {Action::pager, kBoth, "pager off", "let long output run through"},
    {Action::help, kBoth, "help", "the commands"},
    {Action::history, kBoth, "history [N]", "what was typed before"},
    {Action::leave, kOperate, "exit", "leave the shell"},
    {Action::leave, kOperate, "quit", "leave the shell"},
    {Action::set_statement, kConfigure, "set PATH", "add a statement, or give it another value"},
    {Action::delete_statement, kConfigure, "delete PATH",
     "delete an object, a setting or one member of a list"},
    {Action::deactivate, kConfigure, "deactivate PATH",
     "keep a statement but take it out of force"},
    {Action::activate, kConfigure, "activate PATH", "put a statement into force again"},
    {Action::rename_statement, kConfigure, "rename PATH",
     "give an object another name: rename bridge br0 port p1 to p2"},
    {Action::edit, kConfigure, "edit PATH", "go into an object: paths count from there"},
    {Action::up, kConfigure, "up [N]", "go N levels up (1)"},
    {Action::top, kConfigure, "top [COMMAND]",
     "go to the top, or carry out set, delete, show, edit … from there"},
    {Action::run, kConfigure, "run COMMAND", "carry out a command of the operational mode"},
    {Action::show_candidate, kConfigure, "show [PATH]", "the candidate at this level"},
    {Action::compare, kConfigure, "compare [rollback N]",
     "what the candidate changes, against what is running or was N commits ago"},
    {Action::commit_check, kConfigure, "commit check", "what a commit would do; changes nothing"},
    {Action::commit, kConfigure, "commit [comment TEXT] [confirmed MINUTES] [and-quit]",
     "let the switch run the candidate"},
    {Action::commit, kConfigure, "commit confirmed [comment TEXT] [and-quit]",
     "the same for 10 minutes, unless it is confirmed"},
    {Action::rollback, kConfigure, "rollback [N]",
     "make the candidate what was running N commits ago (0: what is running)"},
    {Action::load_candidate, kConfigure, "load merge FILE", "add what a file says"},
    {Action::load_candidate, kConfigure, "load merge terminal", "add what is typed or pasted"},
    {Action::load_candidate, kConfigure, "load replace FILE",
     "take each object that a file names whole from it"},
    {Action::load_candidate, kConfigure, "load replace terminal",
     "take each object that is typed whole from there"},
    {Action::load_candidate, kConfigure, "load override FILE", "take a file for everything"},
    {Action::load_candidate, kConfigure, "load override terminal",
     "take what is typed for everything"},
    {Action::load_candidate, kConfigure, "load set FILE", "carry out a file of set commands"},
    {Action::load_candidate, kConfigure, "load set terminal",
     "carry out set commands that are typed"},
    {Action::save_candidate, kConfigure, "save FILE", "write the candidate into a file"},
    {Action::update, kConfigure, "update", "take over what others committed meanwhile"},
    {Action::discard, kConfigure, "discard",
     "make the candidate what is running: drop all changes"},
    {Action::status, kConfigure, "status", "who edits what, and what waits to be confirmed"},
    {Action::leave_level, kConfigure, "exit", "back to the level before edit, or out of the mode"},
    {Action::leave_level, kConfigure, "quit", "the same"},
    {Action::leave_configure, kConfigure, "exit configuration-mode", "leave configure mode"},
    // The ancestor's words.
    {Action::show_port, kOperate | kAncestor, "show interface [PORT]", "show port"},
    {Action::show_bridge, kOperate | kAncestor, "show bridge-domains [BRIDGE]", "show bridge"},
    {Action::show_controller, kOperate | kAncestor, "show channel [BRIDGE]", "show controller"},
    {Action::show_flow_count, kOperate | kAncestor, "show flowcount [BRIDGE]", "show flow count"},
    {Action::show_mac, kOperate | kAncestor, "show mactable [BRIDGE]", "show mac"},
    {Action::show_worker, kOperate | kAncestor, "show affinition", "show worker"},
})};

/// What may stand behind a `|`.
inline constexpr std::array kPipes{std::to_array<Command>({
    {Action::pipe_match, kBoth, "match RE", "only lines that match"},
    {Action::pipe_except, kBoth, "except RE", "only lines that do not match"},
    {Action::pipe_find, kBoth, "find RE", "from the first line that matches"},
    {Action::pipe_count, kBoth, "count", "the number of lines"},
    {Action::pipe_last, kBoth, "last [N]", "the last N lines (10)"},
    {Action::pipe_save, kBoth, "save FILE", "into a file, not to the screen"},
    {Action::pipe_compare, kConfigure, "compare [rollback N]",
     "only what differs from what is running, or was N commits ago"},
    {Action::pipe_json, kBoth, "json", "the same as JSON"},
    {Action::pipe_json, kBoth, "display json", "the same as JSON"},
    {Action::pipe_table, kBoth, "table", "in aligned columns"},
    {Action::pipe_set, kBoth, "display set", "a configuration as set commands"},
    {Action::pipe_ovs, kBoth, "display ovs", "flows as ovs-ofctl add-flows takes them"},
    {Action::pipe_no_more, kBoth, "no-more", "without stopping at each page"},
})};

/// Help for words that begin several commands or stand in brackets.
struct WordRow {
    std::string_view word;
    std::string_view help;
};
inline constexpr std::array kWordRows{std::to_array<WordRow>({
    {"add", "add an object to the live switch"},
    {"and-quit", "leave configure mode after the commit"},
    {"brief", "aligned columns, ports by name, rate and age"},
    {"clear", "forget learned state"},
    {"comment", "a sentence for the list of commits"},
    {"commit", "let the switch run the candidate"},
    {"compare", "how it differs"},
    {"confirmed", "take it back unless it is confirmed in time"},
    {"count", "only how many"},
    {"delete", "delete an object of the live switch"},
    {"display", "in another form"},
    {"every", "seconds between two pictures (1)"},
    {"exit", "back, or out"},
    {"level", "only lines of this weight and above"},
    {"load", "take statements from a file or the terminal"},
    {"mac", "learned addresses"},
    {"match", "only flows whose fields agree with these"},
    {"merge", "add statements"},
    {"modify", "change an object of the live switch"},
    {"monitor", "live views"},
    {"override", "instead of the whole configuration"},
    {"pager", "whether long output stops at each screen"},
    {"port", "a port"},
    {"private", "a candidate of one's own, which nobody else changes"},
    {"replace", "whole objects"},
    {"restart", "start a part of the switch anew"},
    {"rollback", "a number of commits ago"},
    {"set", "commands, one a line"},
    {"show", "look at the switch"},
    {"sort", "in another order than by table and priority"},
    {"system", "commits and what was running before"},
    {"table", "only one table"},
    {"test", "try without changing anything"},
    {"times", "how many pictures, without end when left out"},
    {"top", "only so many"},
})};

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
