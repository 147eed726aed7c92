// SPDX-License-Identifier: Apache-2.0
// Routes of what can be seen.
#include <algorithm>
#include <array>

#include "agent/api/documents.h"
#include "agent/api/entry_documents.h"
#include "agent/api/flow_stream.h"
#include "agent/api/json.h"
#include "agent/api/routes.h"
#include "agent/api/top_flows.h"
#include "agent/config/commit.h"
#include "base/log.h"
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

void show_locals(Api& api, const Request& request, const PathParts&, Respond respond) {
    const std::string_view bridge = query_value(request, "bridge");
    if (!bridge.empty() && !has_bridge(api.view(), bridge))
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    const auto addresses = [&](std::string_view name) {
        std::vector<std::string> texts;
        for (const dsl::BridgeConfig& b : api.engine().running().bridges)
            if (b.name == name && b.local)
                for (const dsl::Prefix& address : b.local->addresses)
                    texts.push_back(dsl::to_string(address));
        return texts;
    };
    respond(json_response(locals_document(api.view(), bridge, addresses)));
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
        query.limit = query_number(request, respond, "limit", 0);
        if (!query.limit) return;
    }
    if (request.query.contains("match")) {
        auto selection =
            read_selection(query_value(request, "match"), port_by_name(api.view(), query.bridges));
        if (!selection) return respond(respond_problem(flow_text_problem(selection.error())));
        query.selection = std::move(*selection);
    }
    std::unique_ptr<BodyStream> lines;
    if (request.query.contains("sort")) {
        const std::string_view text = query_value(request, "sort");
        const auto order = flow_order_by_name(text);
        if (!order)
            return refuse(respond, 400, format("sort \"{}\": not known", text),
                          "known: hits, bytes, age, idle");
        if (query.limit.value_or(0) > TopFlows::kMost)
            return refuse(
                respond, 400,
                format("limit {}: at most {} in another order", *query.limit, TopFlows::kMost));
        lines = std::make_unique<TopFlows>(api.view(), std::move(query), *order, api.clock());
    } else {
        lines = std::make_unique<FlowStream>(api.view(), std::move(query), api.clock());
    }
    respond({200, "application/x-ndjson", {}, std::move(lines)});
}

/// Tells one run of the agent from the next: the pid may stay the same.
std::uint64_t instance_of(const Api& api, const SwitchView& view) {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    return (api.clock()() - view.uptime_ns()) / kMillisecond;
}

void show_log(Api& api, const Request& request, const PathParts&, Respond respond) {
    LogLevel level = LogLevel::debug;
    if (const std::string_view text = query_value(request, "level"); !text.empty()) {
        const auto named = log_level_by_name(text);
        if (!named)
            return refuse(respond, 400, format("level \"{}\": not known", text),
                          "known: debug, info, warning, error");
        level = *named;
    }
    const auto after = query_number(request, respond, "after", 0);
    if (!after) return;
    const auto limit = query_number(request, respond, "limit", kKeptLogLines);
    if (!limit) return;
    const KeptLog kept = kept_log(*after, level, *limit);
    JsonWriter json;
    json.begin_object()
        .field("instance", instance_of(api, api.view()))
        .field("next", kept.last)
        .field("lost", kept.lost)
        .key("lines")
        .begin_array();
    for (const LogLine& line : kept.lines)
        json.begin_object()
            .field("number", line.number)
            .field("time_ms", line.time_ms)
            .field("level", log_level_name(line.level))
            .field("area", line.area)
            .field("text", line.text)
            .end_object();
    json.end_array().end_object();
    respond(json_response(json.take() + "\n"));
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
    {{"GET", "/api/v1/locals", "bridge", "the bridges' own host interfaces"}, show_locals},
    {{"GET", "/api/v1/controllers", "bridge", "controllers and listeners"},
     show_of_bridge<controllers_document>},
    {{"GET", "/api/v1/flows", "bridge table match sort limit", "flows, one JSON object a line"},
     show_flows},
    {{"GET", "/api/v1/flows/count", "bridge", "numbers of flows by bridge and table"},
     show_of_bridge<flow_count_document>},
    {{"GET", "/api/v1/tables", "bridge", "tables with lookups and matches"},
     show_of_bridge<tables_document>},
    {{"GET", "/api/v1/groups", "bridge", "groups with their buckets and counters"},
     show_of_bridge<groups_document>},
    {{"GET", "/api/v1/meters", "bridge", "meters with their bands and counters"},
     show_of_bridge<meters_document>},
    {{"GET", "/api/v1/queues", "bridge", "queues of ports with their counters"},
     show_of_bridge<queues_document>},
    {{"GET", "/api/v1/mac", "bridge", "learned addresses"}, show_of_bridge<macs_document>},
    {{"DELETE", "/api/v1/mac", "bridge", "forgets learned addresses"}, clear_macs},
    {{"GET", "/api/v1/memory", "", "the arena: backing and regions"}, show_all<memory_document>},
    {{"GET", "/api/v1/workers", "", "forwarding workers"}, show_all<workers_document>},
    {{"GET", "/api/v1/log", "after limit level", "the last lines of the agent's log"}, show_log},
})};

}  // namespace

std::span<const Route> view_routes() {
    return kRoutes;
}

}  // namespace raicho::agent::api
