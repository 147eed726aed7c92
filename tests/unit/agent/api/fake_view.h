// SPDX-License-Identifier: Apache-2.0
// A switch that is only values, and the configuration's engine on another one: what the API's and
// the shell's tests look into.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/config/candidates.h"
#include "agent/config/commit.h"
#include "agent/model/vector_flow_store.h"
#include "agent/view/switch_view.h"
#include "base/fields.h"
#include "openflow/match.h"
#include "tests/unit/agent/config/fake_clock.h"
#include "tests/unit/agent/config/fake_files.h"
#include "tests/unit/agent/config/fake_target.h"

namespace raicho::agent::api {

class FakeView : public SwitchView {
  public:
    std::vector<BridgeView> bridge_list;
    std::vector<PortView> port_list;
    std::vector<ControllerView> controller_list;
    std::vector<ListenView> listen_list;
    std::vector<TableView> table_list;
    std::vector<GroupView> group_list;
    std::vector<MeterView> meter_list;
    std::vector<QueueView> queue_list;
    std::vector<MacView> mac_list;
    std::vector<WorkerView> worker_list;
    DataplaneView plane{true, "attached (pid 12, 1 worker) for 3s", 12, 1, 3 * kSecond, {}};
    MemoryView arena{"/run/raicho/arena", "4 kB", 64u << 20, {{"flows", 3, 1048576, 64}}};
    std::map<std::string, VectorFlowStore, std::less<>> stores;
    std::uint64_t uptime = 192 * kSecond;
    std::vector<std::string> cleared;

    std::string version() const override { return "0.1.0"; }
    std::string name() const override { return "lab"; }
    std::uint64_t uptime_ns() const override { return uptime; }
    std::string rundir() const override { return "/run/raicho"; }
    std::string start_text() const override { return "fresh"; }
    std::vector<BridgeView> bridges() const override { return bridge_list; }
    std::vector<PortView> ports(std::string_view bridge) const override {
        return of_bridge(port_list, bridge);
    }
    std::vector<ControllerView> controllers(std::string_view bridge) const override {
        return of_bridge(controller_list, bridge);
    }
    std::vector<ListenView> listens(std::string_view bridge) const override {
        return of_bridge(listen_list, bridge);
    }
    std::vector<TableView> tables(std::string_view) const override { return table_list; }
    std::vector<GroupView> groups(std::string_view) const override { return group_list; }
    std::vector<MeterView> meters(std::string_view) const override { return meter_list; }
    std::vector<QueueView> queues(std::string_view) const override { return queue_list; }
    std::vector<MacView> macs(std::string_view) const override { return mac_list; }
    DataplaneView dataplane() const override { return plane; }
    std::vector<WorkerView> workers() const override { return worker_list; }
    MemoryView memory() const override { return arena; }
    const FlowStore* flows(std::string_view bridge) const override {
        const auto at = stores.find(bridge);
        return at == stores.end() ? nullptr : &at->second;
    }
    std::optional<PortNo> port_number(std::string_view, std::string_view) const override {
        return std::nullopt;
    }
    std::string port_name(std::string_view, PortNo) const override { return {}; }
    bool clear_macs(std::string_view bridge) override {
        cleared.emplace_back(bridge);
        return true;
    }

    BridgeView& add_bridge(std::string bridge) {
        BridgeView view;
        view.name = bridge;
        view.dpid = Dpid{1};
        view.fail_mode = "secure";
        view.mode = "flows (a miss is dropped)";
        stores.try_emplace(std::move(bridge));
        return bridge_list.emplace_back(std::move(view));
    }
    PortView& add_port(std::string bridge, std::string port, std::uint32_t number) {
        PortView view;
        view.bridge = std::move(bridge);
        view.name = port;
        view.device = std::move(port);
        view.number = PortNo{number};
        view.kind = shm::PortKind::af_packet;
        view.health = shm::PortHealth::up;
        view.state = "up";
        view.mtu = 1500;
        view.queues = 1;
        view.mac = Mac{{2, 0, 0, 0, 0, static_cast<std::uint8_t>(number)}};
        view.age_ns = 4 * kSecond;
        return port_list.emplace_back(std::move(view));
    }
    ControllerView& add_controller(std::string bridge, std::string state) {
        ControllerView view;
        view.bridge = std::move(bridge);
        view.target = "tcp:127.0.0.1:6653";
        view.state = std::move(state);
        return controller_list.emplace_back(std::move(view));
    }
    /// A flow that matches in_port and eth_dst and goes to a port.
    FlowId add_flow(std::string_view bridge, TableId table, std::uint16_t priority,
                    std::uint32_t in_port, std::uint32_t output) {
        openflow::Match match;
        [[maybe_unused]] bool fresh = match.add(openflow::exact(Field::in_port, in_port));
        fresh = match.add(openflow::exact(Field::eth_dst, 0x080027e2535a));
        openflow::Instructions instructions;
        instructions.apply = openflow::ActionList{openflow::OutputAction{PortNo{output}, 0}};
        FlowHead head;
        head.table = table;
        head.priority = priority;
        head.created = kSecond;
        return *stores.find(bridge)->second.insert(head, match, instructions);
    }

  private:
    template <class View>
    static std::vector<View> of_bridge(const std::vector<View>& all, std::string_view bridge) {
        std::vector<View> found;
        for (const View& view : all)
            if (bridge.empty() || view.bridge == bridge) found.push_back(view);
        return found;
    }
};

/// The configuration's real engine on a switch of plain values, with a run directory in memory.
class FakeConfig {
  public:
    config::FakeTarget target;
    config::FakeFiles files;
    config::FakeClock clock;
    config::Journal journal{files};
    config::AtOnce background;
    config::CommitEngine engine{target, journal, clock, background};
    config::Candidates candidates{engine, files};

    /// Begins with bridge br0, which has a port p1.
    FakeConfig() {
        auto begin = config::find_start(
            journal, config::Origin::fresh,
            config::StartFile{"bridge br0 { port p1 { device null } }", "start.conf"}, clock.now());
        engine.start(std::move(*begin), [](const config::CommitOutcome& outcome) {
            EXPECT_TRUE(outcome) << outcome.error().rendered;
        });
        EXPECT_TRUE(candidates.open());
        target.calls.clear();
    }
    [[nodiscard]] std::string running() const { return engine.revision().text; }
};

}  // namespace raicho::agent::api
