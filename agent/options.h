// SPDX-License-Identifier: Apache-2.0
// The command line of raicho-agent.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/log.h"

namespace raicho::agent {

struct Options {
    std::string rundir;
    std::string config;  // empty: running.conf of the run directory, else nothing configured
    std::optional<LogLevel> log_level;
    std::string log_file;
};

/// What to print and the exit code, when there is nothing to run.
struct Exit {
    int code = 0;
    std::string text;
};

[[nodiscard]] std::variant<Options, Exit> parse_options(int argc, char** argv);

}  // namespace raicho::agent
