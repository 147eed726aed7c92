// SPDX-License-Identifier: Apache-2.0
// The configuration as plain values: what a text means, before anything acts on it. Made by
// check.h, compared by plan.h, printed by print.h; the agent's commit engine carries it out.
// Equality ignores where a thing was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/addr.h"
#include "base/ids.h"
#include "dsl/syntax/source.h"

namespace raicho::dsl {

inline constexpr std::uint16_t kOpenFlowPort = 6653;

using Address = std::variant<Ipv4, Ipv6>;

/// `192.168.2.99/24`, `2001:db8::1/64`.
struct Prefix {
    Address address;
    std::uint8_t length = 0;
    friend bool operator==(const Prefix&, const Prefix&) = default;
};

enum class DeviceKind : std::uint8_t { af_packet, tap, null, pcap, ethdev, dpdk };

/// What a port is made of.
struct DeviceConfig {
    DeviceKind kind = DeviceKind::af_packet;
    /// af_packet: host interface, tap: interface to make, pcap: host interface or empty,
    /// ethdev: EAL device string, dpdk: PCI address, null: empty.
    std::string name;
    std::string rx_file{};  // pcap only
    std::string tx_file{};  // pcap only
    friend bool operator==(const DeviceConfig&, const DeviceConfig&) = default;
};

enum class AdminState : bool { down, up };
enum class Force : bool { no, yes };

/// How NORMAL takes a port: `access`: untagged frames only, all in that VLAN; else a trunk that
/// carries `trunk` (empty = every VLAN) tagged and `native` untagged.
struct VlanConfig {
    std::optional<std::uint16_t> access;
    std::vector<std::uint16_t> trunk;  // sorted
    std::optional<std::uint16_t> native;
    Place place{};
    friend bool operator==(const VlanConfig&, const VlanConfig&) = default;
};

/// Ingress policer: what comes faster is dropped.
struct PolicerConfig {
    std::uint64_t rate_bps = 0;     // 0 = not limited
    std::uint64_t burst_bytes = 0;  // 0 = what 100 ms bring
    Place place{};
    friend bool operator==(const PolicerConfig&, const PolicerConfig&) = default;
};

/// An egress queue (OF 1.3.5 §7.2.2), chosen by set_queue.
struct QueueConfig {
    std::uint32_t id = 0;
    std::optional<std::uint64_t> min_rate_bps;  // OFPQT_MIN_RATE
    std::optional<std::uint64_t> max_rate_bps;  // OFPQT_MAX_RATE
    std::uint8_t priority = 0;                  // the higher one is served first
    std::uint16_t weight = 0;                   // share among equal priorities; 0 = by min_rate_bps
    Place place{};
    friend bool operator==(const QueueConfig&, const QueueConfig&) = default;
};

struct PortConfig {
    std::string name;
    /// OpenFlow number; empty until assign_port_numbers() when the user gave none.
    std::optional<PortNo> number;
    DeviceConfig device;
    std::optional<std::uint16_t> mtu;     // empty = leave as it is
    std::optional<std::uint16_t> queues;  // empty = one a worker
    std::string description;
    AdminState admin = AdminState::up;
    Force force = Force::no;  // take an interface that carries the default route
    std::optional<VlanConfig> vlan{};
    std::optional<PolicerConfig> policer{};
    std::vector<QueueConfig> egress{};            // sorted by id
    std::optional<std::uint64_t> max_rate_bps{};  // of all queues together
    Place place{};
    friend bool operator==(const PortConfig&, const PortConfig&) = default;
};

/// The device string EAL opens for pcap, ethdev and dpdk ports (`net_pcap_up,iface=eth0`); the
/// interface name for af_packet and tap; empty for null.
[[nodiscard]] std::string device_string(const PortConfig& port);

/// The bridge's own host interface, OFPP_LOCAL; it bears the bridge's name.
struct LocalConfig {
    std::vector<Prefix> addresses;
    std::optional<Mac> mac;
    std::optional<std::uint16_t> mtu;
    Place place{};
    friend bool operator==(const LocalConfig&, const LocalConfig&) = default;
};

/// An active connection; `host` is an IPv4 or IPv6 address (no brackets) or a host name.
struct ControllerConfig {
    std::string host;
    std::uint16_t port = kOpenFlowPort;
    std::uint32_t probe_ms = 5000;        // silence before an echo request; 0 = never
    std::uint32_t backoff_min_ms = 1000;  // first wait before connecting anew
    std::uint32_t backoff_max_ms = 8000;  // and the longest
    std::optional<Address> source{};      // local address of the connection
    std::uint16_t auxiliary = 0;          // connections beside the main one
    Place place{};
    friend bool operator==(const ControllerConfig&, const ControllerConfig&) = default;
};
/// `tcp:127.0.0.1:6653`, `tcp:[::1]:6653`: names the controller within its bridge.
[[nodiscard]] std::string to_string(const ControllerConfig& controller);

enum class AllowRemote : bool { no, yes };

/// A passive listener; loopback unless allow_remote was said.
struct ListenConfig {
    Address address;
    std::uint16_t port = kOpenFlowPort;
    AllowRemote allow_remote = AllowRemote::no;
    std::uint32_t probe_ms = 5000;
    Place place{};
    friend bool operator==(const ListenConfig&, const ListenConfig&) = default;
};
/// `tcp:127.0.0.1:6654`.
[[nodiscard]] std::string to_string(const ListenConfig& listen);
/// `10.0.0.1`, `2001:db8::1`.
[[nodiscard]] std::string to_string(const Address& address);
[[nodiscard]] std::string to_string(const Prefix& prefix);

/// The named form of a flow, as written: `flow arp { priority 10; match arp; actions controller }`.
struct FlowParts {
    std::optional<std::uint8_t> table;
    std::optional<std::uint16_t> priority;
    std::optional<std::uint64_t> cookie;
    std::optional<std::uint16_t> idle_timeout;  // seconds
    std::optional<std::uint16_t> hard_timeout;  // seconds
    std::string flags;                          // ovs-ofctl words with commas between
    std::string match;
    std::string actions;
    friend bool operator==(const FlowParts&, const FlowParts&) = default;
};

/// A flow entry from the configuration. `text` is ovs-ofctl syntax whatever form it was written
/// in; openflow::parse_flow (which dsl may not see) gives it meaning.
struct FlowConfig {
    /// Stretches of `text` and where they stand in the source, in order.
    struct Piece {
        std::uint32_t text = 0;
        std::uint32_t source = 0;
        std::uint32_t length = 0;
    };
    std::string name;                  // empty for the quoted form
    std::string text;                  // `table=0,priority=10,arp actions=controller`
    std::optional<FlowParts> parts{};  // named form only
    std::vector<Piece> pieces{};
    Place place{};
    friend bool operator==(const FlowConfig& a, const FlowConfig& b) {
        return a.name == b.name && a.text == b.text;
    }
    /// Where bytes of `text` stand in the source; the whole flow when nowhere in particular.
    [[nodiscard]] Span locate(std::size_t offset, std::size_t length) const;
};

enum class GroupType : std::uint8_t { all, select, indirect, fast_failover };

/// A group entry.
struct GroupConfig {
    std::uint32_t id = 0;
    std::optional<GroupType> type;     // said, once it was checked
    std::vector<std::string> buckets;  // `weight=1,actions=output:p1`
    std::string text{};                // all of it as ovs-ofctl text, where it was written so
    Place place{};
    friend bool operator==(const GroupConfig&, const GroupConfig&) = default;
};
/// `group_id=1,type=select,bucket=weight=1,actions=output:p1`: what ovs-ofctl add-group takes.
[[nodiscard]] std::string group_text(const GroupConfig& group);

enum class MeterUnit : std::uint8_t { kbps, pktps };
enum class MeterBurst : bool { no, yes };
enum class MeterStats : bool { no, yes };

/// A meter entry.
struct MeterConfig {
    std::uint32_t id = 0;
    MeterUnit unit = MeterUnit::kbps;
    MeterBurst burst = MeterBurst::no;
    MeterStats stats = MeterStats::no;
    std::vector<std::string> bands;  // `type=drop,rate=1000`
    std::string text{};              // all of it as ovs-ofctl text, where it was written so
    Place place{};
    friend bool operator==(const MeterConfig&, const MeterConfig&) = default;
};
/// `meter=1,kbps,burst,stats,bands=type=drop,rate=1000`: what ovs-ofctl add-meter takes.
[[nodiscard]] std::string meter_text(const MeterConfig& meter);

/// An entry of the MAC table that is never learned over and never ages.
struct StaticMac {
    Mac mac;
    std::string port;
    std::uint16_t vlan = 0;  // 0 = untagged
    Place place{};
    friend bool operator==(const StaticMac&, const StaticMac&) = default;
};

enum class FailMode : std::uint8_t { secure, standalone };

/// How tables of flows are searched where their flows allow it; automatic: as suits each.
enum class TableTemplate : std::uint8_t { automatic, exact, tuple_merge };

struct BridgeConfig {
    std::string name;
    std::optional<Dpid> dpid;  // empty = hashed from machine-id and name
    std::optional<FailMode> fail_mode;
    std::uint32_t mac_ageing_s = 300;
    std::uint32_t mac_limit = 8192;
    std::vector<StaticMac> mac_statics;
    std::optional<std::uint32_t> max_flows;  // empty = as many as the arena holds
    std::optional<std::uint8_t> max_tables;  // empty = 255
    TableTemplate table_template = TableTemplate::automatic;
    std::optional<LocalConfig> local;
    std::vector<PortConfig> ports;
    std::vector<ControllerConfig> controllers;
    std::vector<ListenConfig> listens;
    std::vector<FlowConfig> flows;
    std::vector<GroupConfig> groups;
    std::vector<MeterConfig> meters;
    Place place{};
    friend bool operator==(const BridgeConfig&, const BridgeConfig&) = default;

    /// What was said, else secure when a controller is named and standalone when none is.
    [[nodiscard]] FailMode effective_fail_mode() const {
        if (fail_mode) return *fail_mode;
        return controllers.empty() ? FailMode::standalone : FailMode::secure;
    }
    [[nodiscard]] const PortConfig* find_port(std::string_view port) const;
};

/// Sizes of the arena: a change needs a new one, that is a restart of both daemons.
struct AgentConfig {
    std::uint32_t max_flows = 1u << 20;
    std::uint8_t max_workers = 8;
    std::uint16_t max_bridges = 64;
    std::uint16_t max_ports = 1024;
    friend bool operator==(const AgentConfig&, const AgentConfig&) = default;
};

enum class Profile : std::uint8_t { idle, busy };
enum class HugePages : std::uint8_t { automatic, on, off };

/// Settings of raicho-dataplane, read when it starts.
struct DataplaneConfig {
    std::optional<std::uint8_t> workers;  // empty = chosen by itself, or one a core of `cores`
    std::vector<std::uint16_t> cores;     // empty = chosen by itself; sorted
    std::optional<std::uint64_t> memory;  // bytes for packet buffers; empty = by number of ports
    Profile profile = Profile::idle;
    HugePages huge_pages = HugePages::automatic;
    std::optional<std::uint64_t> rx_buffer;  // bytes that wait on an af-packet port; empty = 16M
    std::string driver;                      // a DPDK driver that is not Debian's
    friend bool operator==(const DataplaneConfig&, const DataplaneConfig&) = default;
};

enum class LogVerbosity : std::uint8_t { debug, info, warning, error };

struct LogConfig {
    std::optional<LogVerbosity> level;  // empty = what the command line says, else info
    std::string file;                   // empty = what the command line says, else standard error
    friend bool operator==(const LogConfig&, const LogConfig&) = default;
};

struct SystemConfig {
    std::string name;  // empty = the host's name
    friend bool operator==(const SystemConfig&, const SystemConfig&) = default;
};

/// Who may use the agent's socket.
struct ApiConfig {
    std::string group;    // empty = the agent's own
    std::string readers;  // a further group that may look and change nothing; empty = none
    friend bool operator==(const ApiConfig&, const ApiConfig&) = default;
};

struct Config {
    SystemConfig system;
    AgentConfig agent;
    DataplaneConfig dataplane;
    LogConfig log;
    ApiConfig api;
    std::vector<BridgeConfig> bridges;
    friend bool operator==(const Config&, const Config&) = default;

    [[nodiscard]] const BridgeConfig* find_bridge(std::string_view name) const;
    [[nodiscard]] BridgeConfig* find_bridge(std::string_view name);
};

/// Gives every port without a number the lowest free one of its bridge, in natural order of name.
/// A port of the same bridge, name and device in `live` keeps its number unless another one claims
/// it.
void assign_port_numbers(Config& config, const Config& live);

}  // namespace raicho::dsl
