// SPDX-License-Identifier: Apache-2.0
// `lagosh import lagopus|ovs FILE…`: foreign configurations as ours. The text goes to standard
// output or a file, the report of what could not be carried to standard error. Needs no agent.
#pragma once

#include <span>
#include <string_view>

#include "shell/failure.h"
#include "shell/file_tools.h"

namespace raicho::shell {

inline constexpr std::string_view kImportWord = "import";
/// For the manual page; `import --help` says more.
inline constexpr ToolUsage kImportUsage{kImportWord, "lagopus|ovs [-o OUT] [[BRIDGE=]FILE...]",
                                        "a configuration of Lagopus, or what Open vSwitch's tools "
                                        "print, as one of ours; what could not "
                                        "be carried is named"};

/// Runs the subcommand; `arguments` are what follows the word.
[[nodiscard]] ExitCode import_main(std::span<char* const> arguments);

}  // namespace raicho::shell
