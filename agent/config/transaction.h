// SPDX-License-Identifier: Apache-2.0
// One commit in progress: the plan's steps as calls on the target, in an order in which whatever
// can fail comes before whatever cannot, and everything done so far can be taken back.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/config/commit.h"
#include "agent/config/flow_check.h"
#include "agent/config/target.h"
#include "dsl/model/config.h"
#include "dsl/model/plan.h"

namespace raicho::agent::config {

/// `start`: the first commit; the target is told the settings of everything it has adopted, also
/// of what does not change.
enum class Begin : bool { running, start };

/// Held by whoever started it until its callback has come.
class Transaction : public std::enable_shared_from_this<Transaction> {
  public:
    using Done = std::function<void(Result<CommitReport>)>;

    /// Both configurations have their port numbers; `running` is what the target does now.
    Transaction(Target& target, const dsl::Config& running, const dsl::Config& candidate,
                Begin begin);

    /// Carries it out. On an error everything is as it was, and the error names the object.
    void run(Done done);

  private:
    struct OpenPort {
        std::string bridge;
        std::optional<dsl::PortConfig> port;  // empty: the local interface
        std::optional<dsl::LocalConfig> local;
        std::string label;
        std::optional<PortSlot> slot;
        std::string error{};
    };

    void tell_adopted();
    [[nodiscard]] Result<void> before_ports();
    [[nodiscard]] Result<void> after_ports();
    void open_ports();
    void port_opened(std::size_t index, Result<PortSlot> result);
    void all_ports_opened();
    void flows_ready();
    void apply();
    void abort(Error error);

    [[nodiscard]] Result<void> parse_all_flows();
    [[nodiscard]] Result<void> settings();
    [[nodiscard]] Result<void> bridges(dsl::Change change);
    [[nodiscard]] Result<void> changed_ports();
    [[nodiscard]] Result<void> changed_locals();
    void remove_listens();
    [[nodiscard]] Result<void> add_listens();
    [[nodiscard]] Result<void> controllers();
    void plan_flows();
    [[nodiscard]] Result<void> add_flows();
    void remove_flows();

    void collect_opens();
    void collect_leaving();
    void release_devices();
    void take_out(const OpenPort& port);
    /// Takes the leaving ports out, puts the new ones in.
    [[nodiscard]] Result<void> swap_ports();
    void reopen(OpenPort port);
    void finish_abort();

    /// Remembers how to take back what was just done.
    void undo_by(std::function<void()> undo) { undo_.push_back(std::move(undo)); }

    Target& target_;
    const dsl::Config& running_;
    const dsl::Config& candidate_;
    std::vector<dsl::AnyStep> steps_;
    std::unordered_map<std::string, FlowsByKey> flows_before_;  // by bridge
    std::unordered_map<std::string, FlowsByKey> flows_after_;
    struct BridgeFlowChange {
        std::string bridge;
        FlowChange flow;
    };
    std::vector<BridgeFlowChange> flow_changes_;  // points into the two maps
    std::vector<OpenPort> leaving_;               // attached now, not in the candidate
    std::vector<OpenPort> opens_;
    std::size_t n_opening_ = 0;
    std::size_t n_reopening_ = 0;
    std::vector<std::function<void()>> undo_;
    CommitReport report_;
    Error error_;
    Done done_;
};

}  // namespace raicho::agent::config
