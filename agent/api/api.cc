// SPDX-License-Identifier: Apache-2.0
#include "agent/api/api.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <vector>

#include "agent/api/documents.h"
#include "agent/api/flow_stream.h"
#include "agent/api/json.h"
#include "base/log.h"
#include "base/text.h"

namespace raicho::agent::api {

namespace {

using PathParts = std::vector<std::string>;  // values of a path's `{…}`, in order
using Handler = void (*)(Api&, const Request&, const PathParts&, Respond);

Response json_response(std::string body) {
    return {200, "application/json", std::move(body)};
}

void refuse(Respond& respond, unsigned status, std::string detail, std::string hint = {}) {
    respond(respond_problem(problem(status, std::move(detail), std::move(hint))));
}

std::string_view query_value(const Request& request, std::string_view name) {
    const auto at = request.query.find(name);
    return at == request.query.end() ? std::string_view{} : std::string_view(at->second);
}

std::vector<std::string> bridge_names(const SwitchView& view) {
    std::vector<std::string> names;
    for (BridgeView& bridge : view.bridges()) names.push_back(std::move(bridge.name));
    return names;
}

Problem no_such_bridge(const SwitchView& view, std::string_view name) {
    const std::vector<std::string> names = bridge_names(view);
    const std::vector<std::string_view> known(names.begin(), names.end());
    std::string hint = "no bridge is configured";
    if (const auto near = did_you_mean(name, known))
        hint = format("did you mean \"{}\"?", *near);
    else if (!known.empty())
        hint = format("bridges here: {}", fmt::join(known, ", "));
    return problem(404, format("no bridge \"{}\"", name), std::move(hint));
}

bool has_bridge(const SwitchView& view, std::string_view name) {
    const std::vector<std::string> names = bridge_names(view);
    return std::ranges::find(names, name) != names.end();
}

/// The document of one bridge or all, by the query's `bridge`.
template <std::string (*document)(const SwitchView&, std::string_view)>
void show_of_bridge(Api& api, const Request& request, const PathParts&, Respond respond) {
    const std::string_view bridge = query_value(request, "bridge");
    if (!bridge.empty() && !has_bridge(api.view(), bridge))
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    respond(json_response(document(api.view(), bridge)));
}

template <std::string (*document)(const SwitchView&)>
void show_all(Api& api, const Request&, const PathParts&, Respond respond) {
    respond(json_response(document(api.view())));
}

void show_flows(Api& api, const Request& request, const PathParts&, Respond respond) {
    FlowQuery query;
    const std::string_view bridge = query_value(request, "bridge");
    if (bridge.empty())
        query.bridges = bridge_names(api.view());
    else if (has_bridge(api.view(), bridge))
        query.bridges = {std::string(bridge)};
    else
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    if (request.query.contains("table")) {
        const std::string_view text = query_value(request, "table");
        const auto table = parse_number(text);
        if (!table || *table >= kTables)
            return refuse(respond, 400, format("table \"{}\": not a number from 0 to 254", text));
        query.table = TableId{static_cast<std::uint8_t>(*table)};
    }
    if (request.query.contains("limit")) {
        const std::string_view text = query_value(request, "limit");
        query.limit = parse_number(text);
        if (!query.limit) return refuse(respond, 400, format("limit \"{}\": not a number", text));
    }
    respond({200,
             "application/x-ndjson",
             {},
             std::make_unique<FlowStream>(api.view(), std::move(query), api.clock())});
}

void show_running(Api& api, const Request&, const PathParts&, Respond respond) {
    respond({200, "text/plain; charset=utf-8", api.config().running_text()});
}

void clear_macs(Api& api, const Request& request, const PathParts&, Respond respond) {
    const std::string_view bridge = query_value(request, "bridge");
    const auto names =
        bridge.empty() ? bridge_names(api.view()) : std::vector<std::string>{std::string(bridge)};
    for (const std::string& name : names)
        if (!api.view().clear_macs(name))
            return respond(respond_problem(no_such_bridge(api.view(), name)));
    respond(json_response("{}\n"));
}

/// Answers with the report of a commit, or its problem.
ChangeDone answer_change(Respond respond) {
    return [respond = std::move(respond)](std::expected<ChangeReport, Problem> outcome) {
        if (!outcome) return respond(respond_problem(outcome.error()));
        JsonWriter json;
        json.begin_object().key("steps").begin_array();
        for (const std::string& step : outcome->steps) json.text(step);
        json.end_array().key("notices").begin_array();
        for (const std::string& notice : outcome->notices) json.text(notice);
        json.end_array().key("warnings").begin_array();
        for (const ProblemItem& item : outcome->warnings) write_item(json, item);
        json.end_array().end_object();
        respond(json_response(json.take() + "\n"));
    };
}

/// The texts of a JSON body whose members must be among `names`; those in `required` must be there.
std::optional<std::vector<std::string>> read_body(const Request& request, Respond& respond,
                                                  std::span<const std::string_view> names,
                                                  std::size_t n_required) {
    if (!request.content_type.starts_with("application/json")) {
        refuse(respond, 415, format("content type \"{}\"", request.content_type),
               "send application/json");
        return std::nullopt;
    }
    const auto body = parse_json(request.body);
    if (!body) {
        Problem bad = problem(400, format("the body is no JSON we take: {}", body.error().text));
        bad.errors.push_back({{},
                              static_cast<std::uint32_t>(body.error().line),
                              static_cast<std::uint32_t>(body.error().column),
                              1,
                              body.error().text,
                              {}});
        respond(respond_problem(bad));
        return std::nullopt;
    }
    const auto* object = std::get_if<JsonValue::Object>(&body->value);
    if (object == nullptr) {
        refuse(respond, 400, "the body must be a JSON object");
        return std::nullopt;
    }
    std::vector<std::string> values(names.size());
    for (const auto& [name, value] : *object) {
        const auto at = std::ranges::find(names, name);
        if (at == names.end()) {
            const auto near = did_you_mean(name, names);
            refuse(respond, 400, format("unknown member \"{}\"", name),
                   near ? format("did you mean \"{}\"?", *near)
                        : format("known: {}", fmt::join(names, ", ")));
            return std::nullopt;
        }
        const std::string* text = value.as_text();
        if (text == nullptr) {
            refuse(respond, 400, format("member \"{}\": must be a string", name));
            return std::nullopt;
        }
        values[static_cast<std::size_t>(at - names.begin())] = *text;
    }
    for (std::size_t i = 0; i < n_required; ++i)
        if (body->find(names[i]) == nullptr) {
            refuse(respond, 400, format("member \"{}\" is missing", names[i]));
            return std::nullopt;
        }
    return values;
}

void load(Api& api, const Request& request, const PathParts&, Respond respond) {
    constexpr std::array<std::string_view, 2> kNames{"text", "file"};
    auto values = read_body(request, respond, kNames, 1);
    if (!values) return;
    std::string file = (*values)[1].empty() ? "request" : std::move((*values)[1]);
    LOG(info, "api", "load requested file={} uid={}", file, request.user);
    api.config().load(std::move((*values)[0]), std::move(file), answer_change(std::move(respond)));
}

void add_port(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array<std::string_view, 2> kNames{"name", "options"};
    auto values = read_body(request, respond, kNames, 1);
    if (!values) return;
    if (!has_bridge(api.view(), parts[0]))
        return respond(respond_problem(no_such_bridge(api.view(), parts[0])));
    LOG(info, "api", "add port requested bridge={} port={} uid={}", parts[0], (*values)[0],
        request.user);
    api.config().add_port(parts[0], std::move((*values)[0]), std::move((*values)[1]),
                          answer_change(std::move(respond)));
}

void delete_port(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    if (!has_bridge(api.view(), parts[0]))
        return respond(respond_problem(no_such_bridge(api.view(), parts[0])));
    LOG(info, "api", "delete port requested bridge={} port={} uid={}", parts[0], parts[1],
        request.user);
    api.config().delete_port(parts[0], parts[1], answer_change(std::move(respond)));
}

constexpr std::array<RouteRow, 16> kRows{{
    {"GET", "/api/v1/version", "", "version, name, uptime, dataplane"},
    {"GET", "/api/v1/summary", "", "everything on one screen, a verdict for each bridge"},
    {"GET", "/api/v1/bridges", "bridge", "bridges"},
    {"GET", "/api/v1/ports", "bridge", "ports with counters and drops by reason"},
    {"GET", "/api/v1/controllers", "bridge", "controllers and listeners"},
    {"GET", "/api/v1/flows", "bridge table limit", "flows, one JSON object a line"},
    {"GET", "/api/v1/flows/count", "bridge", "numbers of flows by bridge and table"},
    {"GET", "/api/v1/tables", "bridge", "tables with lookups and matches"},
    {"GET", "/api/v1/mac", "bridge", "learned addresses"},
    {"DELETE", "/api/v1/mac", "bridge", "forgets learned addresses"},
    {"GET", "/api/v1/memory", "", "the arena: backing and regions"},
    {"GET", "/api/v1/workers", "", "forwarding workers"},
    {"GET", "/api/v1/config/running", "", "the running configuration as text"},
    {"POST", "/api/v1/config/load", "", "replaces the running configuration by difference"},
    {"POST", "/api/v1/bridges/{bridge}/ports", "", "adds a port"},
    {"DELETE", "/api/v1/bridges/{bridge}/ports/{port}", "", "deletes a port"},
}};
/// Beside kRows, row by row.
constexpr std::array<Handler, kRows.size()> kHandlers{
    show_all<version_document>,
    show_all<summary_document>,
    show_of_bridge<bridges_document>,
    show_of_bridge<ports_document>,
    show_of_bridge<controllers_document>,
    show_flows,
    show_of_bridge<flow_count_document>,
    show_of_bridge<tables_document>,
    show_of_bridge<macs_document>,
    clear_macs,
    show_all<memory_document>,
    show_all<workers_document>,
    show_running,
    load,
    add_port,
    delete_port,
};

/// The values of the pattern's `{…}` when `path` is of its shape.
std::optional<PathParts> match_path(std::string_view pattern, std::string_view path) {
    const auto expected = split(pattern, '/');
    const auto given = split(path, '/');
    if (expected.size() != given.size()) return std::nullopt;
    PathParts parts;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (expected[i].starts_with('{')) {
            std::optional<std::string> part = percent_decode(given[i]);
            if (!part || part->empty()) return std::nullopt;
            parts.push_back(std::move(*part));
        } else if (expected[i] != given[i]) {
            return std::nullopt;
        }
    }
    return parts;
}

/// The first parameter that the row does not know.
std::optional<std::string> unknown_parameter(const RouteRow& row, const Request& request) {
    const auto known = split(row.query, ' ');
    for (const auto& [name, value] : request.query)
        if (name.empty() || std::ranges::find(known, name) == known.end()) return name;
    return std::nullopt;
}

}  // namespace

Time monotonic_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<Time>(now.tv_sec) * kSecond + static_cast<Time>(now.tv_nsec);
}

std::span<const RouteRow> route_rows() {
    return kRows;
}

void Api::handle(const Request& request, Respond respond) {
    std::string allow;
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        const std::optional<PathParts> parts = match_path(kRows[i].path, request.path);
        if (!parts) continue;
        if (kRows[i].method != request.method) {
            allow += format("{}{}", allow.empty() ? "" : ", ", kRows[i].method);
            continue;
        }
        if (const auto unknown = unknown_parameter(kRows[i], request))
            return refuse(respond, 400, format("unknown parameter \"{}\"", *unknown),
                          kRows[i].query.empty() ? "this path takes none"
                                                 : format("known: {}", kRows[i].query));
        return kHandlers[i](*this, request, *parts, std::move(respond));
    }
    if (!allow.empty()) {
        Response response = respond_problem(
            problem(405, format("{} does not go with {}", request.method, request.path),
                    format("allowed: {}", allow)));
        response.allow = allow;
        return respond(std::move(response));
    }
    std::vector<std::string_view> paths;
    for (const RouteRow& row : kRows) paths.push_back(row.path);
    const auto near = did_you_mean(request.path, paths);
    refuse(respond, 404, format("nothing at {}", request.path),
           near ? format("did you mean {}?", *near) : "docs/api.md lists the paths");
}

}  // namespace raicho::agent::api
