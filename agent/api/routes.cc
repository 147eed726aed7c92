// SPDX-License-Identifier: Apache-2.0
#include "agent/api/routes.h"

#include <algorithm>

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

std::optional<std::uint64_t> query_number(const Request& request, Respond& respond,
                                          std::string_view name, std::uint64_t otherwise) {
    if (!request.query.contains(name)) return otherwise;
    const std::string_view text = query_value(request, name);
    const auto number = parse_number(text);
    if (!number) refuse(respond, 400, format("{} \"{}\": not a number", name, text));
    return number;
}

openflow::PortByName port_by_name(const SwitchView& view, std::vector<std::string> bridges) {
    return [&view, bridges = std::move(bridges)](std::string_view name) -> std::optional<PortNo> {
        for (const std::string& bridge : bridges)
            if (const auto number = view.port_number(bridge, name)) return number;
        return std::nullopt;
    };
}

OperatorDoor* door_of(Api& api, Respond& respond) {
    if (api.operator_door() == nullptr) refuse(respond, 503, "the switch is starting");
    return api.operator_door();
}

std::string error_name(const openflow::OfpError& error) {
    return std::string(openflow::error_code_name(std::to_underlying(error.type), error.code));
}

Problem flow_text_problem(const openflow::FlowTextError& error) {
    Problem wrong = problem(422, error.text, error.hint);
    wrong.errors.push_back({{},
                            1,
                            static_cast<std::uint32_t>(error.offset) + 1,
                            static_cast<std::uint32_t>(error.length),
                            error.text,
                            error.hint});
    return wrong;
}

}  // namespace raicho::agent::api
