// SPDX-License-Identifier: Apache-2.0
#include "agent/config/journal.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace raicho::agent::config {

namespace {

constexpr std::string_view kNext = "running.conf.next";
constexpr std::string_view kLast = "running.conf.last";
constexpr std::string_view kHistory = "history";
constexpr std::string_view kEnding = ".conf";

std::string history_file(std::uint64_t revision) {
    return format("{}/{}{}", kHistory, revision, kEnding);
}

/// What the commit does not depend on: an earlier file that stays costs nothing but its room.
void tidy(const Result<void>& done) {
    if (!done) LOG(warning, "config", "run directory: {}", done.error().text);
}

Result<std::optional<Revision>> read_revision(const Files& files, std::string_view name) {
    TRY_ASSIGN(const std::optional<std::string> file, files.read(name));
    if (!file) return std::nullopt;
    return revision_from_file(*file);
}

}  // namespace

Result<Journal::Found> Journal::read() {
    Found found;
    TRY_ASSIGN(found.running, read_revision(files_, kRunningFile));
    TRY_ASSIGN(std::optional<Revision> next, read_revision(files_, kNext));
    TRY_ASSIGN(std::optional<Revision> last, read_revision(files_, kLast));
    TRY(read_history());
    running_.reset();
    if (found.running) {
        marked_ = found.running->info.revision != 0;
        if (!marked_) found.running->info.revision = last_number_ + 1;
        running_ = found.running->info;
        last_number_ = std::max(last_number_, running_->revision);
        std::erase_if(history_,
                      [&](const RevisionInfo& i) { return i.revision >= running_->revision; });
    }
    // Before the rename `last` is the running one itself.
    if (next)
        found.other = std::move(next);
    else if (last && running_ && last->info.revision != running_->revision)
        found.other = std::move(last);
    return found;
}

Result<void> Journal::read_history() {
    history_.clear();
    TRY_ASSIGN(const std::vector<std::string> names, files_.list(kHistory));
    for (const std::string& name : names) {
        if (!name.ends_with(kEnding)) continue;
        const auto number =
            parse_number(std::string_view(name).substr(0, name.size() - kEnding.size()));
        if (!number) continue;
        TRY_ASSIGN(std::optional<Revision> old, read_revision(files_, history_file(*number)));
        if (!old) continue;
        old->info.revision = *number;
        last_number_ = std::max(last_number_, *number);
        history_.push_back(std::move(old->info));
    }
    std::ranges::sort(history_, std::greater(), &RevisionInfo::revision);
    return {};
}

void Journal::settle() {
    tidy(files_.remove(kNext));
    settle_last();
}

void Journal::settle_last() {
    const auto last = read_revision(files_, kLast);
    if (last && *last) {
        if (running_ && (*last)->info.revision != running_->revision)
            into_history((*last)->info);
        else
            tidy(files_.remove(kLast));
    }
}

Result<void> Journal::begin(const Revision& next) {
    settle_last();  // one that could not be moved would be written over
    next_ = next.info;
    Result<void> written = files_.write(kNext, to_file(next), Sync::yes);
    if (!written) abandon();
    return written;
}

Result<void> Journal::decide() {
    if (running_) TRY(files_.link(kRunningFile, kLast));
    TRY(files_.rename(kNext, kRunningFile));
    if (Result<void> synced = files_.sync(); !synced) {
        if (running_)
            tidy(files_.rename(kLast, kRunningFile));
        else
            tidy(files_.remove(kRunningFile));
        return synced;
    }
    last_number_ = std::max(last_number_, next_->revision);
    std::swap(running_, next_);  // next_ is the last one now
    return {};
}

void Journal::finish() {
    if (const auto last = std::exchange(next_, std::nullopt)) into_history(*last);
}

void Journal::into_history(const RevisionInfo& info) {
    if (const auto moved = files_.rename(kLast, history_file(info.revision)); !moved)
        return tidy(moved);
    history_.push_front(info);
    while (history_.size() + 1 > kKeptRevisions) {
        const std::uint64_t oldest = history_.back().revision;
        if (running_ && running_->confirmation && running_->confirmation->returns_to == oldest)
            break;
        tidy(files_.remove(history_file(oldest)));
        history_.pop_back();
    }
}

void Journal::abandon() {
    next_.reset();
    tidy(files_.remove(kNext));
    tidy(files_.remove(kLast));
}

Result<void> Journal::rewrite(const Revision& running) {
    const auto written = [&]() -> Result<void> {
        TRY(files_.write(kNext, to_file(running), Sync::yes));
        TRY(files_.rename(kNext, kRunningFile));
        return files_.sync();
    }();
    if (!written) {
        tidy(files_.remove(kNext));
        return written;
    }
    running_ = running.info;
    marked_ = true;
    return {};
}

Result<Revision> Journal::old(std::uint64_t revision) const {
    TRY_ASSIGN(std::optional<Revision> found, read_revision(files_, history_file(revision)));
    if (!found) {  // a cut, or a full disk, left it under the name that it had before
        TRY_ASSIGN(found, read_revision(files_, kLast));
        if (found && found->info.revision != revision) found.reset();
    }
    if (!found) return fail(format("revision {}: not kept any more", revision));
    found->info.revision = revision;
    return std::move(*found);
}

}  // namespace raicho::agent::config
