// SPDX-License-Identifier: Apache-2.0
// The commit engine: text or candidate in, the live switch changed by exactly the difference, or
// not at all. Start-up file, shell and HTTP all enter here. Neighbours: target.h is the switch it
// acts on, dsl/ the language, steps.h how a plan becomes calls.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/config/target.h"
#include "base/error.h"
#include "dsl/model/config.h"
#include "dsl/syntax/diagnostic.h"

namespace raicho::agent::config {

/// What a commit did.
struct CommitReport {
    std::vector<std::string> changes;       // `bridge br0: add port tap1 (3)`, in order
    std::vector<std::string> notices;       // what waits for a restart, and of what
    std::vector<dsl::Diagnostic> warnings;  // about the text
};

/// Why nothing was changed. Faults of the text are in `diagnostics`, `rendered` is their text with
/// carets; else `error` names the object and the cause.
struct CommitFailure {
    Error error;
    std::vector<dsl::Diagnostic> diagnostics{};
    std::string rendered{};
};

using CommitOutcome = std::expected<CommitReport, CommitFailure>;
using CommitDone = std::function<void(CommitOutcome)>;

/// Whether the switch begins with an arena of its own making or goes on with one it found.
enum class Origin : bool { fresh, adopted };

/// One commit at a time, later ones wait in a queue. Lives on the agent's loop; `target` must
/// outlive it. Each callback is called exactly once, also from within the call.
class CommitEngine {
  public:
    /// `running.conf` is kept in `rundir`; an empty path keeps none (tests).
    CommitEngine(Target& target, std::filesystem::path rundir);
    ~CommitEngine();
    CommitEngine(const CommitEngine&) = delete;
    CommitEngine& operator=(const CommitEngine&) = delete;

    /// The first commit. With an adopted arena and a running.conf the last commit is carried out
    /// again: connections are made anew, bridges and ports that live are told their settings
    /// (change_bridge, change_port) and go on, configured flows are taken as they are in the arena.
    /// Else `text`. The report's notices say which.
    void start(Origin origin, std::string text, std::string file, CommitDone done);

    /// Replaces the running configuration by difference.
    void load_text(std::string text, std::string file, CommitDone done);
    /// The same from values (no text to point into).
    void load(dsl::Config candidate, CommitDone done);
    /// Adds to the running configuration: a text such as `bridge br0 { port tap1 }`.
    void merge_text(std::string text, std::string file, CommitDone done);
    void add_port(std::string bridge, dsl::PortConfig port, CommitDone done);
    /// `options`: what may stand after the name in a port's statement (`5`, `{ device tap }`,
    /// `device tap; mtu 1500`); places of errors count within it.
    void add_port(std::string bridge, std::string name, std::string options, CommitDone done);
    void delete_port(std::string bridge, std::string port, CommitDone done);

    /// Checks a text as load_text would, changes nothing. The value are the warnings.
    [[nodiscard]] std::expected<std::vector<dsl::Diagnostic>, CommitFailure> check_text(
        std::string text, std::string file) const;

    /// What is in force, every port with its number.
    [[nodiscard]] const dsl::Config& running() const;
    /// Its canonical text.
    [[nodiscard]] std::string running_text() const;
    /// Counts commits since the start.
    [[nodiscard]] std::uint64_t revision() const;
    [[nodiscard]] bool busy() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The configuration that start() will carry out: the agent sizes a fresh arena with it.
[[nodiscard]] std::expected<dsl::Config, CommitFailure> read_start_settings(
    Origin origin, const std::filesystem::path& rundir, const std::string& text,
    const std::string& file);

}  // namespace raicho::agent::config
