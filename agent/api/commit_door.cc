// SPDX-License-Identifier: Apache-2.0
#include "agent/api/commit_door.h"

#include <utility>

namespace raicho::agent::api {

namespace {

ProblemItem to_item(dsl::Diagnostic&& diagnostic) {
    return {std::move(diagnostic.file), diagnostic.line,
            diagnostic.column,          diagnostic.span.length,
            std::move(diagnostic.text), std::move(diagnostic.help)};
}

Problem to_problem(config::CommitFailure&& failure) {
    // The text is at fault, or what it asks for cannot be had.
    Problem refused = problem(failure.diagnostics.empty() ? 409 : 422, failure.error.text,
                              std::move(failure.error.hint));
    for (dsl::Diagnostic& diagnostic : failure.diagnostics) {
        if (diagnostic.severity == dsl::Severity::warning) continue;
        refused.errors.push_back(to_item(std::move(diagnostic)));
    }
    if (refused.errors.size() == 1) {
        refused.detail = refused.errors.front().text;
        refused.hint = refused.errors.front().hint;
    }
    refused.rendered = std::move(failure.rendered);
    return refused;
}

ChangeReport to_report(config::CommitReport&& report) {
    ChangeReport change{std::move(report.changes), std::move(report.notices), {}};
    for (dsl::Diagnostic& warning : report.warnings)
        change.warnings.push_back(to_item(std::move(warning)));
    return change;
}

void answer(const ChangeDone& done, config::CommitOutcome&& outcome) {
    if (outcome)
        done(to_report(std::move(*outcome)));
    else
        done(std::unexpected(to_problem(std::move(outcome.error()))));
}

config::CommitDone pass_on(ChangeDone done) {
    return [done = std::move(done)](config::CommitOutcome outcome) {
        answer(done, std::move(outcome));
    };
}

config::CommitOrder by_api() {
    return {{0, {}, "api"}, {}, 0};
}

}  // namespace

std::string CommitDoor::running_text() const {
    return engine_.revision().text;
}

void CommitDoor::load(std::string text, std::string file, ChangeDone done) {
    engine_.load_text(std::move(text), std::move(file), by_api(), pass_on(std::move(done)));
}

void CommitDoor::add_port(std::string bridge, std::string name, std::string options,
                          ChangeDone done) {
    engine_.add_port(std::move(bridge), std::move(name), std::move(options), by_api(),
                     [done = std::move(done)](config::CommitOutcome outcome) {
                         if (!outcome) {
                             // The places count within the options, which have no file and are
                             // best shown where they were typed.
                             for (dsl::Diagnostic& fault : outcome.error().diagnostics)
                                 fault.file.clear();
                             outcome.error().rendered.clear();
                         }
                         answer(done, std::move(outcome));
                     });
}

void CommitDoor::delete_port(std::string bridge, std::string name, ChangeDone done) {
    const dsl::BridgeConfig* owner = engine_.running().find_bridge(bridge);
    const bool known = owner != nullptr && owner->find_port(name) != nullptr;
    engine_.delete_port(std::move(bridge), std::move(name), by_api(),
                        [known, done = std::move(done)](config::CommitOutcome outcome) {
                            if (outcome || known) return answer(done, std::move(outcome));
                            Error& why = outcome.error().error;
                            done(std::unexpected(problem(404, why.text, why.hint)));
                        });
}

}  // namespace raicho::agent::api
