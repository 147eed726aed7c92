// SPDX-License-Identifier: Apache-2.0
// The API's door to the configuration in production: the commit engine, its outcomes as problem
// documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// The configuration text that adds a port, and where in it the user's options stand.
struct PortText {
    std::string text;
    std::size_t number_at = 0;  // byte of the number, when the options begin with one
    std::size_t rest_at = 0;    // byte of what follows it
    std::size_t number_in_options = 0;
    std::size_t rest_in_options = 0;

    /// The column (from 1) within the options of a column of the text's first line; nothing for
    /// what we wrote ourselves.
    [[nodiscard]] std::optional<std::uint32_t> column_in_options(std::uint32_t column) const;
};
/// `5 device tap` becomes `bridge "br0" { port "tap1" 5 { device tap ⏎ } }`; a block in braces is
/// taken as it is.
[[nodiscard]] PortText port_text(std::string_view bridge, std::string_view name,
                                 std::string_view options);

}  // namespace raicho::agent::api
