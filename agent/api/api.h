// SPDX-License-Identifier: Apache-2.0
// The API without its transport: routes a request to the view or the configuration and makes the
// answer. docs/api.md describes the documents. Neighbours: server.h carries it over HTTP,
// documents.h and flow_stream.h make the bodies.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "agent/api/http.h"
#include "agent/api/operator_door.h"
#include "agent/model/types.h"
#include "agent/view/switch_view.h"

namespace raicho::agent::config {
class Candidates;
class CommitEngine;
}  // namespace raicho::agent::config

namespace raicho::agent::api {

/// CLOCK_MONOTONIC.
[[nodiscard]] Time monotonic_now();

class Api {
  public:
    /// All must live longer than the Api and its responses.
    Api(SwitchView& view, config::CommitEngine& engine, config::Candidates& candidates,
        std::function<Time()> clock = monotonic_now)
        : view_(view), engine_(engine), candidates_(candidates), clock_(std::move(clock)) {}

    /// Calls `respond` exactly once, now or later on the loop.
    void handle(const Request& request, Respond respond);

    /// From then on flows may be changed by hand and parts restarted; `door` outlives the Api.
    void attend(OperatorDoor& door) { operator_ = &door; }

    [[nodiscard]] SwitchView& view() { return view_; }
    [[nodiscard]] config::CommitEngine& engine() { return engine_; }
    [[nodiscard]] config::Candidates& candidates() { return candidates_; }
    /// nullptr: nobody attends.
    [[nodiscard]] OperatorDoor* operator_door() { return operator_; }
    [[nodiscard]] const std::function<Time()>& clock() const { return clock_; }

  private:
    SwitchView& view_;
    config::CommitEngine& engine_;
    config::Candidates& candidates_;
    std::function<Time()> clock_;
    OperatorDoor* operator_ = nullptr;
};

/// One row of the API: path with `{name}` for a variable part, and what it is for.
struct RouteRow {
    std::string_view method;
    std::string_view path;
    std::string_view query;  // allowed parameters, separated by blanks
    std::string_view summary;
};
/// Every route; docs/api.md lists the same.
[[nodiscard]] std::vector<RouteRow> route_rows();

}  // namespace raicho::agent::api
