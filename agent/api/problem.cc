// SPDX-License-Identifier: Apache-2.0
#include "agent/api/problem.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/api/http.h"
#include "agent/api/json.h"

namespace raicho::agent::api {

const char* status_title(unsigned status) {
    // RFC 9110 §15, the ones that we send.
    constexpr std::array<std::pair<unsigned, const char*>, 16> kTitles{{
        {200, "OK"},
        {201, "Created"},
        {400, "Bad Request"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
    }};
    const auto at = std::ranges::find(kTitles, status, &std::pair<unsigned, const char*>::first);
    return at == kTitles.end() ? "Unknown" : at->second;
}

Problem problem(unsigned status, std::string detail, std::string hint) {
    return {status, status_title(status), std::move(detail), std::move(hint), {}, {}};
}

std::string to_json(const Problem& problem) {
    JsonWriter json;
    json.begin_object()
        .field("type", "about:blank")
        .field("title", problem.title)
        .field("status", problem.status)
        .field("detail", problem.detail);
    if (!problem.hint.empty()) json.field("hint", problem.hint);
    if (!problem.errors.empty()) {
        json.key("errors").begin_array();
        for (const ProblemItem& item : problem.errors) write_item(json, item);
        json.end_array();
    }
    if (!problem.rendered.empty()) json.field("rendered", problem.rendered);
    json.end_object();
    return json.take();
}

void write_item(JsonWriter& json, const ProblemItem& item) {
    json.begin_object();
    if (!item.file.empty()) json.field("file", item.file);
    json.field("line", item.line).field("column", item.column).field("length", item.length);
    json.field("text", item.text);
    if (!item.hint.empty()) json.field("hint", item.hint);
    json.end_object();
}

Response respond_problem(const Problem& problem) {
    return {problem.status, "application/problem+json", to_json(problem) + "\n"};
}

}  // namespace raicho::agent::api
