// SPDX-License-Identifier: Apache-2.0
// The agent as the shell's commands see it: documents and live names, its refusals as Failures.
// Neighbours: client.h carries the bytes, execute.h uses it.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client.h"
#include "shell/failure.h"
#include "shell/render_json.h"

namespace raicho::shell {

class Agent {
  public:
    explicit Agent(Client client) : client_(std::move(client)) {}

    /// The document at a target such as `/api/v1/ports?bridge=br0`. With a patience an agent that
    /// does not answer in time is one that cannot be reached.
    [[nodiscard]] std::expected<Json, Failure> get(const std::string& target,
                                                   std::chrono::milliseconds patience = {});
    /// A body that is no JSON.
    [[nodiscard]] std::expected<std::string, Failure> get_text(const std::string& target);
    [[nodiscard]] std::expected<Json, Failure> send(std::string method, std::string target,
                                                    std::string body);
    [[nodiscard]] std::expected<void, Failure> stream(const std::string& target,
                                                      const BodySink& sink);

    // Names for completion: kept for a moment, empty when the agent does not answer.
    [[nodiscard]] std::vector<std::string> bridges();
    [[nodiscard]] std::vector<std::string> ports(std::string_view bridge);
    /// After a change: what was kept is old.
    void forget_names();

  private:
    struct Kept {
        std::chrono::steady_clock::time_point until{};
        std::vector<std::string> names;
        std::string bridge;
    };
    [[nodiscard]] std::expected<Json, Failure> call(const Call& request);
    [[nodiscard]] std::vector<std::string> names_at(const std::string& target);

    Client client_;
    Kept bridges_;
    Kept ports_;
};

/// `?bridge=br0`, or nothing for an empty name.
[[nodiscard]] std::string bridge_query(std::string_view bridge);

}  // namespace raicho::shell
