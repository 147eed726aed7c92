// SPDX-License-Identifier: Apache-2.0
// Why a configuration was not taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "dsl/edit/compare.h"
#include "dsl/edit/refusal.h"
#include "dsl/model/check.h"
#include "dsl/syntax/diagnostic.h"

namespace raicho::agent::config {

enum class Why : std::uint8_t {
    refused,    // the text is at fault (diagnostics), or the switch cannot do it
    not_found,  // no such candidate or revision
    conflict,   // others changed the same statements
    forbidden,  // the user may not
};

/// Nothing was changed. Faults of the text are in `diagnostics`, `rendered` is their text with
/// carets; else `error` names the object and the cause.
struct CommitFailure {
    Error error;
    std::vector<dsl::Diagnostic> diagnostics{};
    std::string rendered{};
    Why why = Why::refused;
    std::vector<dsl::Difference> conflicts{};  // before: the others', after: the candidate's
};

/// `bridge br0 port p1 mtu: here 9000, committed meanwhile nothing`.
[[nodiscard]] std::string conflict_text(const dsl::Difference& conflict);

[[nodiscard]] CommitFailure failure_of(Error error);
[[nodiscard]] CommitFailure failure_of(dsl::Checked&& checked);
/// A fault in a command has the command's number, from 1, for its line.
[[nodiscard]] CommitFailure failure_of(dsl::Refusal&& refusal);
[[nodiscard]] CommitFailure failure_of(Why why, std::string text, std::string hint = {});

}  // namespace raicho::agent::config
