// SPDX-License-Identifier: Apache-2.0
// The API's routes, a table for each area, and what their handlers share. api.cc finds the one of a
// request; docs/api.md lists them all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/api.h"
#include "openflow/text.h"

namespace raicho::agent::api {

/// Values of a path's `{…}`, in order.
using PathParts = std::vector<std::string>;
using Handler = void (*)(Api&, const Request&, const PathParts&, Respond);

struct Route {
    RouteRow row;
    Handler handler;
};
/// What can be seen.
[[nodiscard]] std::span<const Route> view_routes();
/// Configuration.
[[nodiscard]] std::span<const Route> config_routes();
/// Flows by hand, restarts.
[[nodiscard]] std::span<const Route> operate_routes();
/// Groups and meters by hand.
[[nodiscard]] std::span<const Route> entry_routes();

[[nodiscard]] Response json_response(std::string body);
void refuse(Respond& respond, unsigned status, std::string detail, std::string hint = {});
/// The value of a parameter, empty when it was not given.
[[nodiscard]] std::string_view query_value(const Request& request, std::string_view name);
/// The number of a parameter, `otherwise` when it was not given; nothing, and answered, when it is
/// no number.
[[nodiscard]] std::optional<std::uint64_t> query_number(const Request& request, Respond& respond,
                                                        std::string_view name,
                                                        std::uint64_t otherwise);
[[nodiscard]] std::vector<std::string> bridge_names(const SwitchView& view);
[[nodiscard]] bool has_bridge(const SwitchView& view, std::string_view name);
[[nodiscard]] Problem no_such_bridge(const SwitchView& view, std::string_view name);
/// Ports of these bridges by name, the first bridge that has one of the name.
[[nodiscard]] openflow::PortByName port_by_name(const SwitchView& view,
                                                std::vector<std::string> bridges);
/// The door to the live switch, or nothing and answered.
[[nodiscard]] OperatorDoor* door_of(Api& api, Respond& respond);
/// `OFPFMFC_TABLE_FULL (1)`
[[nodiscard]] std::string error_name(const openflow::OfpError& error);
/// A text of a flow, group or meter that is wrong, 422 with the place.
[[nodiscard]] Problem flow_text_problem(const openflow::FlowTextError& error);
}  // namespace raicho::agent::api
