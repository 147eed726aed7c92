// SPDX-License-Identifier: Apache-2.0
// The command line of `raicho`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace raicho::supervisor {

enum class Command { run, help, version };

struct Options {
    Command command = Command::help;
    std::string config_file;             // absolute; empty = none
    std::string rundir;                  // absolute
    std::string log_level;               // empty = the daemons' default
    std::string log_file;                // absolute; empty = standard error
    std::string pid_file;                // absolute; empty = only the run directory's
    std::vector<std::string> remarks{};  // what of the command line has no effect
};

/// Parses `raicho run -C FILE [--rundir DIR] [--log-level L] [-l LOG] [-p PIDFILE] [-d]` and,
/// behind
/// `--`, what Lagopus took there (ancestor.h). `env_rundir` is $RAICHO_RUNDIR or null. Errors name
/// the word and the remedy.
[[nodiscard]] Result<Options> parse_options(std::span<char* const> arguments,
                                            const char* env_rundir);

[[nodiscard]] std::string usage_text();

}  // namespace raicho::supervisor
