// SPDX-License-Identifier: Apache-2.0
#include "agent/api/api.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "agent/api/routes.h"
#include "base/clock.h"
#include "base/text.h"

namespace raicho::agent::api {

namespace {

std::array<std::span<const Route>, 4> areas() {
    return {view_routes(), config_routes(), operate_routes(), entry_routes()};
}

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

/// What is read by one who may not read, or changed by one who may not change.
std::optional<Problem> forbidden(const Request& request) {
    const bool reads = request.method == "GET";
    if (request.right == Right::change || (reads && request.right == Right::read))
        return std::nullopt;
    return problem(
        403,
        format("user {} may not {} this switch", request.user_name, reads ? "look at" : "change"),
        request.right == Right::read ? "you may look only: api { group } names who may change"
                                     : "api { group } and api { readers } name who may");
}

}  // namespace

Time monotonic_now() {
    return static_cast<Time>(monotonic_ns());
}

std::vector<RouteRow> route_rows() {
    std::vector<RouteRow> rows;
    for (const auto& area : areas())
        for (const Route& route : area) rows.push_back(route.row);
    return rows;
}

void Api::handle(const Request& request, Respond respond) {
    std::string allow;
    for (const auto& area : areas()) {
        for (const Route& route : area) {
            const std::optional<PathParts> parts = match_path(route.row.path, request.path);
            if (!parts) continue;
            if (route.row.method != request.method) {
                allow += format("{}{}", allow.empty() ? "" : ", ", route.row.method);
                continue;
            }
            if (auto refused = forbidden(request)) return respond(respond_problem(*refused));
            if (const auto unknown = unknown_parameter(route.row, request))
                return refuse(respond, 400, format("unknown parameter \"{}\"", *unknown),
                              route.row.query.empty() ? "this path takes none"
                                                      : format("known: {}", route.row.query));
            return route.handler(*this, request, *parts, std::move(respond));
        }
    }
    if (!allow.empty()) {
        Response response = respond_problem(
            problem(405, format("{} does not go with {}", request.method, request.path),
                    format("allowed: {}", allow)));
        response.allow = allow;
        return respond(std::move(response));
    }
    std::vector<std::string_view> paths;
    for (const auto& area : areas())
        for (const Route& route : area) paths.push_back(route.row.path);
    const auto near = did_you_mean(request.path, paths);
    refuse(respond, 404, format("nothing at {}", request.path),
           near ? format("did you mean {}?", *near) : "docs/api.md lists the paths");
}

}  // namespace raicho::agent::api
