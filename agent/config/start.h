// SPDX-License-Identifier: Apache-2.0
// What an agent begins with: the user's file, the last commit, or the one before it when the last
// was not confirmed in time.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/config/clock.h"
#include "agent/config/failure.h"
#include "agent/config/journal.h"
#include "agent/config/revision.h"
#include "dsl/model/check.h"
#include "dsl/model/config.h"

namespace raicho::agent::config {

/// Whether the switch begins with an arena of its own making or goes on with one it found.
enum class Origin : bool { fresh, adopted };

struct StartPoint {
    Origin origin = Origin::fresh;
    std::string text;
    std::string file;  // for messages
    /// It is this revision already; else it becomes a new one with these words.
    std::optional<RevisionInfo> kept{};
    Author author{};
    std::string comment{};
    /// What running.conf says, whatever begins.
    std::optional<Revision> running{};
    /// The other side of a commit that was cut off; an adopted switch may do some of it.
    std::optional<std::string> other{};
    std::vector<std::string> notices{};
    /// What the text means, once start_settings() has read it.
    std::shared_ptr<const dsl::Checked> checked{};
};

/// A file that the user named.
struct StartFile {
    std::string text;
    std::string file;
};

/// An adopted switch goes on with its last commit, a fresh one begins with the user's file where
/// one is named and with the last commit otherwise.
[[nodiscard]] Result<StartPoint> find_start(Journal& journal, Origin origin,
                                            std::optional<StartFile> user, const Deadline& now);

/// The configuration that will be carried out: the agent sizes a fresh arena with it. Reads the
/// text once.
[[nodiscard]] std::expected<dsl::Config, CommitFailure> start_settings(StartPoint& start);

}  // namespace raicho::agent::config
