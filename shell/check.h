// SPDX-License-Identifier: Apache-2.0
// `check FILE`: the agent's own judgement of a configuration file, without an agent.
#pragma once

#include <expected>
#include <string>

#include "dsl/model/check.h"
#include "shell/failure.h"
#include "shell/output.h"

namespace raicho::shell {

/// Judges flow texts as the agent does.
[[nodiscard]] dsl::FlowChecker flow_checker();

/// Warnings and a summary go to `out`; the failure carries the report of all errors.
[[nodiscard]] std::expected<void, Failure> check_file(const std::string& path, LineSink& out);

/// Splits `text` at its line ends into `out`.
void write_lines(std::string_view text, LineSink& out);

}  // namespace raicho::shell
