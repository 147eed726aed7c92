// SPDX-License-Identifier: Apache-2.0
#include "agent/config/failure.h"

#include <utility>

#include "base/text.h"

namespace raicho::agent::config {

std::string conflict_text(const dsl::Difference& conflict) {
    const auto or_nothing = [](const std::string& what) { return what.empty() ? "nothing" : what; };
    return format("{}: here {}, committed meanwhile {}", conflict.path, or_nothing(conflict.after),
                  or_nothing(conflict.before));
}

CommitFailure failure_of(Error error) {
    return {std::move(error)};
}

CommitFailure failure_of(dsl::Checked&& checked) {
    CommitFailure failure;
    failure.rendered = checked.report();
    failure.error.text = format("{}: {} error{}", checked.source->file(), checked.n_errors,
                                checked.n_errors == 1 ? "" : "s");
    failure.diagnostics = std::move(checked.diagnostics);
    return failure;
}

CommitFailure failure_of(dsl::Refusal&& refusal) {
    CommitFailure failure;
    failure.diagnostics = std::move(refusal.diagnostics);
    failure.rendered = std::move(refusal.rendered);
    if (refusal.command != dsl::Refusal::kText)
        for (dsl::Diagnostic& d : failure.diagnostics)
            d.line = static_cast<std::uint32_t>(refusal.command + 1);
    failure.error.text = failure.diagnostics.empty() ? "refused" : failure.diagnostics.front().text;
    return failure;
}

CommitFailure failure_of(Why why, std::string text, std::string hint) {
    CommitFailure failure{Error{std::move(text), std::move(hint)}};
    failure.why = why;
    return failure;
}

}  // namespace raicho::agent::config
