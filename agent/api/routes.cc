// SPDX-License-Identifier: Apache-2.0
#include "agent/api/routes.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace raicho::agent::api {

Response json_response(std::string body) {
    return {200, "application/json", std::move(body)};
}

void refuse(Respond& respond, unsigned status, std::string detail, std::string hint) {
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

}  // namespace raicho::agent::api
