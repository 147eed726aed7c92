// SPDX-License-Identifier: Apache-2.0
// The notation of commands, read at compile time: `show flow [BRIDGE] [brief] [table N]`. Lower
// case words are typed as they stand (or a unique prefix), words in capitals are arguments, groups
// in brackets may be left out and come in any order. Neighbours: commands.h has the commands,
// parse.h follows the notation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace raicho::shell {

/// What may stand for an argument; says how it is checked and completed.
enum class Arg : std::uint8_t {
    word,
    bridge,
    port,
    name,
    file,
    number,
    table,
    pattern,
    text,    // one word, often in quotes
    choice,  // one of ArgRow::choices
    // These take the rest of their stage as it stands.
    rest,       // options of a port
    flow,       // flow, group or meter text
    arguments,  // of another program
    path,       // a statement of the configuration
    command,    // an operational command
};
[[nodiscard]] constexpr bool takes_rest(Arg kind) {
    return kind >= Arg::rest;
}
/// Anything may stand there: beside it a word must be written out to be a word.
[[nodiscard]] constexpr bool free_text(Arg kind) {
    return kind == Arg::name || kind == Arg::file || kind == Arg::text || takes_rest(kind);
}

/// A placeholder of the notation.
struct ArgRow {
    std::string_view placeholder;
    Arg kind;
    std::string_view help;
    std::string_view choices{};  // separated by blanks
};
inline constexpr std::array<ArgRow, 20> kArgRows{{
    {"BRIDGE", Arg::bridge, "name of a bridge"},
    {"PORT", Arg::port, "name or OpenFlow number of a port"},
    {"NAME", Arg::name, "name of the new port: the host interface unless OPTIONS say otherwise"},
    {"FILE", Arg::file, "path of a file"},
    {"N", Arg::number, "a number"},
    {"TABLE", Arg::table, "an OpenFlow table, 0 to 254"},
    {"RE", Arg::pattern, "extended regular expression"},
    {"OPTIONS", Arg::rest, "what stands behind a port's name in a configuration file"},
    {"FIELDS", Arg::text, "fields as in a flow: nw_dst=10.0.0.5 or cookie=7,out_port=2"},
    {"ORDER", Arg::choice, "most packets, most bytes, youngest, longest without a packet first",
     "hits bytes age idle"},
    {"LEVEL", Arg::choice, "lines of this weight and above", "debug info warning error"},
    {"FLOW", Arg::flow, "a flow as ovs-ofctl writes it: priority=9,ip,nw_dst=10.0.0.0/8 actions=…"},
    {"GROUP", Arg::flow, "a group as ovs-ofctl writes it: group_id=1,type=all,bucket=output:2"},
    {"METER", Arg::flow, "a meter as ovs-ofctl writes it: meter=1,kbps,band=type=drop,rate=1000"},
    {"HOST", Arg::text, "name or address of a host"},
    {"ARGUMENTS", Arg::arguments, "options of the host's program"},
    {"TEXT", Arg::text, "a sentence, in quotes"},
    {"MINUTES", Arg::number, "minutes, 1 to 65535"},
    {"PATH", Arg::path, "a statement of the configuration, from the level on"},
    {"COMMAND", Arg::command, "an operational command"},
}};

[[nodiscard]] constexpr const ArgRow* find_arg(std::string_view placeholder) {
    for (const ArgRow& row : kArgRows)
        if (row.placeholder == placeholder) return &row;
    return nullptr;
}

/// One word of a notation. `group` 0 is mandatory, n the n-th bracket.
struct Piece {
    std::string_view text;
    Arg kind = Arg::word;
    std::uint8_t group = 0;
};

inline constexpr std::size_t kMaxPieces = 14;

/// A notation taken apart. Mandatory pieces come first.
struct Syntax {
    std::array<Piece, kMaxPieces> pieces{};
    std::uint8_t n_pieces = 0;
    std::uint8_t n_fixed = 0;
    std::uint8_t n_groups = 0;
    bool valid = true;  // false: an unknown placeholder, unbalanced brackets, too long
};

[[nodiscard]] constexpr Syntax read_syntax(std::string_view notation) {
    Syntax syntax;
    std::uint8_t group = 0;
    while (!notation.empty()) {
        const char c = notation.front();
        if (c == ' ' || c == ']') {
            if (c == ']') group = 0;
            notation.remove_prefix(1);
            continue;
        }
        if (c == '[') {
            group = ++syntax.n_groups;
            notation.remove_prefix(1);
            continue;
        }
        const std::size_t end = notation.find_first_of(" ]");
        Piece piece{notation.substr(0, end), Arg::word, group};
        notation.remove_prefix(piece.text.size());
        if (piece.text.front() >= 'A' && piece.text.front() <= 'Z') {
            const ArgRow* row = find_arg(piece.text);
            if (row == nullptr) {
                syntax.valid = false;
                return syntax;
            }
            piece.kind = row->kind;
        }
        if (syntax.n_pieces == kMaxPieces || (group == 0 && syntax.n_groups != 0)) {
            syntax.valid = false;
            return syntax;
        }
        syntax.pieces[syntax.n_pieces++] = piece;
        if (group == 0) ++syntax.n_fixed;
    }
    return syntax;
}

}  // namespace raicho::shell
