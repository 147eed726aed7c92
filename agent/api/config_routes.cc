// SPDX-License-Identifier: Apache-2.0
// Routes of the configuration.
#include <array>
#include <optional>
#include <utility>

#include "agent/api/body.h"
#include "agent/api/config_documents.h"
#include "agent/api/routes.h"
#include "base/text.h"
#include "dsl/edit/compare.h"
#include "dsl/edit/forms.h"

namespace raicho::agent::api {

namespace {

using Member = Body::Member;
using Kind = Body::Kind;
constexpr auto kNeeded = Member::Needed::yes;
constexpr std::uint64_t kMinute = 60;
constexpr std::uint64_t kMostMinutes = 65535;

void answer(Respond& respond, Problem refused) {
    respond(respond_problem(refused));
}

void answer(Respond& respond, config::CommitFailure&& failure) {
    answer(respond, to_problem(std::move(failure)));
}

config::Author author_of(const Request& request) {
    return {request.user, request.user_name,
            request.user_agent.starts_with("lagosh") ? "lagosh" : "api"};
}

/// A configuration in the form and from the level that the query names.
void answer_text(const Request& request, Respond& respond, const std::string& text) {
    const std::string_view name = query_value(request, "format");
    const std::optional<dsl::Form> form = name.empty() ? dsl::Form::conf : dsl::form_by_name(name);
    if (!form)
        return answer(respond, problem(400, format("format \"{}\"", name), "conf, set or json"));
    const std::string_view path = query_value(request, "path");
    auto shown = path.empty() && *form == dsl::Form::conf ? dsl::OrRefusal<std::string>(text)
                                                          : dsl::subtree(text, path, *form);
    if (!shown) return answer(respond, config::failure_of(std::move(shown.error())));
    respond({200, *form == dsl::Form::json ? "application/json" : "text/plain; charset=utf-8",
             std::move(*shown)});
}

void answer_edited(Respond& respond, config::EditOutcome&& outcome) {
    if (!outcome) return answer(respond, std::move(outcome.error()));
    respond(json_response(candidate_document(*outcome)));
}

config::CommitDone answer_commit(Respond respond) {
    return [respond = std::move(respond)](config::CommitOutcome outcome) mutable {
        if (!outcome) return answer(respond, std::move(outcome.error()));
        respond(json_response(commit_document(*outcome)));
    };
}

/// The body; nothing when it was refused and answered.
std::optional<Body> body_of(const Request& request, Respond& respond,
                            std::span<const Member> members) {
    auto body = Body::read(request, members);
    if (body) return std::move(*body);
    answer(respond, std::move(body.error()));
    return std::nullopt;
}

/// Seconds until a commit is taken back, 0 when it stays.
std::expected<std::uint64_t, Problem> confirm_seconds(const Body& body) {
    const auto minutes = body.number("confirm_minutes");
    const auto seconds = body.number("confirm_seconds");
    if (minutes && seconds)
        return std::unexpected(problem(400, "confirm_minutes and confirm_seconds", "say one"));
    if (!minutes && !seconds) return 0;
    const std::uint64_t most = minutes ? kMostMinutes : kMostMinutes * kMinute;
    const std::uint64_t value = minutes ? *minutes : *seconds;
    if (value == 0 || value > most)
        return std::unexpected(
            problem(400, format("{}: {}", minutes ? "confirm_minutes" : "confirm_seconds", value),
                    format("1 to {}", most)));
    return minutes ? value * kMinute : value;
}

std::optional<std::size_t> commits_ago(Respond& respond, std::string_view text) {
    const auto n = parse_number(text);
    if (n) return static_cast<std::size_t>(*n);
    answer(respond, problem(400, format("\"{}\": not a number of commits", text), "0 is running"));
    return std::nullopt;
}

void show_running(Api& api, const Request& request, const PathParts&, Respond respond) {
    answer_text(request, respond, api.engine().revision().text);
}

void load_running(Api& api, const Request& request, const PathParts&, Respond respond) {
    constexpr std::array kMembers{Member{"text", Kind::text, kNeeded}, Member{"file"},
                                  Member{"comment"}};
    const auto body = body_of(request, respond, kMembers);
    if (!body) return;
    const std::string file = body->text("file");
    api.engine().load_text(body->text("text"), file.empty() ? "request" : file,
                           {author_of(request), body->text("comment"), 0},
                           answer_commit(std::move(respond)));
}

void show_config_status(Api& api, const Request&, const PathParts&, Respond respond) {
    respond(json_response(config_status_document(api.engine(), api.candidates())));
}

void confirm_commit(Api& api, const Request& request, const PathParts&, Respond respond) {
    if (!body_of(request, respond, {})) return;
    api.engine().confirm(
        author_of(request), [&api, respond = std::move(respond)](Result<bool> confirmed) mutable {
            if (!confirmed)
                return answer(respond, config::failure_of(std::move(confirmed.error())));
            if (!*confirmed)
                return answer(respond, problem(409, "no commit waits to be confirmed"));
            respond(json_response(config_status_document(api.engine(), api.candidates())));
        });
}

void compare_configs(Api& api, const Request& request, const PathParts&, Respond respond) {
    const std::string_view from = query_value(request, "from");
    const std::string_view to = query_value(request, "to");
    auto before = api.candidates().text_of(from.empty() ? "running" : from);
    if (!before) return answer(respond, std::move(before.error()));
    auto after = api.candidates().text_of(to.empty() ? config::kSharedCandidate : to);
    if (!after) return answer(respond, std::move(after.error()));
    auto difference = dsl::compare(*before, *after);
    if (!difference) return answer(respond, config::failure_of(std::move(difference.error())));
    respond({200, "text/plain; charset=utf-8", std::move(*difference)});
}

void show_revisions(Api& api, const Request&, const PathParts&, Respond respond) {
    respond(json_response(revisions_document(api.engine())));
}

void show_revision(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    const auto n = commits_ago(respond, parts[0]);
    if (!n) return;
    auto revision = api.candidates().revision(*n);
    if (!revision) return answer(respond, std::move(revision.error()));
    answer_text(request, respond, revision->text);
}

void show_candidates(Api& api, const Request&, const PathParts&, Respond respond) {
    respond(json_response(candidates_document(api.candidates())));
}

void make_candidate(Api& api, const Request& request, const PathParts&, Respond respond) {
    if (!body_of(request, respond, {})) return;
    auto made = api.candidates().create(author_of(request));
    if (!made) return answer(respond, std::move(made.error()));
    respond({201, "application/json", candidate_document(*made)});
}

void show_candidate(Api& api, const Request&, const PathParts& parts, Respond respond) {
    auto found = api.candidates().find(parts[0]);
    if (!found) return answer(respond, std::move(found.error()));
    respond(json_response(candidate_document({std::move(*found)})));
}

void delete_candidate(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    auto removed = api.candidates().remove(parts[0], author_of(request));
    if (!removed) return answer(respond, std::move(removed.error()));
    respond(json_response("{}\n"));
}

void show_candidate_text(Api& api, const Request& request, const PathParts& parts,
                         Respond respond) {
    auto text = api.candidates().text(parts[0]);
    if (!text) return answer(respond, std::move(text.error()));
    answer_text(request, respond, *text);
}

void edit_candidate(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array kMembers{Member{"commands", Kind::texts, kNeeded}, Member{"at"}};
    const auto body = body_of(request, respond, kMembers);
    if (!body) return;
    answer_edited(respond, api.candidates().edit(parts[0], body->texts("commands"),
                                                 body->text("at"), author_of(request)));
}

void load_candidate(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array kMembers{Member{"mode", Kind::text, kNeeded},
                                  Member{"text", Kind::text, kNeeded}, Member{"file"},
                                  Member{"at"}};
    const auto body = body_of(request, respond, kMembers);
    if (!body) return;
    const auto mode = dsl::load_mode_by_name(body->text("mode"));
    if (!mode)
        return answer(respond, problem(400, format("mode \"{}\"", body->text("mode")),
                                       "merge, replace, override or set"));
    const std::string file = body->text("file");
    answer_edited(respond, api.candidates().load(parts[0], *mode, body->text("text"),
                                                 file.empty() ? "request" : file, body->text("at"),
                                                 author_of(request)));
}

void roll_candidate_back(Api& api, const Request& request, const PathParts& parts,
                         Respond respond) {
    constexpr std::array kMembers{Member{"n", Kind::number, kNeeded}};
    const auto body = body_of(request, respond, kMembers);
    if (!body) return;
    answer_edited(respond,
                  api.candidates().rollback(parts[0], static_cast<std::size_t>(*body->number("n")),
                                            author_of(request)));
}

void discard_candidate(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    if (!body_of(request, respond, {})) return;
    answer_edited(respond, api.candidates().rollback(parts[0], 0, author_of(request)));
}

void update_candidate(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    if (!body_of(request, respond, {})) return;
    answer_edited(respond, api.candidates().update(parts[0], author_of(request)));
}

void check_candidate(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    if (!body_of(request, respond, {})) return;
    auto outcome = api.candidates().check(parts[0]);
    if (!outcome) return answer(respond, std::move(outcome.error()));
    respond(json_response(check_document(*outcome)));
}

void commit_candidate(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array kMembers{Member{"comment"}, Member{"confirm_minutes", Kind::number},
                                  Member{"confirm_seconds", Kind::number}};
    const auto body = body_of(request, respond, kMembers);
    if (!body) return;
    auto seconds = confirm_seconds(*body);
    if (!seconds) return answer(respond, std::move(seconds.error()));
    api.candidates().commit(parts[0], {author_of(request), body->text("comment"), *seconds},
                            answer_commit(std::move(respond)));
}

void add_port(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array kMembers{Member{"name", Kind::text, kNeeded}, Member{"options"}};
    const auto body = body_of(request, respond, kMembers);
    if (!body) return;
    if (!has_bridge(api.view(), parts[0]))
        return answer(respond, no_such_bridge(api.view(), parts[0]));
    api.engine().add_port(
        parts[0], body->text("name"), body->text("options"), {author_of(request), {}, 0},
        [done = answer_commit(std::move(respond))](config::CommitOutcome outcome) {
            if (!outcome) {
                // The places count within the options, which have no file and are best shown
                // where they were typed.
                for (dsl::Diagnostic& fault : outcome.error().diagnostics) fault.file.clear();
                outcome.error().rendered.clear();
            }
            done(std::move(outcome));
        });
}

void delete_port(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    if (!has_bridge(api.view(), parts[0]))
        return answer(respond, no_such_bridge(api.view(), parts[0]));
    api.engine().delete_port(parts[0], parts[1], {author_of(request), {}, 0},
                             answer_commit(std::move(respond)));
}

constexpr std::array kRoutes{std::to_array<Route>({
    {{"GET", "/api/v1/config/running", "format path", "the running configuration"}, show_running},
    {{"POST", "/api/v1/config/load", "", "replaces the running configuration by difference"},
     load_running},
    {{"GET", "/api/v1/config/status", "", "revision, what waits to be confirmed, candidates"},
     show_config_status},
    {{"POST", "/api/v1/config/confirm", "", "keeps what was committed until confirmed"},
     confirm_commit},
    {{"GET", "/api/v1/config/compare", "from to", "what differs between two configurations"},
     compare_configs},
    {{"GET", "/api/v1/config/revisions", "", "the last commits, running first"}, show_revisions},
    {{"GET", "/api/v1/config/revisions/{n}", "format path", "the configuration n commits ago"},
     show_revision},
    {{"GET", "/api/v1/config/candidates", "", "candidates"}, show_candidates},
    {{"POST", "/api/v1/config/candidates", "", "makes a private candidate"}, make_candidate},
    {{"GET", "/api/v1/config/candidates/{id}", "", "what is known of a candidate"}, show_candidate},
    {{"DELETE", "/api/v1/config/candidates/{id}", "", "forgets a private candidate"},
     delete_candidate},
    {{"GET", "/api/v1/config/candidates/{id}/text", "format path", "its configuration"},
     show_candidate_text},
    {{"POST", "/api/v1/config/candidates/{id}/edit", "", "changes it by commands"}, edit_candidate},
    {{"POST", "/api/v1/config/candidates/{id}/load", "", "changes it by a text"}, load_candidate},
    {{"POST", "/api/v1/config/candidates/{id}/rollback", "",
      "makes it what was running n commits ago"},
     roll_candidate_back},
    {{"POST", "/api/v1/config/candidates/{id}/discard", "", "makes it what is running"},
     discard_candidate},
    {{"POST", "/api/v1/config/candidates/{id}/update", "",
      "takes over what was committed meanwhile"},
     update_candidate},
    {{"POST", "/api/v1/config/candidates/{id}/check", "", "says what a commit would do"},
     check_candidate},
    {{"POST", "/api/v1/config/candidates/{id}/commit", "", "makes it the running configuration"},
     commit_candidate},
    {{"POST", "/api/v1/bridges/{bridge}/ports", "", "adds a port"}, add_port},
    {{"DELETE", "/api/v1/bridges/{bridge}/ports/{port}", "", "deletes a port"}, delete_port},
})};

}  // namespace

std::span<const Route> config_routes() {
    return kRoutes;
}

}  // namespace raicho::agent::api
