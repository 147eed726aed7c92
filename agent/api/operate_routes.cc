// SPDX-License-Identifier: Apache-2.0
// Routes of a person who acts like a controller: flows by hand, restarts.
#include <array>
#include <optional>
#include <utility>

#include "agent/api/body.h"
#include "agent/api/flow_notes.h"
#include "agent/api/json.h"
#include "agent/api/routes.h"
#include "base/log.h"
#include "base/text.h"
#include "openflow/codec.h"

namespace raicho::agent::api {

namespace {

using openflow::FlowMod;
using openflow::FlowModCommand;

constexpr std::uint8_t kVersion = 4;  // OpenFlow 1.3

void write_notes(JsonWriter& json, const std::vector<std::string>& notes) {
    json.key("notes").begin_array();
    for (const std::string& note : notes) json.text(note);
    json.end_array();
}

/// `OFPBMC_BAD_PREREQ` of `OFPBMC_BAD_PREREQ (9)`.
std::string name_only(std::string name) {
    name.resize(std::min(name.find(" ("), name.size()));
    return name;
}

/// A flow command as typed.
struct FlowCommand {
    std::string_view name;  // add, modify, delete
    std::string_view text;
};

/// How many bytes the word `strict` and what separates it take at the beginning.
std::size_t strict_size(std::string_view text) {
    constexpr std::string_view kStrict = "strict";
    if (!text.starts_with(kStrict)) return 0;
    const std::size_t end = text.find_first_not_of(", ", kStrict.size());
    if (end == kStrict.size()) return 0;  // another word that begins so
    return end == std::string_view::npos ? text.size() : end;
}

/// Reads the text; a delete needs no actions and means all tables when it names none. A cookie is
/// one to look for, unless the flow is added.
std::expected<FlowMod, openflow::FlowTextError> read_flow(const FlowCommand& command,
                                                          const openflow::PortByName& ports) {
    const bool adds = command.name == "add";
    const bool deletes = command.name == "delete";
    const std::size_t skip = adds ? 0 : strict_size(command.text);
    std::string text(command.text.substr(skip));
    const bool has_actions = text.find("actions=") != std::string::npos;
    if (deletes && !has_actions) text += " actions=drop";
    auto mod = openflow::parse_flow(text, ports);
    if (!mod) {
        mod.error().offset += skip;
        return mod;
    }
    if (adds) return mod;
    using enum FlowModCommand;
    if (deletes)
        mod->command = skip != 0 ? remove_strict : remove;
    else
        mod->command = skip != 0 ? modify_strict : modify;
    if (deletes && text.find("table=") == std::string::npos) mod->table = kAllTables;
    const bool names_cookie = text.find("cookie=") != std::string::npos;
    if (names_cookie && mod->cookie_mask == 0) mod->cookie_mask = ~std::uint64_t{0};
    return mod;
}

void change_flow(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array<Body::Member, 2> kMembers{{
        {"command", Body::Kind::text, Body::Member::Needed::yes},
        {"flow", Body::Kind::text, Body::Member::Needed::yes},
    }};
    constexpr std::array<std::string_view, 3> kCommands{"add", "modify", "delete"};
    const auto body = Body::read(request, kMembers);
    if (!body) return respond(respond_problem(body.error()));
    OperatorDoor* door = door_of(api, respond);
    if (door == nullptr) return;
    const std::string name = body->text("command");
    const std::string typed = body->text("flow");
    const FlowCommand command{name, typed};
    if (std::ranges::find(kCommands, command.name) == kCommands.end())
        return refuse(respond, 400, format("command \"{}\": not known", command.name),
                      "known: add, modify, delete");
    const std::string& bridge = parts[0];
    if (!has_bridge(api.view(), bridge))
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    const auto mod = read_flow(command, port_by_name(api.view(), {bridge}));
    if (!mod) return respond(respond_problem(flow_text_problem(mod.error())));
    const auto notes = mod->command == FlowModCommand::add ? flow_notes(api.view(), bridge, *mod)
                                                           : std::vector<std::string>{};
    const auto matched = door->flow_mod(bridge, *mod);
    if (!matched)
        return refuse(respond, 409,
                      format("{}: {}", error_name(matched.error()), matched.error().why));
    LOG(info, "api", "flow {} by hand bridge={} uid={} user={} flows={} text=\"{}\"", command.name,
        bridge, request.user, request.user_name, *matched, command.text);
    JsonWriter json;
    json.begin_object().field("text", flow_text(*mod)).field("matched", *matched);
    write_notes(json, notes);
    json.end_object();
    respond(json_response(json.take() + "\n"));
}

/// The flow as it would come over the wire, and what would be answered.
openflow::OfResult<std::size_t> judge(const OperatorDoor& door, std::string_view bridge,
                                      const FlowMod& mod) {
    openflow::ByteVector bytes;
    openflow::encode(openflow::Message(mod), kVersion, 0, bytes);
    const auto decoded = openflow::decode(bytes);
    if (!decoded) return std::unexpected(decoded.error());
    return door.test_flow(bridge, std::get<FlowMod>(*decoded));
}

void test_flow(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array<Body::Member, 1> kMembers{
        {{"flow", Body::Kind::text, Body::Member::Needed::yes}}};
    const auto body = Body::read(request, kMembers);
    if (!body) return respond(respond_problem(body.error()));
    const OperatorDoor* door = door_of(api, respond);
    if (door == nullptr) return;
    const std::string& bridge = parts[0];
    if (!has_bridge(api.view(), bridge))
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    const auto ports = port_by_name(api.view(), {bridge});
    const std::string text = body->text("flow");
    const auto mod = openflow::parse_flow(text, ports, openflow::FlowRules::spelling);
    if (!mod) return respond(respond_problem(flow_text_problem(mod.error())));
    const auto answer = judge(*door, bridge, *mod);
    JsonWriter json;
    json.begin_object().field("accepted", answer.has_value()).field("text", flow_text(*mod));
    if (answer) {
        write_notes(json, flow_notes(api.view(), bridge, *mod));
    } else {
        const openflow::OfpError& error = answer.error();
        const auto type = static_cast<std::uint64_t>(std::to_underlying(error.type));
        // The text's own rules know the remedy.
        const auto strictly = openflow::parse_flow(text, ports);
        json.field("type", type)
            .field("type_name",
                   name_only(openflow::error_type_name(std::to_underlying(error.type))))
            .field("code", static_cast<std::uint64_t>(error.code))
            .field("code_name", name_only(error_name(error)))
            .field("why", error.why)
            .field("hint", strictly ? std::string() : strictly.error().hint);
    }
    json.end_object();
    respond(json_response(json.take() + "\n"));
}

void restart(Api& api, const Request& request, const PathParts&, Respond respond) {
    constexpr std::array<Body::Member, 2> kMembers{{
        {"what", Body::Kind::text, Body::Member::Needed::yes},
        {"bridge"},
    }};
    const auto body = Body::read(request, kMembers);
    if (!body) return respond(respond_problem(body.error()));
    OperatorDoor* door = door_of(api, respond);
    if (door == nullptr) return;
    const std::string what = body->text("what");
    const std::string bridge = body->text("bridge");
    if (!bridge.empty() && what != "controller")
        return refuse(respond, 400, "member \"bridge\": only a controller belongs to one");
    if (!bridge.empty() && !has_bridge(api.view(), bridge))
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    LOG(info, "api", "restart requested what={} bridge={} uid={} user={}", what, bridge,
        request.user, request.user_name);
    JsonWriter json;
    json.begin_object();
    if (what == "controller") {
        json.field("ended", door->restart_controllers(bridge));
    } else if (what == "dataplane") {
        if (const auto told = door->restart_dataplane(); !told)
            return refuse(respond, 409, told.error().text, told.error().hint);
    } else if (what == "agent") {
        door->restart_agent();
    } else {
        return refuse(respond, 400, format("what \"{}\": not known", what),
                      "known: agent, dataplane, controller");
    }
    json.end_object();
    respond(json_response(json.take() + "\n"));
}

constexpr std::array kRoutes{std::to_array<Route>({
    {{"POST", "/api/v1/bridges/{bridge}/flows", "", "adds, modifies or deletes flows"},
     change_flow},
    {{"POST", "/api/v1/bridges/{bridge}/flows/test", "",
      "the answer a controller would get for a flow"},
     test_flow},
    {{"POST", "/api/v1/restart", "", "starts the agent, the dataplane or connections anew"},
     restart},
})};

}  // namespace

std::span<const Route> operate_routes() {
    return kRoutes;
}

}  // namespace raicho::agent::api
