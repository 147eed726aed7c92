// SPDX-License-Identifier: Apache-2.0
#include "agent/config/start.h"

#include <unistd.h>

#include <utility>

#include "agent/config/flow_check.h"
#include "base/text.h"

namespace raicho::agent::config {

namespace {

/// The last commit, or what it returns to when nobody confirmed it in time.
Result<void> begin_with_last(StartPoint& start, const Journal& journal, const Deadline& now) {
    const Revision& last = *start.running;
    start.text = last.text;
    start.file = kRunningFile;
    const std::optional<Confirmation>& wait = last.info.confirmation;
    // An adopted switch does the last one now: it begins there and returns like any other.
    if (start.origin == Origin::adopted || !wait || time_left(wait->deadline, now) > 0) {
        start.kept = last.info;
        return {};
    }
    TRY_ASSIGN(Revision before, journal.old(wait->returns_to));
    start.text = std::move(before.text);
    start.file = format("revision {}", wait->returns_to);
    start.author.via = "rollback";
    start.comment = format("revision {} was not confirmed", last.info.revision);
    start.notices.push_back(
        format("{} in time: back to revision {}", start.comment, wait->returns_to));
    return {};
}

}  // namespace

Result<StartPoint> find_start(Journal& journal, Origin origin, std::optional<StartFile> user,
                              const Deadline& now) {
    StartPoint start;
    start.origin = origin;
    start.author = {::getuid(), "raicho", "start"};
    TRY_ASSIGN(Journal::Found found, journal.read());
    start.running = std::move(found.running);
    if (origin == Origin::adopted && found.other) start.other = std::move(found.other->text);
    if (start.running && (origin == Origin::adopted || !user)) {
        TRY(begin_with_last(start, journal, now));
        if (start.kept)
            start.notices.push_back(
                format("configuration: the last commit (revision {})", start.kept->revision));
    } else if (user) {
        start.text = std::move(user->text);
        start.file = std::move(user->file);
        start.comment = start.file;
    } else {
        start.comment = "nothing configured";
    }
    return start;
}

std::expected<dsl::Config, CommitFailure> start_settings(StartPoint& start) {
    if (start.checked == nullptr) {
        dsl::Checked checked =
            dsl::check(start.text, start.file, flow_checker(), dsl::disk_files());
        if (!checked.ok()) return std::unexpected(failure_of(std::move(checked)));
        start.checked = std::make_shared<const dsl::Checked>(std::move(checked));
    }
    return start.checked->config;
}

}  // namespace raicho::agent::config
