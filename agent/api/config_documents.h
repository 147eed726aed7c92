// SPDX-License-Identifier: Apache-2.0
// What the API says about configurations, commits and candidates (docs/api.md), and what it says
// when one was refused.
#pragma once

#include <string>

#include "agent/api/problem.h"
#include "agent/config/candidates.h"
#include "agent/config/commit.h"

namespace raicho::agent::api {

[[nodiscard]] std::string commit_document(const config::CommitReport& report);
/// Of a check: nothing was committed, so there is no revision in it.
[[nodiscard]] std::string check_document(const config::CommitReport& report);
[[nodiscard]] std::string candidate_document(const config::Edited& edited);
[[nodiscard]] std::string candidates_document(const config::Candidates& candidates);
[[nodiscard]] std::string revisions_document(const config::CommitEngine& engine);
[[nodiscard]] std::string config_status_document(const config::CommitEngine& engine,
                                                 const config::Candidates& candidates);

[[nodiscard]] Problem to_problem(config::CommitFailure&& failure);

}  // namespace raicho::agent::api
