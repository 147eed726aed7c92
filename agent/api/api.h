// SPDX-License-Identifier: Apache-2.0
// The API without its transport: routes a request to the view or the configuration and makes the
// answer. docs/api.md describes the documents. Neighbours: server.h carries it over HTTP,
// documents.h and flow_stream.h make the bodies.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "agent/api/config_door.h"
#include "agent/api/http.h"
#include "agent/model/types.h"
#include "agent/view/switch_view.h"

namespace raicho::agent::api {

/// CLOCK_MONOTONIC.
[[nodiscard]] Time monotonic_now();

class Api {
  public:
    /// View and configuration must live longer than the Api and its responses.
    Api(SwitchView& view, ConfigDoor& config, std::function<Time()> clock = monotonic_now)
        : view_(view), config_(config), clock_(std::move(clock)) {}

    /// Calls `respond` exactly once, now or later on the loop.
    void handle(const Request& request, Respond respond);

    [[nodiscard]] SwitchView& view() { return view_; }
    [[nodiscard]] ConfigDoor& config() { return config_; }
    [[nodiscard]] const std::function<Time()>& clock() const { return clock_; }

  private:
    SwitchView& view_;
    ConfigDoor& config_;
    std::function<Time()> clock_;
};

/// One row of the API: path with `{name}` for a variable part, and what it is for.
struct RouteRow {
    std::string_view method;
    std::string_view path;
    std::string_view query;  // allowed parameters, separated by blanks
    std::string_view summary;
};
/// Every route; docs/api.md lists the same.
[[nodiscard]] std::span<const RouteRow> route_rows();

}  // namespace raicho::agent::api
