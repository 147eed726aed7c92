// SPDX-License-Identifier: Apache-2.0
// Commands that change the live switch at once, as a controller or the configuration would.
// Neighbours: configure.h edits the candidate.
#pragma once

#include <optional>
#include <string>

#include "shell/context.h"

namespace raicho::shell {

[[nodiscard]] Done load_file(const Context& context);
[[nodiscard]] Done add_port(const Context& context);
[[nodiscard]] Done delete_port(const Context& context);
/// `command` is what the agent calls it: add, modify, delete.
[[nodiscard]] Done change_flow(const Context& context, std::string_view command);
/// The same of a `group` or a `meter`.
[[nodiscard]] Done change_entry(const Context& context, std::string_view what,
                                std::string_view command);
[[nodiscard]] Done test_flow(const Context& context);
[[nodiscard]] Done clear_mac(const Context& context);
[[nodiscard]] Done restart_agent(const Context& context);
[[nodiscard]] Done restart_dataplane(const Context& context);
[[nodiscard]] Done restart_controller(const Context& context);

struct ConfigurationFile {
    std::string text;
    std::string name;  // for messages
};
/// The file of the line's FILE with what it includes, which the agent does not see. One that is no
/// UTF-8 is refused with the place.
[[nodiscard]] std::expected<ConfigurationFile, Failure> read_configuration(const Context& context);

/// What is wrong with a file that includes others and is a whole configuration, in the places of
/// its files: the agent sees one text made of all of them. Nothing where the agent sees the file.
[[nodiscard]] std::optional<Failure> faults_of_parts(const Context& context,
                                                     const ConfigurationFile& file);

}  // namespace raicho::shell
