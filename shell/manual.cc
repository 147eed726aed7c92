// SPDX-License-Identifier: Apache-2.0
#include "shell/manual.h"

#include <array>
#include <string_view>

#include "base/text.h"
#include "shell/commands.h"
#include "shell/file_tools.h"
#include "shell/import.h"

namespace raicho::shell {

namespace {

/// For troff: a backslash is an escape, a hyphen of an option is a minus.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\\\";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

/// A notation with its words bold and its arguments in italics.
std::string typeset(std::string_view notation) {
    std::string out;
    bool argument = false;
    bool word = false;
    for (const char c : notation) {
        const bool letter = c != ' ' && c != '[' && c != ']';
        const bool capital = c >= 'A' && c <= 'Z';
        if (letter && !word) {
            argument = capital;
            out += argument ? "\\fI" : "\\fB";
        }
        if (!letter && word) out += "\\fR";
        word = letter;
        out += escaped(std::string_view(&c, 1));
    }
    if (word) out += "\\fR";
    return out;
}

template <class Rows>
std::string command_list(const Rows& rows, std::string_view before, Modes mode = kBoth) {
    std::string out;
    for (const Command& row : rows)
        if ((row.modes & mode) != 0)
            out += format(".TP\n{}{}\n{}\n", before, typeset(row.notation), escaped(row.help));
    return out;
}

struct Entry {
    std::string_view head;
    std::string_view text;
};

constexpr std::array<Entry, 11> kOptions{{
    {"\\fB\\-\\-rundir\\fR \\fIDIR\\fR",
     "run directory of the switch; default $RAICHO_RUNDIR, else /run/raicho"},
    {"\\fB\\-c\\fR \\fICOMMAND\\fR", "run a command; may be given several times"},
    {"\\fB\\-f\\fR \\fIFILE\\fR", "run the commands in a file, \\- is standard input"},
    {"\\fB\\-j\\fR", "answers as JSON"},
    {"\\fB\\-e\\fR", "stop at the first error"},
    {"\\fB\\-x\\fR", "write each command to standard error before it runs"},
    {"\\fB\\-n\\fR", "check the commands, run none"},
    {"\\fB\\-\\-complete\\fR \\fILINE\\fR",
     "write what may stand at the end of a line: for the completion of a caller's shell"},
    {"\\fB\\-\\-manual\\fR", "write this page"},
    {"\\fB\\-\\-version\\fR", "write the version"},
    {"\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "write a summary of the options"},
}};

constexpr std::array<Entry, 6> kExitCodes{{
    {"0", "all right"},
    {"1", "a command failed on the switch"},
    {"2", "wrong usage or syntax"},
    {"3", "the agent cannot be reached"},
    {"4", "a check or a commit refused the configuration"},
    {"130", "interrupted"},
}};

constexpr std::array<Entry, 6> kKeys{{
    {"?", "lists what may follow, with help; within quotes and pastes it is only a character"},
    {"Tab", "completes words, names of bridges and ports, files; lists them where several fit"},
    {"^R", "searches the history; ^P and ^N, or the arrows, walk through it"},
    {"^C", "drops the line, or stops a command"},
    {"^D", "on an empty line leaves: a level, configure mode, the shell; ends load ... terminal"},
    {"^U, ^W, ^K", "delete the line, the word before the cursor, the rest of the line"},
}};

template <class Entries>
std::string entry_list(const Entries& entries) {
    std::string out;
    for (const Entry& entry : entries) out += format(".TP\n{}\n{}\n", entry.head, entry.text);
    return out;
}

/// `check [--format text|json] FILE...`: names bold, the rest as it is typed.
std::string tool_list() {
    const auto entry = [](const ToolUsage& tool) {
        return format(".TP\n\\fB{}\\fR {}\n{}\n", tool.name, escaped(tool.arguments),
                      escaped(tool.help));
    };
    std::string out;
    for (const ToolUsage& tool : file_tools()) out += entry(tool);
    return out + entry(kImportUsage);
}

}  // namespace

std::string manual_page() {
    std::string arguments;
    for (const ArgRow& row : kArgRows)
        arguments += format(".TP\n\\fI{}\\fR\n{}\n", row.placeholder, escaped(row.help));
    return format(
        ".\\\" Made by lagosh --manual; do not edit.\n"
        ".TH LAGOSH 1 \"\" Raicho \"Raicho manual\"\n"
        ".SH NAME\nlagosh \\- shell of the Raicho OpenFlow switch\n"
        ".SH SYNOPSIS\n"
        ".B lagosh\n[\\fIoptions\\fR] [\\fICOMMAND\\fR ... | \\fIFILE\\fR]\n"
        ".SH DESCRIPTION\n"
        "lagosh looks into a running switch and changes it. Without a command it prompts, or "
        "reads\n"
        "commands from standard input when that is no terminal. It talks to the agent over\n"
        "\\fIDIR\\fR/agent.sock.\n"
        ".SH OPTIONS\n{}"
        ".SH COMMANDS\n"
        "Words may be shortened as long as they stay unique. What stands in brackets may be left\n"
        "out, in any order. A word in quotes is always a name.\n"
        ".SS Operational mode\nThe prompt is the switch's name and >.\n{}"
        ".SS Configure mode\n"
        "The prompt is the switch's name and #, with a * before it when the candidate has what is\n"
        "not committed; within an object [edit PATH] stands above. While a commit waits to be\n"
        "confirmed both prompts show the time that is left. Words of a PATH may be shortened as\n"
        "well; names may not.\n{}"
        ".SH ARGUMENTS\n{}"
        ".SH TOOLS FOR FILES\n"
        "As the first word behind \\fBlagosh\\fR; they need no agent. \\- as FILE is standard "
        "input.\n{}"
        ".SH PIPES\n"
        "Behind a command; they may be chained.\n{}"
        ".SH KEYS\n{}"
        ".SH EXIT STATUS\n{}"
        ".SH FILES\n"
        ".TP\n~/.lagosh_history\nwhat was typed, mode 0600\n"
        ".TP\n~/.editrc\nkey bindings, see editrc(5)\n"
        ".SH ENVIRONMENT\n"
        ".TP\nRAICHO_RUNDIR\nrun directory of the switch\n"
        ".TP\nNO_COLOR\nno colours when it is set and not empty\n"
        ".SH SEE ALSO\nraicho(1)\n",
        entry_list(kOptions), command_list(kCommands, "", kOperate),
        command_list(kCommands, "", kConfigure), arguments, tool_list(), command_list(kPipes, "| "),
        entry_list(kKeys), entry_list(kExitCodes));
}

}  // namespace raicho::shell
