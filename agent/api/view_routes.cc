// SPDX-License-Identifier: Apache-2.0
// Routes of what can be seen.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "agent/api/documents.h"
#include "agent/api/flow_stream.h"
#include "agent/api/routes.h"
#include "base/text.h"

namespace raicho::agent::api {

namespace {

/// The document of one bridge or all, by the query's `bridge`.
template <std::string (*document)(const SwitchView&, std::string_view)>
void show_of_bridge(Api& api, const Request& request, const PathParts&, Respond respond) {
    const std::string_view bridge = query_value(request, "bridge");
    if (!bridge.empty() && !has_bridge(api.view(), bridge))
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    respond(json_response(document(api.view(), bridge)));
}

template <std::string (*document)(const SwitchView&)>
void show_all(Api& api, const Request&, const PathParts&, Respond respond) {
    respond(json_response(document(api.view())));
}

void show_flows(Api& api, const Request& request, const PathParts&, Respond respond) {
    FlowQuery query;
    const std::string_view bridge = query_value(request, "bridge");
    if (bridge.empty())
        query.bridges = bridge_names(api.view());
    else if (has_bridge(api.view(), bridge))
        query.bridges = {std::string(bridge)};
    else
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    if (request.query.contains("table")) {
        const std::string_view text = query_value(request, "table");
        const auto table = parse_number(text);
        if (!table || *table >= kTables)
            return refuse(respond, 400, format("table \"{}\": not a number from 0 to 254", text));
        query.table = TableId{static_cast<std::uint8_t>(*table)};
    }
    if (request.query.contains("limit")) {
        const std::string_view text = query_value(request, "limit");
        query.limit = parse_number(text);
        if (!query.limit) return refuse(respond, 400, format("limit \"{}\": not a number", text));
    }
    respond({200,
             "application/x-ndjson",
             {},
             std::make_unique<FlowStream>(api.view(), std::move(query), api.clock())});
}

void clear_macs(Api& api, const Request& request, const PathParts&, Respond respond) {
    const std::string_view bridge = query_value(request, "bridge");
    const auto names =
        bridge.empty() ? bridge_names(api.view()) : std::vector<std::string>{std::string(bridge)};
    for (const std::string& name : names)
        if (!api.view().clear_macs(name))
            return respond(respond_problem(no_such_bridge(api.view(), name)));
    respond(json_response("{}\n"));
}

constexpr std::array kRoutes{std::to_array<Route>({
    {{"GET", "/api/v1/version", "", "version, name, uptime, dataplane"},
     show_all<version_document>},
    {{"GET", "/api/v1/summary", "", "everything on one screen, a verdict for each bridge"},
     show_all<summary_document>},
    {{"GET", "/api/v1/bridges", "bridge", "bridges"}, show_of_bridge<bridges_document>},
    {{"GET", "/api/v1/ports", "bridge", "ports with counters and drops by reason"},
     show_of_bridge<ports_document>},
    {{"GET", "/api/v1/controllers", "bridge", "controllers and listeners"},
     show_of_bridge<controllers_document>},
    {{"GET", "/api/v1/flows", "bridge table limit", "flows, one JSON object a line"}, show_flows},
    {{"GET", "/api/v1/flows/count", "bridge", "numbers of flows by bridge and table"},
     show_of_bridge<flow_count_document>},
    {{"GET", "/api/v1/tables", "bridge", "tables with lookups and matches"},
     show_of_bridge<tables_document>},
    {{"GET", "/api/v1/mac", "bridge", "learned addresses"}, show_of_bridge<macs_document>},
    {{"DELETE", "/api/v1/mac", "bridge", "forgets learned addresses"}, clear_macs},
    {{"GET", "/api/v1/memory", "", "the arena: backing and regions"}, show_all<memory_document>},
    {{"GET", "/api/v1/workers", "", "forwarding workers"}, show_all<workers_document>},
})};

}  // namespace

std::span<const Route> view_routes() {
    return kRoutes;
}

}  // namespace raicho::agent::api
