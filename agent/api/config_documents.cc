// SPDX-License-Identifier: Apache-2.0
#include "agent/api/config_documents.h"

#include <utility>

#include "agent/api/json.h"
#include "base/text.h"

namespace raicho::agent::api {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

ProblemItem to_item(dsl::Diagnostic diagnostic) {
    return {std::move(diagnostic.file), diagnostic.line,
            diagnostic.column,          diagnostic.span.length,
            std::move(diagnostic.text), std::move(diagnostic.help)};
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
    json.key(name).begin_array();
    for (const std::string& text : texts) json.text(text);
    json.end_array();
}

void write_report(JsonWriter& json, const config::CommitReport& report) {
    write_texts(json, "steps", report.changes);
    write_texts(json, "notices", report.notices);
    json.key("warnings").begin_array();
    for (const dsl::Diagnostic& warning : report.warnings) write_item(json, to_item(warning));
    json.end_array();
}

std::uint64_t unsigned_time(std::int64_t seconds) {
    return seconds < 0 ? 0 : static_cast<std::uint64_t>(seconds);
}

void write_author(JsonWriter& json, const config::Author& author) {
    json.field("uid", author.uid).field("user", author.user);
}

void write_candidate(JsonWriter& json, const config::CandidateInfo& info) {
    json.field("id", info.id)
        .field("private", info.is_private())
        .field("revision", info.revision)
        .field("behind", info.behind)
        .field("differs", info.differs)
        .field("changed", unsigned_time(info.changed));
    write_author(json, info.author);
}

void write_candidates(JsonWriter& json, const config::Candidates& candidates) {
    json.begin_array();
    for (const config::CandidateInfo& info : candidates.list()) {
        json.begin_object();
        write_candidate(json, info);
        json.end_object();
    }
    json.end_array();
}

void write_revision(JsonWriter& json, std::uint64_t n, const config::RevisionInfo& info) {
    json.begin_object()
        .field("n", n)
        .field("revision", info.revision)
        .field("time", unsigned_time(info.time));
    write_author(json, info.author);
    json.field("via", info.author.via)
        .field("comment", info.comment)
        .field("unconfirmed", info.confirmation.has_value())
        .end_object();
}

unsigned status_of(const config::CommitFailure& failure) {
    switch (failure.why) {
        case config::Why::not_found: return 404;
        case config::Why::forbidden: return 403;
        case config::Why::conflict: return 409;
        case config::Why::refused: break;
    }
    // The text is at fault, or what it asks for cannot be had.
    return failure.diagnostics.empty() ? 409 : 422;
}

}  // namespace

std::string commit_document(const config::CommitReport& report) {
    JsonWriter json;
    json.begin_object().field("revision", report.revision);
    write_report(json, report);
    if (report.confirm_seconds != 0) json.field("confirm_seconds", report.confirm_seconds);
    json.end_object();
    return json.take() + "\n";
}

std::string check_document(const config::CommitReport& report) {
    JsonWriter json;
    json.begin_object();
    write_report(json, report);
    json.end_object();
    return json.take() + "\n";
}

std::string candidate_document(const config::Edited& edited) {
    JsonWriter json;
    json.begin_object();
    write_candidate(json, edited.info);
    write_texts(json, "notices", edited.notices);
    json.end_object();
    return json.take() + "\n";
}

std::string candidates_document(const config::Candidates& candidates) {
    JsonWriter json;
    write_candidates(json, candidates);
    return json.take() + "\n";
}

std::string revisions_document(const config::CommitEngine& engine) {
    JsonWriter json;
    json.begin_array();
    write_revision(json, 0, engine.revision().info);
    std::uint64_t n = 0;
    for (const config::RevisionInfo& info : engine.journal().history())
        write_revision(json, ++n, info);
    json.end_array();
    return json.take() + "\n";
}

std::string config_status_document(const config::CommitEngine& engine,
                                   const config::Candidates& candidates) {
    const config::RevisionInfo& running = engine.revision().info;
    JsonWriter json;
    json.begin_object().field("revision", running.revision).field("busy", engine.busy());
    json.key("confirm");
    if (const auto& waiting = running.confirmation) {
        // Rounded up: at 0 it is over.
        json.begin_object()
            .field("seconds_left", (*engine.confirm_left() + kSecond - 1) / kSecond)
            .field("seconds", waiting->seconds)
            .field("revision", running.revision)
            .field("returns_to", waiting->returns_to);
        write_author(json, running.author);
        json.end_object();
    } else {
        json.null();
    }
    json.key("candidates");
    write_candidates(json, candidates);
    json.end_object();
    return json.take() + "\n";
}

Problem to_problem(config::CommitFailure&& failure) {
    Problem refused =
        problem(status_of(failure), failure.error.text, std::move(failure.error.hint));
    for (dsl::Diagnostic& diagnostic : failure.diagnostics) {
        if (diagnostic.severity == dsl::Severity::warning) continue;
        refused.errors.push_back(to_item(std::move(diagnostic)));
    }
    for (const dsl::Difference& conflict : failure.conflicts)
        refused.errors.push_back({.text = config::conflict_text(conflict)});
    if (refused.errors.size() == 1 && failure.conflicts.empty()) {
        refused.detail = refused.errors.front().text;
        refused.hint = refused.errors.front().hint;
    }
    refused.rendered = std::move(failure.rendered);
    return refused;
}

}  // namespace raicho::agent::api
