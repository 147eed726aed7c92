// SPDX-License-Identifier: Apache-2.0
#include "agent/api/documents.h"

#include <unistd.h>

#include <array>

#include "agent/api/json.h"
#include "agent/api/verdict.h"
#include "base/text.h"
#include "openflow/message.h"

namespace raicho::agent::api {

namespace {

constexpr std::array<const char*, 6> kPortKinds{"none", "af-packet", "tap",
                                                "null", "ethdev",    "local"};
constexpr std::array<const char*, 5> kPortHealths{"closed", "up", "down", "absent", "failed"};
static_assert(static_cast<std::size_t>(shm::PortKind::local) == kPortKinds.size() - 1);
static_assert(static_cast<std::size_t>(shm::PortHealth::failed) == kPortHealths.size() - 1);

struct FlagName {
    std::uint32_t flag;
    const char* name;
};
// OF 1.3.5 §7.2.1 ofp_port_config and ofp_port_state, without their prefix.
constexpr std::array<FlagName, 4> kPortConfig{
    {{openflow::port_config::kPortDown, "port-down"},
     {openflow::port_config::kNoRecv, "no-recv"},
     {openflow::port_config::kNoFwd, "no-fwd"},
     {openflow::port_config::kNoPacketIn, "no-packet-in"}}};
constexpr std::array<FlagName, 3> kPortState{{{openflow::port_state::kLinkDown, "link-down"},
                                              {openflow::port_state::kBlocked, "blocked"},
                                              {openflow::port_state::kLive, "live"}}};

void write_flags(JsonWriter& json, const char* key, std::uint32_t word,
                 std::span<const FlagName> names) {
    json.key(key).begin_array();
    for (const FlagName& row : names)
        if ((word & row.flag) != 0) json.text(row.name);
    json.end_array();
}

void write_dataplane(JsonWriter& json, const DataplaneView& dataplane) {
    json.begin_object()
        .field("attached", dataplane.attached)
        .field("state", dataplane.state)
        .field("pid", dataplane.pid)
        .field("workers", dataplane.n_workers)
        .field("since_ns", dataplane.since_ns)
        .field("silent_ns", dataplane.silent_ns);
    if (!dataplane.last_error.empty()) json.field("last_error", dataplane.last_error);
    json.end_object();
}

void write_identity(JsonWriter& json, const SwitchView& view) {
    json.field("name", view.name())
        .field("version", view.version())
        .field("pid", static_cast<std::uint64_t>(::getpid()))
        .field("uptime_ns", view.uptime_ns())
        .field("rundir", view.rundir())
        .field("start", view.start_text());
}

void write_controller(JsonWriter& json, const ControllerView& c) {
    json.begin_object()
        .field("bridge", c.bridge)
        .field("target", c.target)
        .field("passive", c.passive)
        .field("connected", c.connected)
        .field("version", c.version)
        .field("peer", c.peer)
        .field("state", c.state)
        .field("last_error", c.last_error)
        .field("since_ns", c.since_ns)
        .field("messages_in", c.messages_in)
        .field("messages_out", c.messages_out)
        .field("packet_ins_dropped", c.packet_ins_dropped)
        .field("attempts", c.attempts)
        .end_object();
}

void write_bridge(JsonWriter& json, const SwitchView& view, const BridgeView& b,
                  const DataplaneView& dataplane) {
    const std::vector<ControllerView> controllers = view.controllers(b.name);
    const Verdict verdict = judge(b, controllers, view.ports(b.name), dataplane);
    json.begin_object()
        .field("name", b.name)
        .field("dpid", format("{:016x}", b.dpid.value()))
        .field("fail_mode", b.fail_mode)
        .field("mode", b.mode)
        .field("forwarding", verdict.forwarding == Forwarding::working)
        .field("verdict", verdict.text)
        .field("hint", verdict.hint)
        .field("miss_send_len", b.miss_send_len)
        .field("flows", b.n_flows)
        .field("ports", b.n_ports)
        .field("ports_up", b.n_ports_up)
        .field("controllers", b.n_controllers)
        .field("controllers_connected", b.n_controllers_connected)
        .field("mac_ageing_s", b.mac_ageing_s)
        .field("mac_limit", b.mac_limit)
        .end_object();
}

void write_rate(JsonWriter& json, const char* key, const std::optional<PortRateView>& rate,
                std::uint64_t PortRateView::* member) {
    json.key(key);
    if (rate)
        json.number((*rate).*member);
    else
        json.null();
}

/// The members of a port; its object stays open.
void write_port(JsonWriter& json, const PortView& p) {
    json.begin_object()
        .field("bridge", p.bridge)
        .field("name", p.name)
        .field("number", p.number.value())
        .field("kind", kPortKinds[static_cast<std::size_t>(p.kind)])
        .field("device", p.device)
        .field("health", kPortHealths[static_cast<std::size_t>(p.health)])
        .field("state", p.state)
        .field("mac", to_string(p.mac))
        .field("mtu", p.mtu)
        .field("speed_mbps", p.speed_mbps)
        .field("queues", p.queues)
        .field("age_ns", p.age_ns);
    write_flags(json, "of_config", p.of_config, kPortConfig);
    write_flags(json, "of_state", p.of_state, kPortState);
    json.field("rx_packets", p.counters.rx_packets)
        .field("rx_bytes", p.counters.rx_bytes)
        .field("rx_dropped", p.counters.rx_dropped)
        .field("rx_errors", p.counters.rx_errors)
        .field("tx_packets", p.counters.tx_packets)
        .field("tx_bytes", p.counters.tx_bytes)
        .field("tx_dropped", p.counters.tx_dropped)
        .field("tx_errors", p.counters.tx_errors);
    write_rate(json, "rx_pps", p.rate, &PortRateView::rx_pps);
    write_rate(json, "rx_bps", p.rate, &PortRateView::rx_bps);
    write_rate(json, "tx_pps", p.rate, &PortRateView::tx_pps);
    write_rate(json, "tx_bps", p.rate, &PortRateView::tx_bps);
    json.key("drops").begin_array();
    for (std::size_t i = 0; i < shm::kDropReasons; ++i) {
        if (p.drops[i] == 0) continue;
        json.begin_object()
            .field("reason", shm::kDropRows[i].name)
            .field("packets", p.drops[i])
            .field("meaning", shm::kDropRows[i].meaning)
            .end_object();
    }
    json.end_array();
}

/// Names of the bridges asked for.
std::vector<std::string> bridge_names(const SwitchView& view, std::string_view bridge) {
    if (!bridge.empty()) return {std::string(bridge)};
    std::vector<std::string> names;
    for (BridgeView& b : view.bridges()) names.push_back(std::move(b.name));
    return names;
}

std::string finish(JsonWriter& json) {
    return json.take() + "\n";
}

}  // namespace

std::string version_document(const SwitchView& view) {
    JsonWriter json;
    json.begin_object().field("product", "Raicho");
    write_identity(json, view);
    json.key("dataplane");
    write_dataplane(json, view.dataplane());
    json.end_object();
    return finish(json);
}

std::string summary_document(const SwitchView& view) {
    const DataplaneView dataplane = view.dataplane();
    JsonWriter json;
    json.begin_object();
    write_identity(json, view);
    json.key("dataplane");
    write_dataplane(json, dataplane);
    json.key("bridges").begin_array();
    for (const BridgeView& bridge : view.bridges()) write_bridge(json, view, bridge, dataplane);
    json.end_array();
    json.key("warnings").begin_array();
    for (const std::string& warning : warnings(view)) json.text(warning);
    json.end_array().end_object();
    return finish(json);
}

std::string bridges_document(const SwitchView& view, std::string_view bridge) {
    const DataplaneView dataplane = view.dataplane();
    JsonWriter json;
    json.begin_array();
    for (const BridgeView& b : view.bridges())
        if (bridge.empty() || b.name == bridge) write_bridge(json, view, b, dataplane);
    json.end_array();
    return finish(json);
}

std::string ports_document(const SwitchView& view, std::string_view bridge) {
    JsonWriter json;
    json.begin_array();
    for (const PortView& port : view.ports(bridge)) {
        write_port(json, port);
        json.end_object();
    }
    json.end_array();
    return finish(json);
}

std::string locals_document(const SwitchView& view, std::string_view bridge,
                            const AddressesOf& addresses) {
    JsonWriter json;
    json.begin_array();
    for (const PortView& port : view.ports(bridge)) {
        if (port.number != port::kLocal) continue;
        write_port(json, port);
        json.key("addresses").begin_array();
        for (const std::string& address : addresses(port.bridge)) json.text(address);
        json.end_array().end_object();
    }
    json.end_array();
    return finish(json);
}

std::string controllers_document(const SwitchView& view, std::string_view bridge) {
    JsonWriter json;
    json.begin_object().key("controllers").begin_array();
    for (const ControllerView& c : view.controllers(bridge)) write_controller(json, c);
    json.end_array().key("listens").begin_array();
    for (const ListenView& l : view.listens(bridge))
        json.begin_object()
            .field("bridge", l.bridge)
            .field("target", l.target)
            .field("state", l.state)
            .field("connections", l.connections)
            .end_object();
    json.end_array().end_object();
    return finish(json);
}

std::string tables_document(const SwitchView& view, std::string_view bridge) {
    JsonWriter json;
    json.begin_array();
    for (const std::string& name : bridge_names(view, bridge))
        for (const TableView& t : view.tables(name))
            json.begin_object()
                .field("bridge", name)
                .field("table", t.table.value())
                .field("flows", t.active)
                .field("lookups", t.lookups)
                .field("matches", t.matches)
                .field("form", t.form)
                .field("tuples", t.n_tuples)
                .field("bytes", t.size)
                .end_object();
    json.end_array();
    return finish(json);
}

std::string flow_count_document(const SwitchView& view, std::string_view bridge) {
    JsonWriter json;
    json.begin_array();
    for (const std::string& name : bridge_names(view, bridge)) {
        std::uint64_t total = 0;
        json.begin_object().field("bridge", name).key("tables").begin_array();
        for (const TableView& t : view.tables(name)) {
            if (t.active == 0) continue;
            total += t.active;
            json.begin_object().field("table", t.table.value()).field("flows", t.active);
            json.end_object();
        }
        json.end_array().field("flows", total).end_object();
    }
    json.end_array();
    return finish(json);
}

std::string macs_document(const SwitchView& view, std::string_view bridge) {
    JsonWriter json;
    json.begin_array();
    for (const std::string& name : bridge_names(view, bridge))
        for (const MacView& m : view.macs(name))
            json.begin_object()
                .field("bridge", name)
                .field("mac", to_string(m.mac))
                .field("vlan", m.vlan)
                .field("port", m.port.value())
                .field("port_name", m.port_name)
                .field("age_s", m.age_s)
                .end_object();
    json.end_array();
    return finish(json);
}

std::string memory_document(const SwitchView& view) {
    const MemoryView memory = view.memory();
    JsonWriter json;
    json.begin_object()
        .field("file", memory.file)
        .field("backing", memory.backing)
        .field("size", memory.size);
    json.key("regions").begin_array();
    for (const MemoryView::Region& r : memory.regions)
        json.begin_object()
            .field("name", r.name)
            .field("used", r.used)
            .field("limit", r.limit)
            .field("unit_size", r.unit_size)
            .end_object();
    json.end_array().end_object();
    return finish(json);
}

std::string workers_document(const SwitchView& view) {
    JsonWriter json;
    json.begin_array();
    for (const WorkerView& w : view.workers()) {
        json.begin_object()
            .field("worker", w.id.value())
            .field("core", w.core)
            .field("state", w.state)
            .field("rx_packets", w.rx_packets)
            .field("tx_packets", w.tx_packets)
            .field("dropped", w.dropped)
            .field("packet_ins", w.packet_ins);
        json.key("busy");
        if (w.busy)
            json.real(*w.busy);
        else
            json.null();
        json.end_object();
    }
    json.end_array();
    return finish(json);
}

}  // namespace raicho::agent::api
