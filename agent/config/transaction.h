// SPDX-License-Identifier: Apache-2.0
// One commit in progress: the plan's steps as calls on the target, in an order in which whatever
// can fail comes before whatever cannot, and everything done so far can be taken back. Parts:
// transaction_ports.cc and transaction_entries.cc have what their names say.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/config/commit.h"
#include "agent/config/entries.h"
#include "agent/config/target.h"
#include "dsl/model/config.h"
#include "dsl/model/plan.h"

namespace raicho::agent::config {

/// `start`: the first commit; the target is told the settings of everything it has adopted, also
/// of what does not change.
enum class Begin : bool { running, start };

/// What is known at a start about the flows of an adopted switch.
struct FlowsFound {
    dsl::Config saved;  // the last commit: they are in the arena, with their counters
    /// The other side of a commit that was cut off: some may be there as well.
    std::optional<dsl::Config> other{};
};

/// Held by whoever started it until its callback has come.
class Transaction : public std::enable_shared_from_this<Transaction> {
  public:
    using Done = std::function<void(Result<CommitReport>)>;
    /// Makes the commit certain, or says why it cannot be.
    using Decide = std::function<Result<void>()>;

    /// All configurations have their port numbers; `running` is what the target does now, with
    /// `found` but for its flows. In the bridges `doubted` others may have changed entries, see
    /// doubted_bridges(). All but the last must outlive the transaction.
    Transaction(Target& target, const dsl::Config& running, const dsl::Config& candidate,
                Begin begin, const FlowsFound* found, std::vector<std::string> doubted);

    /// Works out what differs; of values only, so any thread may do it. The error names the object.
    [[nodiscard]] Result<void> plan();
    /// After plan(), on the target's thread: adds what the switch has lost of the configured
    /// entries of those bridges that the commit has to do with.
    void mend();
    /// After plan() and mend(): what would change.
    [[nodiscard]] const CommitReport& report() const { return report_; }

    /// Carries out what was planned: first what can fail, then `decide`, then what cannot fail. On
    /// an error everything is as it was.
    void run(Decide decide, Done done);

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
    void entries_ready();
    void apply();
    void abort(Error error);

    /// A bridge whose entries change.
    struct BridgeChanges {
        std::string bridge;
        bool mend = false;  // look whether the switch has what both sides agree on
        BridgeEntries before, after, other;
        EntryChanges changes;  // points into them
    };
    [[nodiscard]] Result<void> plan_entries();
    [[nodiscard]] bool touches(const std::string& bridge) const;
    [[nodiscard]] bool mends(const std::string& bridge, bool same) const;
    [[nodiscard]] Found found_in(const std::string& bridge) const;
    void lend_room();
    [[nodiscard]] const dsl::BridgeConfig* entries_of(const std::string& bridge) const;
    [[nodiscard]] const dsl::BridgeConfig* doubtful_entries_of(const std::string& bridge) const;
    [[nodiscard]] Result<void> settings();
    [[nodiscard]] Result<void> bridges(dsl::Change change);
    [[nodiscard]] Result<void> changed_ports();
    [[nodiscard]] Result<void> changed_locals();
    void remove_listens();
    [[nodiscard]] Result<void> add_listens();
    [[nodiscard]] Result<void> controllers();
    /// The entries of a commit in turns of the loop, which others need meanwhile.
    void add_some();
    void remove_some();
    void undo_some();
    [[nodiscard]] Result<void> keep(const BridgeChanges& bridge, const std::string& label,
                                    Result<Undo> done);
    [[nodiscard]] Result<void> add_named(const BridgeChanges& bridge);
    void remove_named(const BridgeChanges& bridge);
    void complete();

    void collect_opens();
    void collect_leaving();
    void release_devices();
    void take_out(const OpenPort& port);
    /// Takes the leaving ports out, puts the new ones in.
    [[nodiscard]] Result<void> swap_ports();
    [[nodiscard]] Result<void> static_macs(const dsl::Config& of);
    void reopen(OpenPort port);
    void finish_abort();

    /// An error says which object it is about.
    [[nodiscard]] static Result<void> named(Result<void> result, const std::string& object);
    /// Remembers how to take back what was just done.
    void undo_by(std::function<void()> undo) { undo_.push_back(std::move(undo)); }

    Target& target_;
    const dsl::Config& running_;
    const dsl::Config& candidate_;
    Begin begin_;
    const FlowsFound* found_;
    std::vector<std::string> doubted_;
    std::vector<dsl::AnyStep> steps_;
    std::list<BridgeChanges> entry_changes_;
    std::list<BridgeChanges>::const_iterator next_bridge_;
    std::size_t next_flow_ = 0;      // of that bridge
    std::vector<OpenPort> leaving_;  // attached now, not in the candidate
    std::vector<OpenPort> opens_;
    std::size_t n_opening_ = 0;
    std::size_t n_reopening_ = 0;
    bool swapped_ = false;  // ports have left or come
    std::vector<std::function<void()>> undo_;
    CommitReport report_;
    Error error_;
    Decide decide_;
    Done done_;
};

/// The bridges of `running` whose entries others than commits may have changed.
[[nodiscard]] std::vector<std::string> doubted_bridges(const Target& target,
                                                       const dsl::Config& running);

}  // namespace raicho::agent::config
