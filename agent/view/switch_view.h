// SPDX-License-Identifier: Apache-2.0
// What a running switch looks like from outside: plain values for the API and the shell, and the
// interface that gives them. Reading changes nothing. Neighbours: switch.h implements it on the
// arena; agent/config changes the switch through config::Target, never through this.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/view/channel_view.h"
#include "agent/view/entry_view.h"
#include "base/addr.h"
#include "base/ids.h"
#include "shm/port.h"

namespace raicho::agent {

class FlowStore;

struct BridgeView {
    std::string name;
    BridgeId id;
    Dpid dpid;
    std::string fail_mode;  // configured: `secure`, `standalone`
    /// What a packet meets now: `flows (a miss is dropped)`, `flows (a miss goes to normal)`,
    /// `normal (standalone: controllers lost)`.
    std::string mode;
    bool forwards_without_flows = false;  // a miss or every packet goes to NORMAL
    std::uint16_t miss_send_len = 128;
    std::size_t n_flows = 0;
    std::size_t n_ports = 0;
    std::size_t n_ports_up = 0;
    std::size_t n_controllers = 0;
    std::size_t n_controllers_connected = 0;
    std::uint32_t mac_ageing_s = 0;
    std::uint32_t mac_limit = 0;
};

/// Packets and bits a second.
struct PortRateView {
    std::uint64_t rx_pps = 0;
    std::uint64_t rx_bps = 0;
    std::uint64_t tx_pps = 0;
    std::uint64_t tx_bps = 0;
};

struct PortView {
    std::string bridge;
    std::string name;
    PortNo number;
    PortSlot slot;
    shm::PortKind kind{};
    std::string device;
    shm::PortHealth health{};
    std::string state;  // `up`, `down`, `absent: no interface h1-br`, `failed: …`, `no dataplane`
    Mac mac;
    std::uint32_t mtu = 0;
    std::uint32_t speed_mbps = 0;  // 0 = unknown
    std::uint16_t queues = 0;
    std::uint32_t of_config = 0;   // OFPPC_*
    std::uint32_t of_state = 0;    // OFPPS_*
    shm::PortCounters counters{};  // summed over workers
    std::array<std::uint64_t, shm::kDropReasons> drops{};
    std::optional<PortRateView> rate{};  // of the last seconds; nothing while they are too few
    std::uint64_t age_ns = 0;            // since the port was added
};

struct TableView {
    TableId table;
    std::uint64_t active = 0;
    std::uint64_t lookups = 0;
    std::uint64_t matches = 0;
    std::string form;  // how it is looked up: `exact`, `tuple-merge`, `miss only`
    std::size_t n_tuples = 0;
    std::uint64_t size = 0;  // of its hash tables, without the flows
};

struct MacView {
    Mac mac;
    std::uint16_t vlan = 0;  // 0 = untagged
    PortNo port;
    std::string port_name;
    std::uint32_t age_s = 0;
};

struct DataplaneView {
    bool attached = false;
    std::string state;  // `attached (pid 123, 1 worker) for 12s`, `not running, next try in 1s`
    std::uint64_t pid = 0;
    std::size_t n_workers = 0;
    std::uint64_t since_ns = 0;
    std::string last_error;
    std::uint64_t silent_ns =
        0;  // since its heart was due, though it is attached; 0 while it beats
};

struct MemoryView {
    std::string file;     // path of the arena
    std::string backing;  // `hugetlbfs 2 MB × 321` or `4 kB`
    std::uint64_t size = 0;
    struct Region {
        std::string name;  // `flows`, `chunks`, `table blocks`, …
        std::uint64_t used = 0;
        std::uint64_t limit = 0;
        std::uint64_t unit_size = 0;
    };
    std::vector<Region> regions;
};

/// One forwarding worker, from the dataplane's pages; totals survive restarts.
struct WorkerView {
    WorkerId id;
    std::string state;  // `forwarding`, `asleep`, `not running`
    std::uint32_t core = 0;
    std::uint64_t rx_packets = 0;
    std::uint64_t tx_packets = 0;
    std::uint64_t dropped = 0;
    std::uint64_t packet_ins = 0;
    std::optional<double> busy;  // share of time spent on packets, 0..1; nothing = not measured
};

/// Everything that `show` reads. Called on the agent's loop. A bridge name that is unknown gives
/// an empty list or nullptr. An empty bridge name means all bridges where a list is returned.
class SwitchView {
  public:
    virtual ~SwitchView() = default;

    [[nodiscard]] virtual std::string version() const = 0;
    /// `system name` of the configuration, else the host's: what the shell's prompt shows.
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual std::uint64_t uptime_ns() const = 0;
    [[nodiscard]] virtual std::string rundir() const = 0;
    /// `fresh`, or `adopted arena: N flows, M ports`.
    [[nodiscard]] virtual std::string start_text() const = 0;

    [[nodiscard]] virtual std::vector<BridgeView> bridges() const = 0;
    [[nodiscard]] virtual std::vector<PortView> ports(std::string_view bridge) const = 0;
    [[nodiscard]] virtual std::vector<ControllerView> controllers(
        std::string_view bridge) const = 0;
    [[nodiscard]] virtual std::vector<ListenView> listens(std::string_view bridge) const = 0;
    /// Tables that hold a flow or have seen a lookup.
    [[nodiscard]] virtual std::vector<TableView> tables(std::string_view bridge) const = 0;
    /// In ascending order of their numbers.
    [[nodiscard]] virtual std::vector<GroupView> groups(std::string_view bridge) const = 0;
    [[nodiscard]] virtual std::vector<MeterView> meters(std::string_view bridge) const = 0;
    [[nodiscard]] virtual std::vector<QueueView> queues(std::string_view bridge) const = 0;
    [[nodiscard]] virtual std::vector<MacView> macs(std::string_view bridge) const = 0;
    [[nodiscard]] virtual DataplaneView dataplane() const = 0;
    [[nodiscard]] virtual std::vector<WorkerView> workers() const = 0;
    [[nodiscard]] virtual MemoryView memory() const = 0;

    /// The flows of a bridge; valid until the bridge is deleted, so only within the call.
    [[nodiscard]] virtual const FlowStore* flows(std::string_view bridge) const = 0;
    /// Port number and name both ways within a bridge.
    [[nodiscard]] virtual std::optional<PortNo> port_number(std::string_view bridge,
                                                            std::string_view name) const = 0;
    [[nodiscard]] virtual std::string port_name(std::string_view bridge, PortNo number) const = 0;

    /// Forgets learned addresses of a bridge (`clear mac`); false when there is no such bridge.
    virtual bool clear_macs(std::string_view bridge) = 0;
};

}  // namespace raicho::agent
