// SPDX-License-Identifier: Apache-2.0
#include "agent/switch_values.h"

#include <fstream>
#include <string>
#include <utility>

#include "base/text.h"

namespace raicho::agent {

namespace {

constexpr Time kMilli = 1'000'000;
/// A local port's, where none is said.
constexpr std::uint16_t kLocalMtu = 1500;

shm::PortKind kind_of(dsl::DeviceKind kind) {
    switch (kind) {
        case dsl::DeviceKind::af_packet: return shm::PortKind::af_packet;
        case dsl::DeviceKind::tap: return shm::PortKind::tap;
        case dsl::DeviceKind::null: return shm::PortKind::null;
        case dsl::DeviceKind::pcap:
        case dsl::DeviceKind::ethdev:
        case dsl::DeviceKind::dpdk: return shm::PortKind::ethdev;
    }
    return shm::PortKind::null;
}

/// Of an ethdev only the device string is known: the commit engine has the words.
dsl::DeviceKind kind_of(shm::PortKind kind) {
    switch (kind) {
        case shm::PortKind::af_packet: return dsl::DeviceKind::af_packet;
        case shm::PortKind::tap:
        case shm::PortKind::local: return dsl::DeviceKind::tap;
        case shm::PortKind::null:
        case shm::PortKind::none: return dsl::DeviceKind::null;
        case shm::PortKind::ethdev: return dsl::DeviceKind::ethdev;
    }
    return dsl::DeviceKind::null;
}

}  // namespace

Error no_bridge(std::string_view bridge) {
    return Error{format("bridge \"{}\": does not exist", bridge)};
}

FailMode fail_mode_of(const dsl::BridgeConfig& bridge) {
    return bridge.effective_fail_mode() == dsl::FailMode::secure ? FailMode::secure
                                                                 : FailMode::standalone;
}

Share share_of(const dsl::BridgeConfig& bridge) {
    Share share;
    if (bridge.max_flows) share.max_flows = *bridge.max_flows;
    if (bridge.max_tables) share.n_tables = *bridge.max_tables;
    return share;
}

shm::Template template_of(const dsl::BridgeConfig& bridge) {
    switch (bridge.table_template) {
        case dsl::TableTemplate::automatic: return shm::Template::none;
        case dsl::TableTemplate::exact: return shm::Template::exact;
        case dsl::TableTemplate::tuple_merge: return shm::Template::tuple_merge;
    }
    return shm::Template::none;
}

Dpid automatic_dpid(std::string_view bridge) {
    std::string text;
    std::ifstream file("/etc/machine-id");
    std::getline(file, text);
    text += '/';
    text += bridge;
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    const std::uint64_t folded = (hash ^ hash >> 48) & 0xffffffffffff;
    return Dpid(folded == 0 ? 1 : folded);
}

Dpid dpid_of(const dsl::BridgeConfig& bridge) {
    return bridge.dpid ? *bridge.dpid : automatic_dpid(bridge.name);
}

namespace {

VlanSpec vlan_of(const dsl::PortConfig& port) {
    VlanSpec spec;
    if (!port.vlan) return spec;
    const dsl::VlanConfig& vlan = *port.vlan;
    if (vlan.access)
        spec = {VlanSpec::Kind::access, *vlan.access, {}};
    else
        spec = {vlan.trunk.empty() ? VlanSpec::Kind::every : VlanSpec::Kind::trunk,
                vlan.native.value_or(0), vlan.trunk};
    return spec;
}

std::vector<QueueSpec> queues_of(const dsl::PortConfig& port) {
    std::vector<QueueSpec> specs;
    for (const dsl::QueueConfig& queue : port.egress)
        specs.push_back({.id = queue.id,
                         .priority = queue.priority,
                         .weight = queue.weight,
                         .min_bps = queue.min_rate_bps.value_or(0),
                         .max_bps = queue.max_rate_bps.value_or(0)});
    return specs;
}

}  // namespace

PortSpec spec_of(BridgeId bridge, const dsl::PortConfig& port) {
    std::string device = dsl::device_string(port);
    const shm::PortKind kind = kind_of(port.device.kind);
    if (device.empty() && (kind == shm::PortKind::af_packet || kind == shm::PortKind::tap))
        device = port.name;
    return {
        .bridge = bridge,
        .number = port.number.value_or(PortNo{}),
        .name = port.name,
        .kind = kind,
        .device = std::move(device),
        .mtu = port.mtu.value_or(0),
        .queues = port.queues.value_or(0),
        .mac = std::nullopt,
        .force = port.force == dsl::Force::yes ? PortSpec::Force::yes : PortSpec::Force::no,
        .admin = port.admin == dsl::AdminState::down ? PortSpec::Admin::down : PortSpec::Admin::up,
        .vlan = vlan_of(port),
        .policer = port.policer ? PolicerSpec{port.policer->rate_bps, port.policer->burst_bytes}
                                : PolicerSpec{},
        .egress = queues_of(port),
        .egress_bps = port.max_rate_bps.value_or(0)};
}

PortSpec spec_of(BridgeId bridge, std::string_view name, const dsl::LocalConfig& local) {
    std::string addresses;
    for (const dsl::Prefix& prefix : local.addresses)
        addresses += (addresses.empty() ? "" : ",") + dsl::to_string(prefix);
    return {.bridge = bridge,
            .number = port::kLocal,
            .name = std::string(name),
            .kind = shm::PortKind::local,
            .device = std::move(addresses),
            .mtu = local.mtu.value_or(kLocalMtu),
            .queues = 0,
            .mac = local.mac};
}

dsl::PortConfig config_of(const PortSpec& spec) {
    dsl::PortConfig port{.name = spec.name,
                         .number = spec.number,
                         .device = {.kind = kind_of(spec.kind), .name = spec.device},
                         .mtu = std::nullopt,
                         .queues = std::nullopt,
                         .description = {}};
    if (spec.mtu != 0) port.mtu = spec.mtu;
    if (spec.queues != 0) port.queues = spec.queues;
    port.admin = spec.admin == PortSpec::Admin::down ? dsl::AdminState::down : dsl::AdminState::up;
    port.force = spec.force == PortSpec::Force::yes ? dsl::Force::yes : dsl::Force::no;
    return port;
}

dsl::LocalConfig local_of(const PortSpec& spec) {
    dsl::LocalConfig local{.addresses = {}, .mac = spec.mac, .mtu = std::nullopt};
    if (spec.mtu != 0 && spec.mtu != kLocalMtu) local.mtu = spec.mtu;
    for (const std::string_view text : split(spec.device, ',')) {
        const auto parts = split(text, '/');
        if (parts.size() != 2) continue;
        const auto length = parse_number(parts[1]);
        if (!length) continue;
        dsl::Prefix prefix{.address = Ipv4{}, .length = static_cast<std::uint8_t>(*length)};
        if (const auto v4 = parse_ipv4(parts[0]))
            prefix.address = *v4;
        else if (const auto v6 = parse_ipv6(parts[0]))
            prefix.address = *v6;
        else
            continue;
        local.addresses.push_back(prefix);
    }
    return local;
}

ControllerConfig channel_config(const dsl::ControllerConfig& controller) {
    return {.endpoint = {controller.host, controller.port},
            .source = controller.source ? dsl::to_string(*controller.source) : std::string(),
            .min_backoff = controller.backoff_min_ms * kMilli,
            .max_backoff = controller.backoff_max_ms * kMilli,
            .probe_interval = controller.probe_ms * kMilli,
            .auxiliary = static_cast<std::uint8_t>(controller.auxiliary)};
}

ListenerConfig channel_config(const dsl::ListenConfig& listen) {
    return {.endpoint = {dsl::to_string(listen.address), listen.port},
            .probe_interval = listen.probe_ms * kMilli};
}

}  // namespace raicho::agent
