// SPDX-License-Identifier: Apache-2.0
// What comes to pass at the agent while a person is at the prompt: a restart, commits of others,
// controllers that come and go.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shell/agent.h"
#include "shell/render_json.h"

namespace raicho::shell {

class Watch {
  public:
    explicit Watch(Agent& agent) : agent_(agent) {}

    /// Takes a summary as what is known; nothing of it is news.
    void take(const Json& summary);
    /// The command that ran could not reach the agent, and has said so.
    void lost() { lost_ = true; }
    /// What is new since the last look, lines for people. An agent that does not answer within
    /// `patience` is news once.
    [[nodiscard]] std::vector<std::string> news(std::chrono::milliseconds patience);
    /// The same of commits: `revision` runs now. What this shell committed is no news: committed().
    [[nodiscard]] std::vector<std::string> commits(std::uint64_t revision);
    void committed(std::uint64_t revision) { revision_ = revision; }

    /// Whether the agent answered at the last look.
    [[nodiscard]] bool reachable() const { return !lost_; }
    /// `system name` of the switch, for the prompt.
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    struct Controllers {
        std::uint64_t all = 0;
        std::uint64_t connected = 0;
    };
    Agent& agent_;
    std::string name_ = "lagosh";
    std::uint64_t pid_ = 0;     // of the agent that answered last
    std::uint64_t uptime_ = 0;  // then
    std::uint64_t revision_ = 0;
    std::map<std::string, Controllers> controllers_;  // by bridge
    bool lost_ = false;
};

}  // namespace raicho::shell
