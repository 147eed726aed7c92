// SPDX-License-Identifier: Apache-2.0
// The API's routes, a table for each area, and what their handlers share. api.cc finds the one of a
// request; docs/api.md lists them all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/api.h"

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

[[nodiscard]] Response json_response(std::string body);
void refuse(Respond& respond, unsigned status, std::string detail, std::string hint = {});
/// The value of a parameter, empty when it was not given.
[[nodiscard]] std::string_view query_value(const Request& request, std::string_view name);
[[nodiscard]] std::vector<std::string> bridge_names(const SwitchView& view);
[[nodiscard]] bool has_bridge(const SwitchView& view, std::string_view name);
[[nodiscard]] Problem no_such_bridge(const SwitchView& view, std::string_view name);

}  // namespace raicho::agent::api
