// SPDX-License-Identifier: Apache-2.0
// The API's door to the configuration in production: the commit engine, its outcomes as problem
// documents.
#pragma once

#include <string>

#include "agent/api/config_door.h"
#include "agent/config/commit.h"

namespace raicho::agent::api {

class CommitDoor : public ConfigDoor {
  public:
    /// `engine` must live longer than the door.
    explicit CommitDoor(config::CommitEngine& engine) : engine_(engine) {}

    [[nodiscard]] std::string running_text() const override;
    void load(std::string text, std::string file, ChangeDone done) override;
    void add_port(std::string bridge, std::string name, std::string options,
                  ChangeDone done) override;
    void delete_port(std::string bridge, std::string name, ChangeDone done) override;

  private:
    config::CommitEngine& engine_;
};

}  // namespace raicho::agent::api
