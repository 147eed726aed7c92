// SPDX-License-Identifier: Apache-2.0
// What of a commit lies in the run directory, so that it survives a kill of the agent or a power
// cut whole or not at all. The files of a commit from revision 12 to 13, in this order:
//
//   running.conf.next   13, written and synced before the switch is touched
//   running.conf.last   12, a second name of running.conf
//   running.conf        13, by a rename: the commit is decided
//   history/12.conf     12, by a rename of running.conf.last: the switch does 13
//
// A start that finds `next` has a commit to undo, one that finds `last` has one to finish: in both
// cases the switch may do some of the other configuration, and running.conf says what it shall do.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "agent/config/files.h"
#include "agent/config/revision.h"
#include "base/error.h"

namespace raicho::agent::config {

/// So many configurations can be had back, the running one among them.
inline constexpr std::size_t kKeptRevisions = 50;

inline constexpr std::string_view kRunningFile = "running.conf";

class Journal {
  public:
    /// `files` must outlive the journal.
    explicit Journal(Files& files) : files_(files) {}

    /// What an earlier agent left.
    struct Found {
        std::optional<Revision> running;
        /// The other side of a commit that was cut off: the switch may do some of it.
        std::optional<Revision> other;
    };
    /// Reads what is there and changes nothing.
    [[nodiscard]] Result<Found> read();
    /// The start is over, the switch does what running.conf says: clears what a cut left.
    void settle();

    /// Before the switch is touched.
    [[nodiscard]] Result<void> begin(const Revision& next);
    /// Nothing can fail any more: from its return on, `next` is what a restart goes on with. On an
    /// error it is not, and abandon() must follow.
    [[nodiscard]] Result<void> decide();
    /// The switch does it.
    void finish();
    /// The commit was taken back.
    void abandon();
    /// Whether running.conf says which revision it is; one that a person wrote does not.
    [[nodiscard]] bool marked() const { return marked_; }
    /// New words about the running configuration; at once.
    [[nodiscard]] Result<void> rewrite(const Revision& running);

    /// Older revisions, the youngest first; without their texts.
    [[nodiscard]] const std::deque<RevisionInfo>& history() const { return history_; }
    /// One of them; after read() also the one that a cut commit replaced.
    [[nodiscard]] Result<Revision> old(std::uint64_t revision) const;
    /// The number that the next revision bears.
    [[nodiscard]] std::uint64_t next_number() const { return last_number_ + 1; }

  private:
    [[nodiscard]] Result<void> read_history();
    void settle_last();
    void into_history(const RevisionInfo& info);

    Files& files_;
    std::optional<RevisionInfo> running_;  // as running.conf says
    bool marked_ = true;                   // running.conf says which revision it is
    std::optional<RevisionInfo> next_;     // begun
    std::deque<RevisionInfo> history_;
    std::uint64_t last_number_ = 0;
};

}  // namespace raicho::agent::config
