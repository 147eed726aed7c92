// SPDX-License-Identifier: Apache-2.0
// Routes of a person who acts like a controller: groups and meters by hand. operate_routes.cc has
// the flows.
#include <array>
#include <utility>

#include "agent/api/body.h"
#include "agent/api/json.h"
#include "agent/api/routes.h"
#include "base/log.h"
#include "base/text.h"
#include "openflow/mod_parser.h"
#include "openflow/text.h"

namespace raicho::agent::api {

namespace {

using openflow::FlowTextError;
using openflow::GroupMod;
using openflow::MeterMod;

/// What of a kind of entry the routes need to know.
struct Groups {
    using Mod = GroupMod;
    static constexpr std::string_view kName = "group";
    static constexpr std::array<std::string_view, 2> kKeys{"group_id", "group"};
    static auto parse(std::string_view text, const openflow::PortByName& ports) {
        return openflow::parse_group(text, ports);
    }
    static Mod remove(std::uint32_t id) {
        Mod mod;
        mod.command = openflow::GroupModCommand::remove;
        mod.group = GroupId(id);
        return mod;
    }
    static constexpr std::uint32_t kAll = openflow::group::kAll.value();
    static std::string text(const Mod& mod) {
        return openflow::to_text(openflow::GroupDesc{mod.type, mod.group, mod.buckets});
    }
};
struct Meters {
    using Mod = MeterMod;
    static constexpr std::string_view kName = "meter";
    static constexpr std::array<std::string_view, 1> kKeys{"meter"};
    static auto parse(std::string_view text, const openflow::PortByName&) {
        return openflow::parse_meter(text);
    }
    static Mod remove(std::uint32_t id) {
        Mod mod;
        mod.command = openflow::MeterModCommand::remove;
        mod.meter = MeterId(id);
        return mod;
    }
    static constexpr std::uint32_t kAll = openflow::meter::kAll.value();
    static std::string text(const Mod& mod) {
        return openflow::to_text(openflow::MeterConfig{mod.flags, mod.meter, mod.bands});
    }
};

/// A delete names one entry, `7` or `group_id=7`, or `all`.
template <class Kind>
std::expected<typename Kind::Mod, FlowTextError> read_delete(std::string_view text) {
    std::string_view word = trim(text);
    for (const std::string_view key : Kind::kKeys)
        if (word.starts_with(key) && word.substr(key.size()).starts_with('='))
            word.remove_prefix(key.size() + 1);
    if (word == "all") return Kind::remove(Kind::kAll);
    const auto number = parse_number(word);
    if (number && *number <= ~std::uint32_t{0})
        return Kind::remove(static_cast<std::uint32_t>(*number));
    return std::unexpected(FlowTextError{format("\"{}\" names no {}", text, Kind::kName),
                                         format("write a number, {}=7 or all", Kind::kKeys[0]), 0,
                                         text.size()});
}

template <class Kind>
std::expected<typename Kind::Mod, FlowTextError> read_entry(std::string_view command,
                                                            std::string_view text,
                                                            const openflow::PortByName& ports) {
    if (command == "delete") return read_delete<Kind>(text);
    auto mod = Kind::parse(text, ports);
    using Command = decltype(mod->command);
    if (mod) mod->command = command == "add" ? Command::add : Command::modify;
    return mod;
}

template <class Kind>
void change_entry(Api& api, const Request& request, const PathParts& parts, Respond respond) {
    constexpr std::array<Body::Member, 2> kMembers{{
        {"command", Body::Kind::text, Body::Member::Needed::yes},
        {Kind::kName, Body::Kind::text, Body::Member::Needed::yes},
    }};
    const auto body = Body::read(request, kMembers);
    if (!body) return respond(respond_problem(body.error()));
    OperatorDoor* door = door_of(api, respond);
    if (door == nullptr) return;
    const std::string command = body->text("command");
    const std::string typed = body->text(Kind::kName);
    if (command != "add" && command != "modify" && command != "delete")
        return refuse(respond, 400, format("command \"{}\": not known", command),
                      "known: add, modify, delete");
    const std::string& bridge = parts[0];
    if (!has_bridge(api.view(), bridge))
        return respond(respond_problem(no_such_bridge(api.view(), bridge)));
    const auto mod = read_entry<Kind>(command, typed, port_by_name(api.view(), {bridge}));
    if (!mod) return respond(respond_problem(flow_text_problem(mod.error())));
    const auto done = door->entry_mod(bridge, *mod);
    if (!done)
        return refuse(respond, 409, format("{}: {}", error_name(done.error()), done.error().why));
    LOG(info, "api", "{} {} by hand bridge={} uid={} user={} entries={} flows={} text=\"{}\"",
        Kind::kName, command, bridge, request.user, request.user_name, done->entries, done->flows,
        typed);
    JsonWriter json;
    json.begin_object()
        .field("text", command == "delete" ? std::string(trim(typed)) : Kind::text(*mod))
        .field("matched", done->entries)
        .field("flows_deleted", done->flows)
        .end_object();
    respond(json_response(json.take() + "\n"));
}

constexpr std::array kEntryRoutes{std::to_array<Route>({
    {{"POST", "/api/v1/bridges/{bridge}/groups", "", "adds, modifies or deletes groups"},
     change_entry<Groups>},
    {{"POST", "/api/v1/bridges/{bridge}/meters", "", "adds, modifies or deletes meters"},
     change_entry<Meters>},
})};

}  // namespace

std::span<const Route> entry_routes() {
    return kEntryRoutes;
}

}  // namespace raicho::agent::api
