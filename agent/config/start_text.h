// SPDX-License-Identifier: Apache-2.0
// The configuration file of the command line as our text: a file of the ancestor (`*.dsl`) is
// imported on the way.
#pragma once

#include <string>

#include "base/error.h"

namespace raicho::agent::config {

struct StartText {
    std::string text;
    std::string report{};  // of an import: what was not carried, a line each
};

/// Reads the file; its name decides what it is.
[[nodiscard]] Result<StartText> read_start_text(const std::string& path);

}  // namespace raicho::agent::config
