// SPDX-License-Identifier: Apache-2.0
// The part of Lagopus' command line behind `--`: `-- EAL options -- dataplane options`. Nothing of
// it acts here; each word is named, with what to write in the configuration instead.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace raicho::supervisor {

/// One line for each option. An option of the second part that Lagopus does not have is an error;
/// the first part is DPDK's, whose options are too many to know.
[[nodiscard]] Result<std::vector<std::string>> read_ancestor_options(std::span<char* const> words);

}  // namespace raicho::supervisor
