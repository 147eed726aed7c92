// SPDX-License-Identifier: Apache-2.0
// What the API asks of the configuration: the running text, and changes that end later. Tests give
// a fake; commit_door.h is the production one, over agent/config.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/problem.h"

namespace raicho::agent::api {

/// What a committed change did, one sentence a step: `bridge br0: add port tap1 (3)`. Empty
/// when running was already so.
struct ChangeReport {
    std::vector<std::string> steps;
    std::vector<std::string> notices;  // what waits for a restart
    std::vector<ProblemItem> warnings;
};
using ChangeDone = std::function<void(std::expected<ChangeReport, Problem>)>;

class ConfigDoor {
  public:
    virtual ~ConfigDoor() = default;

    /// The running configuration in canonical form.
    [[nodiscard]] virtual std::string running_text() const = 0;
    /// Replaces running by `text` (from the file of that name), by difference. `done` is called
    /// exactly once, now or later on the loop.
    virtual void load(std::string text, std::string file, ChangeDone done) = 0;
    /// Adds a port to a bridge. `options` is what may stand in the port's statement after its
    /// name: `5`, `{ device tap; mtu 1500 }`, `device tap; mtu 1500`. Columns of errors count
    /// within `options`.
    virtual void add_port(std::string bridge, std::string name, std::string options,
                          ChangeDone done) = 0;
    virtual void delete_port(std::string bridge, std::string name, ChangeDone done) = 0;
};

}  // namespace raicho::agent::api
