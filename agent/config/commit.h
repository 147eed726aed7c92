// SPDX-License-Identifier: Apache-2.0
// The commit engine: text in, the live switch changed by exactly the difference, or not at all.
// Start-up file, shell and HTTP all enter here. Neighbours: target.h is the switch it acts on,
// transaction.h one commit's steps, journal.h what of it lies in the run directory, start.h what
// begins, candidates.h what people edit, dsl/ the language.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/config/background.h"
#include "agent/config/clock.h"
#include "agent/config/journal.h"
#include "agent/config/start.h"
#include "agent/config/target.h"
#include "base/error.h"
#include "dsl/model/config.h"
#include "dsl/syntax/diagnostic.h"

namespace raicho::agent::config {

/// What a commit did.
struct CommitReport {
    std::vector<std::string> changes{};       // `bridge br0: add port tap1 (3)`, in order
    std::vector<std::string> notices{};       // what waits for a restart, and of what
    std::vector<dsl::Diagnostic> warnings{};  // about the text
    std::uint64_t revision = 0;               // that runs now
    std::uint64_t confirm_seconds = 0;        // until it is taken back; 0 = it stays
};

using CommitOutcome = std::expected<CommitReport, CommitFailure>;
using CommitDone = std::function<void(CommitOutcome)>;

/// Who wants a commit, why, and whether it shall be taken back unless it is confirmed.
struct CommitOrder {
    Author author{};
    std::string comment{};
    std::uint64_t confirm_seconds = 0;  // 0 = it stays
};

/// A text to become the running configuration.
struct Proposal {
    std::string text;
    std::string file;                    // for messages
    std::vector<std::string> notices{};  // go into the report
};
/// Makes one from what runs when its turn comes.
using Propose = std::function<std::expected<Proposal, CommitFailure>(const Revision& running)>;

/// One commit at a time, later ones wait in a queue. Lives on the agent's loop, but for the work
/// that it gives to `background`; that, target, journal and clock must outlive it. Each callback is
/// called exactly once, also from within the call. What is said to be done would survive a power
/// cut.
class CommitEngine {
  public:
    CommitEngine(Target& target, Journal& journal, Clock& clock, Background& background);
    ~CommitEngine();
    CommitEngine(const CommitEngine&) = delete;
    CommitEngine& operator=(const CommitEngine&) = delete;

    /// Called after each commit with what is in force then, before its `done`; for what follows the
    /// configuration outside the switch.
    void on_commit(std::function<void(const dsl::Config&)> follow);

    /// The first commit. What an adopted switch does is carried out again: connections are made
    /// anew, bridges and ports that live are told their settings (change_bridge, change_port) and
    /// go on, configured flows are taken as they are in the arena, and a commit that was cut off
    /// is finished or undone. The report's notices say what was begun with.
    void start(StartPoint from, CommitDone done);

    /// Replaces the running configuration by difference. Without any difference nothing is
    /// touched; a commit that waits to be confirmed is confirmed either way.
    void commit(Propose propose, CommitOrder order, CommitDone done);
    void load_text(std::string text, std::string file, CommitOrder order, CommitDone done);
    /// `options`: what may stand after the name in a port's statement (`5`, `{ device tap }`,
    /// `device tap; mtu 1500`); places of errors count within it.
    void add_port(std::string bridge, std::string name, std::string options, CommitOrder order,
                  CommitDone done);
    void delete_port(std::string bridge, std::string port, CommitOrder order, CommitDone done);

    /// Keeps a commit that waits to be confirmed. False when none does.
    void confirm(Author author, std::function<void(Result<bool>)> done);

    /// What load_text would do, without opening a device; changes nothing.
    [[nodiscard]] CommitOutcome check_text(std::string text, std::string file) const;

    /// What is in force, every port with its number.
    [[nodiscard]] const dsl::Config& running() const;
    /// Its text, canonical, and what is known about it.
    [[nodiscard]] const Revision& revision() const;
    /// Nanoseconds until it is taken back; nothing when it stays.
    [[nodiscard]] std::optional<std::uint64_t> confirm_left() const;
    [[nodiscard]] const Journal& journal() const;
    [[nodiscard]] Deadline now() const;
    [[nodiscard]] bool busy() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace raicho::agent::config
