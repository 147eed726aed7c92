// SPDX-License-Identifier: Apache-2.0
// One run of lagosh: lines from the terminal, from arguments, from scripts, and the exit code that
// they add up to.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/agent.h"
#include "shell/configure.h"
#include "shell/execute.h"
#include "shell/failure.h"
#include "shell/script.h"
#include "shell/terminal.h"
#include "shell/watch.h"

namespace raicho::shell {

enum class OnError : bool { go_on, stop };
enum class Echo : bool { no, yes };
enum class Run : bool { execute, check_only };

struct SessionOptions {
    std::string rundir;
    Format format = Format::people;
    OnError on_error = OnError::go_on;
    Echo echo = Echo::no;
    Run run = Run::execute;
};

class Session {
  public:
    explicit Session(SessionOptions options);

    /// One line; false ends the run (`exit`, or an error with OnError::stop).
    [[nodiscard]] bool run_line(std::string_view line, const Origin& origin);
    /// All lines of a script.
    void run_script(ScriptReader& script);
    /// Prompts until `exit` or the end of input.
    void run_terminal();
    /// Ends what was begun: a private candidate that was not committed is forgotten, and that said.
    void finish();
    /// Writes what may stand at the end of `line`, one a line: for the completion of a caller's
    /// shell. Says nothing when the agent is not there.
    void write_candidates(std::string_view line);

    /// That of the first failure.
    [[nodiscard]] ExitCode exit_code() const { return code_; }

  private:
    using ReadBlock = std::function<std::expected<std::string, Failure>()>;

    void report(const Failure& failure, std::string_view line, const Origin& origin);
    [[nodiscard]] Surroundings surroundings();
    [[nodiscard]] std::expected<AfterCommand, Failure> carry_out(const ParsedLine& parsed);

    // Of the terminal.
    [[nodiscard]] bool greet();
    [[nodiscard]] Prompt prompt() const;
    [[nodiscard]] Tick tick();
    /// ^D: a level up, out of the mode, out of the shell. False ends the shell.
    [[nodiscard]] bool end_of_input(bool again);

    SessionOptions options_;
    Agent agent_;
    Editing editing_{agent_};
    Watch watch_{agent_};
    ReadBlock read_block_;  // where `load … terminal` reads
    Colours out_colours_;
    Colours error_colours_;
    std::unique_ptr<Terminal> terminal_;
    bool paged_ = true;
    ExitCode code_ = ExitCode::ok;
};

/// What standard output is; drawing needs a terminal at both ends.
[[nodiscard]] Screen screen_of_output();
/// Whether colours are wanted on a descriptor: a terminal that is not dumb, and no NO_COLOR.
[[nodiscard]] Colours colours_on(int fd);

}  // namespace raicho::shell
