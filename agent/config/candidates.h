// SPDX-License-Identifier: Apache-2.0
// Configurations that are being edited: the shared one and private ones. A candidate without
// differences follows what runs. Kept in the run directory, so that a restart of the agent loses
// no edit. Neighbours: commit.h carries one out, merge.h joins it with what others committed.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/config/commit.h"
#include "agent/config/files.h"
#include "dsl/edit/load.h"

namespace raicho::agent::config {

inline constexpr std::string_view kSharedCandidate = "shared";
inline constexpr std::size_t kMostCandidates = 32;

struct CandidateInfo {
    std::string id;
    std::uint64_t revision = 0;  // that it began from
    std::uint64_t behind = 0;    // commits since
    bool differs = false;
    std::int64_t changed = 0;  // seconds since 1970
    /// Who made a private one, who last changed the shared one.
    Author author{};
    [[nodiscard]] bool is_private() const { return id != kSharedCandidate; }
};

/// A changed candidate, and what there is to say about the change.
struct Edited {
    CandidateInfo info;
    std::vector<std::string> notices{};
};
using EditOutcome = std::expected<Edited, CommitFailure>;

/// Lives on the agent's loop. Changes are all or nothing. A private candidate is changed by who
/// made it and by root only.
class Candidates {
  public:
    /// Both must outlive the candidates.
    Candidates(CommitEngine& engine, Files& files) : engine_(engine), files_(files) {}

    /// Takes up what an earlier agent kept; after the engine has started.
    [[nodiscard]] Result<void> open();

    [[nodiscard]] std::vector<CandidateInfo> list() const;
    [[nodiscard]] std::expected<CandidateInfo, CommitFailure> find(std::string_view id) const;
    [[nodiscard]] std::expected<std::string, CommitFailure> text(std::string_view id) const;

    [[nodiscard]] EditOutcome create(const Author& author);
    [[nodiscard]] std::expected<void, CommitFailure> remove(std::string_view id,
                                                            const Author& author);
    /// Commands of dsl/edit/edit.h.
    [[nodiscard]] EditOutcome edit(std::string_view id, std::span<const std::string> commands,
                                   std::string_view at, const Author& author);
    [[nodiscard]] EditOutcome load(std::string_view id, dsl::LoadMode mode, std::string_view text,
                                   std::string_view file, std::string_view at,
                                   const Author& author);
    /// Makes it what ran `n` commits ago; 0 = what runs.
    [[nodiscard]] EditOutcome rollback(std::string_view id, std::size_t n, const Author& author);
    /// Merges what was committed since it began; where both changed the same, its own stays.
    [[nodiscard]] EditOutcome update(std::string_view id, const Author& author);

    /// What a commit would do.
    [[nodiscard]] CommitOutcome check(std::string_view id) const;
    /// Until it is done the candidate cannot be changed.
    void commit(std::string_view id, CommitOrder order, CommitDone done);

    /// A configuration by name: `running`, a candidate's id, or a number of commits ago.
    [[nodiscard]] std::expected<std::string, CommitFailure> text_of(std::string_view name) const;
    /// What ran `n` commits ago.
    [[nodiscard]] std::expected<Revision, CommitFailure> revision(std::size_t n) const;

  private:
    struct Entry {
        std::optional<std::string> text{};  // empty = what runs
        std::uint64_t base = 0;             // revision; counts with a text only
        std::int64_t changed = 0;
        Author author{};
        bool committing = false;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    [[nodiscard]] CandidateInfo info(std::string_view id, const Entry& entry) const;
    [[nodiscard]] const std::string& text_of(const Entry& entry) const;
    [[nodiscard]] std::expected<Entry*, CommitFailure> changeable(std::string_view id,
                                                                  const Author& author);
    [[nodiscard]] EditOutcome put(std::string_view id, Entry& entry, std::string text,
                                  std::uint64_t base, const Author& author);
    [[nodiscard]] std::expected<Proposal, CommitFailure> propose(const std::string& id,
                                                                 const Revision& running) const;
    void keep(std::string_view id, const Entry& entry);
    void forget_old();

    CommitEngine& engine_;
    Files& files_;
    Entries entries_;
};

}  // namespace raicho::agent::config
