// SPDX-License-Identifier: Apache-2.0
// Why a command failed, the exit code it means, and how that is shown: the line, a caret under the
// wrong word, a remedy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shell/columns.h"
#include "shell/line.h"

namespace raicho::shell {

/// The exit codes of lagosh; lagosh(1) lists them.
enum class ExitCode : std::uint8_t {
    ok = 0,
    failed = 1,        // the command failed on the switch
    usage = 2,         // wrong usage or syntax
    unreachable = 3,   // the agent cannot be reached
    refused = 4,       // a check or a commit refused the configuration
    interrupted = 130  // ^C
};

struct Failure {
    ExitCode code = ExitCode::failed;
    std::string text;
    std::string hint{};
    std::size_t begin = 0;  // bytes of the line, [begin, end); equal = at no place
    std::size_t end = 0;
    std::string rendered{};              // printed as it is instead of the rest, when not empty
    std::vector<std::string> details{};  // one a line, below the text
};

[[nodiscard]] Failure from_line_error(LineError error);

/// Where a line came from, for scripts: `setup.txt:3`. Empty for what was typed.
struct Origin {
    std::string file{};
    std::size_t line = 0;
};

/// The failure as text for standard error; every line ends with a newline.
[[nodiscard]] std::string failure_text(const Failure& failure, std::string_view line,
                                       const Origin& origin, Colours colours);

}  // namespace raicho::shell
