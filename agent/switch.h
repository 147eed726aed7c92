// SPDX-License-Identifier: Apache-2.0
// The running switch: owns the arena, its bridges and the link to the dataplane. Changed through
// config::Target by the commit engine alone, read through SwitchView. An arena that is there is
// adopted: bridges, ports, flows and their counters go on as if nothing had happened.
// switch_target.cc changes, switch_views.cc shows.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/config/target.h"
#include "agent/plane/port_rates.h"
#include "agent/switch_bridge.h"
#include "agent/view/switch_view.h"
#include "base/log.h"

namespace raicho::agent {

struct SwitchOptions {
    std::string rundir;
    std::string version;
    LogTarget log{};  // what the command line says; the configuration may say otherwise
    bool log_level_given = false;
    dsl::AgentConfig sizes{};                               // of a new arena
    dsl::HugePages huge_pages = dsl::HugePages::automatic;  // of a new arena
};

/// Groups or meters that were modified or deleted, and flows that went with them.
struct ChangedByHand {
    std::size_t entries = 0;
    std::size_t flows = 0;
};

class Switch final : public SwitchView, public config::Target {
  public:
    /// The arena that lies in the run directory; nothing when there is none to adopt: of another
    /// boot or layout. An error when another agent has it.
    [[nodiscard]] static Result<std::optional<shm::AgentArena>> find_arena(
        const std::string& rundir);
    /// Adopts `arena`, or makes one where there is none or it is damaged. `loop` outlives the
    /// switch.
    [[nodiscard]] static Result<std::unique_ptr<Switch>> open(boost::asio::any_io_executor executor,
                                                              Loop& loop, SwitchOptions options,
                                                              std::optional<shm::AgentArena> arena);
    ~Switch() override;
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

    [[nodiscard]] bool adopted() const { return adopted_; }
    /// The first commit is done: the dataplane may read settings and ports.
    void first_commit_done();
    /// The file the log goes to, empty: standard error.
    [[nodiscard]] const std::string& log_file() const { return log_in_force_.file; }
    [[nodiscard]] Result<void> reopen_log();

    // For whoever acts like a controller (switch_operator.h). The bridge exists.
    [[nodiscard]] openflow::OfResult<std::size_t> flow_by_hand(std::string_view bridge,
                                                               const openflow::FlowMod& mod);
    [[nodiscard]] openflow::OfResult<std::size_t> test_flow(std::string_view bridge,
                                                            const openflow::FlowMod& mod) const;
    [[nodiscard]] openflow::OfResult<ChangedByHand> group_by_hand(std::string_view bridge,
                                                                  const openflow::GroupMod& mod);
    [[nodiscard]] openflow::OfResult<ChangedByHand> meter_by_hand(std::string_view bridge,
                                                                  const openflow::MeterMod& mod);
    /// Of a bridge, of all for an empty name; how many sessions ended.
    std::size_t end_sessions(std::string_view bridge, const std::string& reason);
    [[nodiscard]] Result<void> stop_dataplane();

    // SwitchView
    [[nodiscard]] std::string version() const override { return options_.version; }
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::uint64_t uptime_ns() const override { return loop_.now() - started_; }
    [[nodiscard]] std::string rundir() const override { return options_.rundir; }
    [[nodiscard]] std::string start_text() const override { return start_text_; }
    [[nodiscard]] std::vector<BridgeView> bridges() const override;
    [[nodiscard]] std::vector<PortView> ports(std::string_view bridge) const override;
    [[nodiscard]] std::vector<ControllerView> controllers(std::string_view bridge) const override;
    [[nodiscard]] std::vector<ListenView> listens(std::string_view bridge) const override;
    [[nodiscard]] std::vector<TableView> tables(std::string_view bridge) const override;
    [[nodiscard]] std::vector<GroupView> groups(std::string_view bridge) const override;
    [[nodiscard]] std::vector<MeterView> meters(std::string_view bridge) const override;
    [[nodiscard]] std::vector<QueueView> queues(std::string_view bridge) const override;
    [[nodiscard]] std::vector<MacView> macs(std::string_view bridge) const override;
    [[nodiscard]] DataplaneView dataplane() const override;
    [[nodiscard]] std::vector<WorkerView> workers() const override;
    [[nodiscard]] MemoryView memory() const override;
    [[nodiscard]] const FlowStore* flows(std::string_view bridge) const override;
    [[nodiscard]] std::optional<PortNo> port_number(std::string_view bridge,
                                                    std::string_view name) const override;
    [[nodiscard]] std::string port_name(std::string_view bridge, PortNo number) const override;
    bool clear_macs(std::string_view bridge) override;

    // config::Target
    [[nodiscard]] dsl::Config live() const override;
    [[nodiscard]] bool changed_by_others(std::string_view bridge) const override;
    [[nodiscard]] bool has_flow(std::string_view bridge,
                                const openflow::FlowMod& flow) const override;
    [[nodiscard]] bool has_group(std::string_view bridge,
                                 const openflow::GroupMod& group) const override;
    [[nodiscard]] bool has_meter(std::string_view bridge,
                                 const openflow::MeterMod& meter) const override;
    void lend_room(std::string_view bridge,
                   const std::vector<const openflow::FlowMod*>& leaving) override;
    [[nodiscard]] Result<void> create_bridge(const dsl::BridgeConfig& bridge) override;
    void delete_bridge(std::string_view bridge) override;
    [[nodiscard]] Result<void> change_bridge(const dsl::BridgeConfig& before,
                                             const dsl::BridgeConfig& after) override;
    void prepare_port(std::string_view bridge, const dsl::PortConfig& port,
                      config::PortPrepared done) override;
    void prepare_local(std::string_view bridge, const dsl::LocalConfig& local,
                       config::PortPrepared done) override;
    [[nodiscard]] Result<void> attach_port(PortSlot slot) override;
    void abort_port(PortSlot slot) override;
    void remove_port(std::string_view bridge, std::string_view port) override;
    void remove_local(std::string_view bridge) override;
    [[nodiscard]] Result<void> change_port(std::string_view bridge, const dsl::PortConfig& before,
                                           const dsl::PortConfig& after) override;
    [[nodiscard]] Result<void> change_local(std::string_view bridge, const dsl::LocalConfig& before,
                                            const dsl::LocalConfig& after) override;
    [[nodiscard]] Result<void> set_static_macs(std::string_view bridge,
                                               std::span<const dsl::StaticMac> entries) override;
    [[nodiscard]] Result<void> add_controller(std::string_view bridge,
                                              const dsl::ControllerConfig& controller) override;
    void remove_controller(std::string_view bridge,
                           const dsl::ControllerConfig& controller) override;
    void change_controller(std::string_view bridge, const dsl::ControllerConfig& before,
                           const dsl::ControllerConfig& after) override;
    [[nodiscard]] Result<void> add_listen(std::string_view bridge,
                                          const dsl::ListenConfig& listen) override;
    void remove_listen(std::string_view bridge, const dsl::ListenConfig& listen) override;
    void when_flows_ready(std::function<void()> ready) override;
    void soon(std::function<void()> go_on) override;
    [[nodiscard]] Result<config::Undo> add_flow(std::string_view bridge,
                                                const openflow::FlowMod& flow) override;
    void remove_flow(std::string_view bridge, const openflow::FlowMod& flow) override;
    [[nodiscard]] Result<config::Undo> set_group(std::string_view bridge,
                                                 const openflow::GroupMod& group) override;
    config::Removal remove_group(std::string_view bridge, const openflow::GroupMod& group) override;
    [[nodiscard]] Result<config::Undo> set_meter(std::string_view bridge,
                                                 const openflow::MeterMod& meter) override;
    config::Removal remove_meter(std::string_view bridge, const openflow::MeterMod& meter) override;
    [[nodiscard]] Result<void> change_settings(const dsl::Config& before,
                                               const dsl::Config& after) override;

  private:
    Switch(boost::asio::any_io_executor executor, Loop& loop, SwitchOptions options,
           shm::AgentArena arena, bool adopted);
    [[nodiscard]] Result<void> start();
    void adopt();
    /// Once a second: heartbeat, freed rows, harvest of counters, samples for rates.
    void tend();

    [[nodiscard]] Bridge* find(std::string_view bridge) const;
    [[nodiscard]] Bridge* find(BridgeId id) const;
    /// The bridge of that name, or all for an empty name.
    [[nodiscard]] std::vector<const Bridge*> named(std::string_view bridge) const;
    /// Of a commit whose flows wait: for what was retired before, but not for ever.
    struct RoomWait {
        shm::GraceToken retired;
        Time deadline = 0;
    };
    /// `before` and `found`: what the bridge has under the entry's number.
    template <class Mod>
    [[nodiscard]] Result<config::Undo> set_entry(Bridge& bridge, Mod wanted,
                                                 std::optional<Mod> before);
    template <class Mod, class Count>
    [[nodiscard]] openflow::OfResult<ChangedByHand> entry_by_hand(std::string_view bridge,
                                                                  const Mod& mod,
                                                                  const Count& count);
    template <class Mod>
    config::Removal remove_entry(Bridge& bridge, const Mod& configured,
                                 const std::optional<Mod>& found);
    void wait_for_flows(RoomWait wait, std::function<void()> ready);
    void prepare(std::string_view bridge, const PortSpec& spec, config::PortPrepared done);
    void write_settings(const dsl::DataplaneConfig& dataplane, LogLevel level);
    [[nodiscard]] PortView port_view(const Bridge& bridge, PortSlot slot) const;
    [[nodiscard]] BridgeView bridge_view(const Bridge& bridge) const;

    Loop& loop_;
    SwitchOptions options_;
    LogTarget log_in_force_;
    shm::AgentArena arena_;
    bool adopted_;
    bool first_commit_done_ = false;
    std::string start_text_;
    Time started_;
    std::string name_;
    boost::asio::any_io_executor executor_;
    std::unique_ptr<ArenaSpace> space_;
    std::unique_ptr<PlaneLink> plane_;
    PortRates rates_;
    ConnectionNumbers numbers_;
    std::unique_ptr<BridgeContext> context_;
    std::vector<std::unique_ptr<Bridge>> bridges_;  // in the order of their creation
    TimerId tend_timer_{};
    TimerId flows_timer_{};  // of the commit that waits for room
};

/// The arena's word for the language's.
[[nodiscard]] shm::PagePolicy page_policy(dsl::HugePages pages);
/// The machine's name: a switch without `system name` bears it.
[[nodiscard]] std::string host_name();

}  // namespace raicho::agent
