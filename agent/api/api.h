// SPDX-License-Identifier: Apache-2.0
// The API without its transport: routes a request to the view or the configuration and makes the
// answer. docs/api.md describes the documents. Neighbours: server.h carries it over HTTP.
#pragma once

#include <span>
#include <string_view>

#include "agent/api/config_door.h"
#include "agent/api/http.h"
#include "agent/switch_view.h"

namespace raicho::agent::api {

class Api {
  public:
    /// Both must live longer than the Api.
    Api(SwitchView& view, ConfigDoor& config) : view_(view), config_(config) {}

    /// Calls `respond` exactly once, now or later on the loop.
    void handle(const Request& request, Respond respond);

  private:
    SwitchView& view_;
    ConfigDoor& config_;
};

/// One row of the API: path with `{name}` for a variable part, and what it is for.
struct RouteRow {
    std::string_view method;
    std::string_view path;
    std::string_view query;  // allowed parameters, comma-separated
    std::string_view summary;
};
/// Every route; docs/api.md lists the same.
[[nodiscard]] std::span<const RouteRow> route_rows();

}  // namespace raicho::agent::api
