// SPDX-License-Identifier: Apache-2.0
// Configure mode: the candidate that this shell edits and the level it stands at. The agent holds
// the candidate (docs/api.md); dsl/edit knows what may follow. Neighbours: candidate.h has the
// commands, path.h the words of a statement.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/agent.h"
#include "shell/failure.h"
#include "shell/parse.h"

namespace raicho::shell {

/// What the prompt shows of the configuration.
struct ConfigState {
    bool differs = false;  // the candidate has what is not committed
    /// Until a commit that nobody confirms is taken back.
    std::optional<std::uint64_t> confirm_seconds{};
    std::uint64_t revision = 0;  // that runs
};

/// The mode a shell is in, and live names for the parser in both modes.
class Editing : public NameSource {
  public:
    explicit Editing(Agent& agent) : agent_(agent) {}

    [[nodiscard]] bool active() const { return !id_.empty(); }
    [[nodiscard]] Modes mode() const { return active() ? kConfigure : kOperate; }
    [[nodiscard]] bool is_private() const { return active() && id_ != kShared; }
    [[nodiscard]] const std::string& id() const { return id_; }
    /// `bridge br0`, empty at the top.
    [[nodiscard]] const std::string& level() const { return level_; }

    void enter(std::string id);
    void leave();
    /// `edit`: the level before is kept for `exit`.
    void descend(std::string level);
    void ascend(std::string level);
    /// Back to the level before the last `edit`; false at the top.
    [[nodiscard]] bool back();

    /// `/api/v1/config/candidates/ID` and what follows.
    [[nodiscard]] std::string target(std::string_view rest) const;
    /// Asks the agent for the state; false when it does not answer.
    [[nodiscard]] bool refresh(std::chrono::milliseconds patience = {});
    [[nodiscard]] const ConfigState& state() const { return state_; }
    /// The candidate's text as it is now.
    [[nodiscard]] std::expected<std::string, Failure> text() {
        return agent_.get_text(target("/text"));
    }
    /// After a change: what was kept for the keys is old.
    void forget_text() { kept_until_ = {}; }

    [[nodiscard]] std::vector<std::string> bridges() override { return agent_.bridges(); }
    [[nodiscard]] std::vector<std::string> ports(std::string_view bridge) override {
        return agent_.ports(bridge);
    }
    /// Of the candidate; for `show configuration` of what is running.
    [[nodiscard]] std::vector<StatementWord> statements(const StatementPlace& place) override;

    static constexpr std::string_view kShared = "shared";

  private:
    [[nodiscard]] const std::string& text_for_keys(const std::string& at);

    Agent& agent_;
    std::string id_;  // empty: not in configure mode
    std::string level_;
    std::vector<std::string> before_;  // levels to come back to
    ConfigState state_;
    std::string kept_;  // a text for Tab and ?
    std::string kept_from_;
    std::chrono::steady_clock::time_point kept_until_{};
};

}  // namespace raicho::shell
