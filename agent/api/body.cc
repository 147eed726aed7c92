// SPDX-License-Identifier: Apache-2.0
#include "agent/api/body.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace raicho::agent::api {

namespace {

using Kind = Body::Kind;

bool is_kind(const JsonValue& value, Kind kind) {
    switch (kind) {
        case Kind::text: return value.as_text() != nullptr;
        case Kind::number: return std::holds_alternative<std::uint64_t>(value.value);
        case Kind::texts: {
            const auto* list = std::get_if<JsonValue::Array>(&value.value);
            return list != nullptr && std::ranges::all_of(*list, [](const JsonValue& element) {
                       return element.as_text() != nullptr;
                   });
        }
    }
    return false;
}

std::string_view name_of(Kind kind) {
    switch (kind) {
        case Kind::text: return "a string";
        case Kind::number: return "a whole number";
        case Kind::texts: return "a list of strings";
    }
    return "";
}

std::expected<JsonValue, Problem> parse(const Request& request) {
    if (request.body.empty()) return JsonValue{JsonValue::Object{}};
    if (!request.content_type.starts_with("application/json"))
        return std::unexpected(problem(415, format("content type \"{}\"", request.content_type),
                                       "send application/json"));
    auto body = parse_json(request.body);
    if (body) return std::move(*body);
    Problem bad = problem(400, format("the body is no JSON we take: {}", body.error().text));
    bad.errors.push_back({{},
                          static_cast<std::uint32_t>(body.error().line),
                          static_cast<std::uint32_t>(body.error().column),
                          1,
                          body.error().text,
                          {}});
    return std::unexpected(std::move(bad));
}

}  // namespace

std::expected<Body, Problem> Body::read(const Request& request, std::span<const Member> members) {
    auto body = parse(request);
    if (!body) return std::unexpected(std::move(body.error()));
    const auto* object = std::get_if<JsonValue::Object>(&body->value);
    if (object == nullptr) return std::unexpected(problem(400, "the body must be a JSON object"));
    for (const auto& [name, value] : *object) {
        const auto at = std::ranges::find(members, name, &Member::name);
        if (at == members.end()) {
            std::vector<std::string_view> names;
            for (const Member& member : members) names.push_back(member.name);
            const auto near = did_you_mean(name, names);
            return std::unexpected(problem(400, format("unknown member \"{}\"", name),
                                           near ? format("did you mean \"{}\"?", *near)
                                           : names.empty()
                                               ? std::string("this path takes none")
                                               : format("known: {}", fmt::join(names, ", "))));
        }
        if (!is_kind(value, at->kind))
            return std::unexpected(
                problem(400, format("member \"{}\": must be {}", name, name_of(at->kind))));
    }
    for (const Member& member : members)
        if (member.needed == Member::Needed::yes && body->find(member.name) == nullptr)
            return std::unexpected(problem(400, format("member \"{}\" is missing", member.name)));
    return Body(std::move(*body));
}

std::string Body::text(std::string_view name) const {
    const JsonValue* found = value_.find(name);
    return found == nullptr ? std::string() : *found->as_text();
}

std::vector<std::string> Body::texts(std::string_view name) const {
    std::vector<std::string> all;
    if (const JsonValue* found = value_.find(name))
        for (const JsonValue& element : std::get<JsonValue::Array>(found->value))
            all.push_back(*element.as_text());
    return all;
}

std::optional<std::uint64_t> Body::number(std::string_view name) const {
    const JsonValue* found = value_.find(name);
    if (found == nullptr) return std::nullopt;
    return std::get<std::uint64_t>(found->value);
}

}  // namespace raicho::agent::api
