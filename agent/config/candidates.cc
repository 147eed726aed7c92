// SPDX-License-Identifier: Apache-2.0
#include "agent/config/candidates.h"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "dsl/edit/compare.h"
#include "dsl/edit/edit.h"
#include "dsl/edit/include.h"

namespace raicho::agent::config {

namespace {

constexpr std::string_view kFolder = "candidates";
constexpr std::string_view kEnding = ".conf";
constexpr std::int64_t kWeek = 7 * 24 * 3600;

std::string file_of(std::string_view id) {
    return format("{}/{}{}", kFolder, id, kEnding);
}

std::string new_id() {
    std::random_device random;
    return format("p{:08x}", random());
}

CommitFailure conflict_of(std::vector<dsl::Difference> conflicts) {
    CommitFailure failure = failure_of(
        Why::conflict,
        format("{} statement{} changed here and in a commit made meanwhile", conflicts.size(),
               conflicts.size() == 1 ? " was" : "s were"),
        "update the candidate: it takes over what was committed and keeps its own where both "
        "changed the same; then look at the difference and commit again");
    failure.conflicts = std::move(conflicts);
    return failure;
}

}  // namespace

Result<void> Candidates::open() {
    TRY_ASSIGN(const std::vector<std::string> names, files_.list(kFolder));
    for (const std::string& name : names) {
        if (!name.ends_with(kEnding)) continue;
        const std::string id = name.substr(0, name.size() - kEnding.size());
        TRY_ASSIGN(const std::optional<std::string> file, files_.read(file_of(id)));
        if (!file) continue;
        Revision kept = revision_from_file(*file);
        Entry entry{std::move(kept.text), kept.info.revision, kept.info.time,
                    std::move(kept.info.author), false};
        const auto base = engine_.journal().old(entry.base);
        if (*entry.text == engine_.revision().text || (base && base->text == *entry.text))
            entry.text.reset();
        entries_.emplace(id, std::move(entry));
    }
    if (!entries_.contains(kSharedCandidate)) {
        const RevisionInfo& running = engine_.revision().info;
        entries_.emplace(kSharedCandidate, Entry{std::nullopt, running.revision, running.time,
                                                 running.author, false});
    }
    forget_old();
    return {};
}

void Candidates::forget_old() {
    const std::int64_t now = engine_.now().wall_ns / kNanosecondsPerSecond;
    std::vector<std::string> old;
    for (const auto& [id, entry] : entries_)
        if (id != kSharedCandidate && !entry.committing && now - entry.changed > kWeek)
            old.push_back(id);
    for (const std::string& id : old) {
        LOG(info, "config", "candidate {} forgotten: nobody touched it for a week", id);
        if (const auto removed = files_.remove(file_of(id)); !removed)
            LOG(warning, "config", "{}", removed.error().text);
        entries_.erase(id);
    }
}

const std::string& Candidates::text_of(const Entry& entry) const {
    return entry.text ? *entry.text : engine_.revision().text;
}

CandidateInfo Candidates::info(std::string_view id, const Entry& entry) const {
    const std::uint64_t running = engine_.revision().info.revision;
    const std::uint64_t base = entry.text ? entry.base : running;
    return {std::string(id),        base,          running - base,
            entry.text.has_value(), entry.changed, entry.author};
}

std::vector<CandidateInfo> Candidates::list() const {
    std::vector<CandidateInfo> all;
    for (const auto& [id, entry] : entries_) all.push_back(info(id, entry));
    std::ranges::stable_partition(all, [](const CandidateInfo& c) { return !c.is_private(); });
    return all;
}

std::expected<CandidateInfo, CommitFailure> Candidates::find(std::string_view id) const {
    const auto at = entries_.find(id);
    if (at != entries_.end()) return info(id, at->second);
    return std::unexpected(failure_of(Why::not_found, format("no candidate \"{}\"", id),
                                      "list them, or make a new one"));
}

std::expected<std::string, CommitFailure> Candidates::text(std::string_view id) const {
    const auto known = find(id);
    if (!known) return std::unexpected(known.error());
    return text_of(entries_.find(id)->second);
}

std::expected<Candidates::Entry*, CommitFailure> Candidates::changeable(std::string_view id,
                                                                        const Author& author) {
    if (const auto known = find(id); !known) return std::unexpected(known.error());
    Entry& entry = entries_.find(id)->second;
    if (id != kSharedCandidate && author.uid != 0 && author.uid != ::geteuid() &&
        author.uid != entry.author.uid)
        return std::unexpected(failure_of(
            Why::forbidden, format("candidate \"{}\" belongs to {}", id, entry.author.user),
            "make one of your own"));
    if (entry.committing)
        return std::unexpected(failure_of(
            Error{format("candidate \"{}\" is being committed", id), "wait until that is done"}));
    return &entry;
}

EditOutcome Candidates::create(const Author& author) {
    forget_old();
    if (entries_.size() >= kMostCandidates) {
        // A shell that was killed leaves a candidate behind: one without a change is no loss.
        const auto stays = [](const Entries::value_type& kept) {
            return kept.first == kSharedCandidate || kept.second.committing;
        };
        const auto order = [&](const Entries::value_type& kept) {
            return std::tuple(stays(kept), kept.second.text.has_value(), kept.second.changed);
        };
        const auto oldest = std::ranges::min_element(entries_, {}, order);
        if (stays(*oldest) || oldest->second.text)
            return std::unexpected(failure_of(
                Error{format("there are {} candidates, each with changes; {}, the oldest, is of {}",
                             entries_.size(), oldest->first, oldest->second.author.user),
                      format("forget it: curl -X DELETE --unix-socket RUNDIR/agent.sock "
                             "http://raicho/api/v1/config/candidates/{}",
                             oldest->first)}));
        LOG(info, "config", "candidate {} forgotten: it had no changes, and room is wanted",
            oldest->first);
        if (const auto removed = files_.remove(file_of(oldest->first)); !removed)
            LOG(warning, "config", "{}", removed.error().text);
        entries_.erase(oldest);
    }
    std::string id = new_id();
    while (entries_.contains(id)) id = new_id();
    Entry& entry = entries_[id];
    return put(id, entry, engine_.revision().text, engine_.revision().info.revision, author);
}

std::expected<void, CommitFailure> Candidates::remove(std::string_view id, const Author& author) {
    auto entry = changeable(id, author);
    if (!entry) return std::unexpected(std::move(entry.error()));
    if (id == kSharedCandidate)
        return std::unexpected(failure_of(
            Error{"the shared candidate cannot be deleted", "discard its changes instead"}));
    if (Result<void> removed = files_.remove(file_of(id)); !removed)
        return std::unexpected(failure_of(std::move(removed.error())));
    entries_.erase(entries_.find(id));
    return {};
}

EditOutcome Candidates::put(std::string_view id, Entry& entry, std::string text, std::uint64_t base,
                            const Author& author) {
    entry.changed = engine_.now().wall_ns / kNanosecondsPerSecond;
    if (id == kSharedCandidate || entry.author.user.empty()) entry.author = author;
    entry.base = base;
    entry.text = std::move(text);
    if (*entry.text == engine_.revision().text) entry.text.reset();
    keep(id, entry);
    return Edited{info(id, entry), {}};
}

/// Through a second file, whose content is on the disk before it gets the name: half a candidate
/// would commit the other half's removal.
void Candidates::keep(std::string_view id, const Entry& entry) {
    const std::uint64_t base = entry.text ? entry.base : engine_.revision().info.revision;
    const std::string file =
        to_file({{base, entry.changed, entry.author, {}, std::nullopt}, text_of(entry)});
    const std::string made = file_of(id) + ".new";
    Result<void> kept = files_.write(made, file, Sync::yes);
    if (kept) kept = files_.rename(made, file_of(id));
    if (!kept) LOG(warning, "config", "candidate {} not kept: {}", id, kept.error().text);
}

EditOutcome Candidates::edit(std::string_view id, std::span<const std::string> commands,
                             std::string_view at, const Author& author) {
    auto entry = changeable(id, author);
    if (!entry) return std::unexpected(std::move(entry.error()));
    auto text = dsl::edit(text_of(**entry), commands, at);
    if (!text) return std::unexpected(failure_of(std::move(text.error())));
    for (const std::string& command : commands)
        LOG(info, "config", "candidate {}: {} uid={} user={}", id, command, author.uid,
            author.user);
    return put(id, **entry, std::move(*text), info(id, **entry).revision, author);
}

EditOutcome Candidates::load(std::string_view id, dsl::LoadMode mode, std::string_view text,
                             std::string_view file, std::string_view at, const Author& author) {
    auto entry = changeable(id, author);
    if (!entry) return std::unexpected(std::move(entry.error()));
    auto loaded = dsl::load(text_of(**entry), mode, text, file, at);
    if (!loaded) return std::unexpected(failure_of(std::move(loaded.error())));
    auto expanded = dsl::expand(std::move(*loaded), std::string(file));
    if (!expanded) return std::unexpected(failure_of(std::move(expanded.error())));
    LOG(info, "config", "candidate {}: loaded file={} uid={} user={}", id, file, author.uid,
        author.user);
    return put(id, **entry, std::move(*expanded), info(id, **entry).revision, author);
}

EditOutcome Candidates::rollback(std::string_view id, std::size_t n, const Author& author) {
    auto entry = changeable(id, author);
    if (!entry) return std::unexpected(std::move(entry.error()));
    auto old = revision(n);
    if (!old) return std::unexpected(std::move(old.error()));
    LOG(info, "config", "candidate {}: back to revision {} uid={} user={}", id, old->info.revision,
        author.uid, author.user);
    return put(id, **entry, std::move(old->text), engine_.revision().info.revision, author);
}

EditOutcome Candidates::update(std::string_view id, const Author& author) {
    auto entry = changeable(id, author);
    if (!entry) return std::unexpected(std::move(entry.error()));
    const Revision& running = engine_.revision();
    const CandidateInfo now = info(id, **entry);
    if (now.behind == 0) return Edited{now, {}};
    const auto base = engine_.journal().old(now.revision);
    if (!base) return std::unexpected(failure_of(base.error()));
    auto merged = dsl::merge_changes(base->text, text_of(**entry), running.text);
    if (!merged) return std::unexpected(failure_of(std::move(merged.error())));
    EditOutcome done = put(id, **entry, std::move(merged->text), running.info.revision, author);
    for (const dsl::Difference& c : merged->conflicts) done->notices.push_back(conflict_text(c));
    return done;
}

CommitOutcome Candidates::check(std::string_view id) const {
    if (const auto known = find(id); !known) return std::unexpected(known.error());
    auto proposal = propose(std::string(id), engine_.revision());
    if (!proposal) return std::unexpected(std::move(proposal.error()));
    CommitOutcome outcome = engine_.check_text(proposal->text, proposal->file);
    if (outcome)
        outcome->notices.insert(outcome->notices.begin(), proposal->notices.begin(),
                                proposal->notices.end());
    return outcome;
}

std::expected<Proposal, CommitFailure> Candidates::propose(const std::string& id,
                                                           const Revision& running) const {
    const auto at = entries_.find(id);
    if (at == entries_.end()) return std::unexpected(find(id).error());
    const Entry& entry = at->second;
    const std::string file = format("candidate {}", id);
    if (!entry.text || entry.base == running.info.revision)
        return Proposal{text_of(entry), file, {}};
    const auto base = engine_.journal().old(entry.base);
    if (!base)
        return std::unexpected(failure_of(Error{
            format("the candidate began from revision {}, which is not kept any more", entry.base),
            "save it, discard, and load it again"}));
    auto merged = dsl::merge_changes(base->text, *entry.text, running.text);
    if (!merged) return std::unexpected(failure_of(std::move(merged.error())));
    if (!merged->conflicts.empty())
        return std::unexpected(conflict_of(std::move(merged->conflicts)));
    return Proposal{std::move(merged->text),
                    file,
                    {format("merged with what was committed since revision {}", entry.base)}};
}

void Candidates::commit(std::string_view id, CommitOrder order, CommitDone done) {
    auto entry = changeable(id, order.author);
    if (!entry) return done(std::unexpected(std::move(entry.error())));
    (*entry)->committing = true;
    const std::string name(id);
    engine_.commit([this, name](const Revision& running) { return propose(name, running); },
                   std::move(order),
                   [this, name, done = std::move(done)](CommitOutcome outcome) {
                       Entry& committed = entries_.find(name)->second;
                       committed.committing = false;
                       if (outcome) {
                           committed.text.reset();
                           keep(name, committed);
                       }
                       done(std::move(outcome));
                   });
}

std::expected<Revision, CommitFailure> Candidates::revision(std::size_t n) const {
    if (n == 0) return engine_.revision();
    const auto& history = engine_.journal().history();
    if (n > history.size())
        return std::unexpected(
            failure_of(Why::not_found, format("there is no configuration of {} commits ago", n),
                       history.empty() ? std::string("nothing was committed before what runs")
                                       : format("the oldest one is {}", history.size())));
    auto old = engine_.journal().old(history[n - 1].revision);
    if (!old) return std::unexpected(failure_of(std::move(old.error())));
    return std::move(*old);
}

std::expected<std::string, CommitFailure> Candidates::text_of(std::string_view name) const {
    if (name == "running") return engine_.revision().text;
    if (const auto n = parse_number(name)) {
        auto old = revision(static_cast<std::size_t>(*n));
        if (!old) return std::unexpected(std::move(old.error()));
        return std::move(old->text);
    }
    return text(name);
}

}  // namespace raicho::agent::config
