// SPDX-License-Identifier: Apache-2.0
// `<rundir>/running.conf`: the last committed configuration, so that a start after a crash goes on
// where the switch was.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace raicho::agent::config {

[[nodiscard]] std::filesystem::path running_file(const std::filesystem::path& rundir);

/// Replaces the file whole or not at all: a new file beside it, synced, renamed over it, and the
/// directory synced. Mode 0640.
[[nodiscard]] Result<void> write_running(const std::filesystem::path& rundir,
                                         std::string_view text);

/// Its text; nothing when there is none; an error when it is there and cannot be read.
[[nodiscard]] Result<std::optional<std::string>> read_running(const std::filesystem::path& rundir);

}  // namespace raicho::agent::config
