// SPDX-License-Identifier: Apache-2.0
// Configuration texts on their way to a commit: judged, then brought into the form that is kept.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "agent/config/failure.h"
#include "dsl/model/check.h"
#include "dsl/model/config.h"

namespace raicho::agent::config {

/// A text with its meaning, every port numbered in both.
struct Candidate {
    std::string text;
    dsl::Config config;
    std::vector<dsl::Diagnostic> warnings;
};

/// Judges a text and makes it canonical: comments and what is inactive stay, include and define are
/// replaced by what they mean, every port has its number (as in `running` where it has one).
/// Without `files` an include is refused.
[[nodiscard]] std::expected<Candidate, CommitFailure> candidate_of(
    const std::string& text, const std::string& file, const dsl::Config& running,
    const dsl::FileReader& files = {});

}  // namespace raicho::agent::config
