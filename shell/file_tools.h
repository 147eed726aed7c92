// SPDX-License-Identifier: Apache-2.0
// lagosh's tools for configuration files: check, fmt, convert, diff, schema. They need no agent
// and are done by the program's own arguments, before any shell is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/failure.h"

namespace raicho::shell {

/// How a tool is called, for help and the manual page.
struct ToolUsage {
    std::string_view name;
    std::string_view arguments;
    std::string_view help;
};
[[nodiscard]] std::span<const ToolUsage> file_tools();
/// The words that are no command of the shell but the first of the program's own arguments: the
/// tools and `import`.
[[nodiscard]] std::vector<std::string_view> program_words();

/// Whether the arguments (without the program's name) call one of the tools.
[[nodiscard]] bool is_file_tool(const std::vector<std::string>& arguments);

/// Texts for standard output and standard error, and the exit code.
struct ToolResult {
    std::string out{};
    std::string err{};
    ExitCode code = ExitCode::ok;
};
/// Runs the tool. `-` as FILE is standard input; only `fmt -w` writes a file.
[[nodiscard]] ToolResult run_file_tool(const std::vector<std::string>& arguments);

}  // namespace raicho::shell
