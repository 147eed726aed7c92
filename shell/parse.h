// SPDX-License-Identifier: Apache-2.0
// From words to a command, by the table in commands.h: unique prefixes, arguments, what may follow.
// Completion and `?` ask the same machine, so they cannot disagree with the parser.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands.h"
#include "shell/line.h"

namespace raicho::shell {

/// Where a statement of the configuration begins: at the level of `edit`, or at the top.
enum class PathFrom : bool { level, top };

/// A place within a statement: behind `words`, in a command that does `verb`.
struct StatementPlace {
    Action verb;
    PathFrom from;
    std::span<const std::string> words;
    std::string_view prefix;  // of the word to come
};

/// What may stand there. `<enter>` says that the command may end; other words in `<>` stand for
/// what cannot be listed.
struct StatementWord {
    std::string text;
    std::string help;
};

/// Names that live in the switch; asked only when a line needs them.
class NameSource {
  public:
    virtual ~NameSource() = default;
    [[nodiscard]] virtual std::vector<std::string> bridges() = 0;
    /// Ports of a bridge, of all when it is empty.
    [[nodiscard]] virtual std::vector<std::string> ports(std::string_view bridge) = 0;
    [[nodiscard]] virtual std::vector<StatementWord> statements(const StatementPlace& place) = 0;
};

/// An argument as typed.
struct Argument {
    std::string_view placeholder;  // `BRIDGE`
    std::string text;
    std::size_t begin = 0;  // bytes of the line
    std::size_t end = 0;
    std::string_view behind{};  // the word before it in its bracket: `every` of `[every N]`
};

/// A command with its arguments and the optional words that were there.
struct Parsed {
    const Command* command = nullptr;
    std::vector<Argument> arguments{};
    std::vector<std::string_view> options{};
    std::size_t begin = 0;  // bytes of the line, [begin, end)
    std::size_t end = 0;

    [[nodiscard]] const Argument* find(std::string_view placeholder) const;
    /// The argument behind a word in a bracket.
    [[nodiscard]] const Argument* find_behind(std::string_view word) const;
    /// The argument's text, empty when it was left out.
    [[nodiscard]] std::string_view text(std::string_view placeholder) const;
    [[nodiscard]] bool has(std::string_view option) const;
};

/// A whole line: the command and what it is piped into. `command.command` is nullptr for an empty
/// line or a comment.
struct ParsedLine {
    Parsed command;
    std::vector<Parsed> pipes;
    PathFrom from = PathFrom::level;  // top: it stands behind `top` or `run`
};

[[nodiscard]] std::expected<ParsedLine, LineError> parse_line(std::string_view line, Modes mode,
                                                              NameSource& names);

/// What may stand at a place.
struct Expected {
    std::string text;  // a word, or a placeholder such as `BRIDGE`
    Arg kind = Arg::word;
    std::string help;
    std::string bridge;  // for Arg::port: the bridge named before, or empty
    Action verb{};       // for Arg::path: of the command
};

/// What may follow a beginning of a line.
struct Continuation {
    std::string partial;    // the word under way, may be empty
    std::size_t begin = 0;  // where it begins in the text
    std::vector<Expected> expected;
    /// Words before `partial` of an argument that takes the rest of its stage, and where it began.
    std::vector<std::string> rest{};
    std::size_t rest_begin = 0;
    PathFrom from = PathFrom::level;
    bool complete = false;  // Enter may follow the words before `partial`
    bool piped = false;     // behind a `|`
};

/// `text` ends at the cursor. An error when the words before the last are wrong already.
[[nodiscard]] std::expected<Continuation, LineError> continuation(std::string_view text, Modes mode,
                                                                  NameSource& names);

}  // namespace raicho::shell
