// SPDX-License-Identifier: Apache-2.0
#include "agent/config/commit.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "agent/config/adopt.h"
#include "agent/config/flow_check.h"
#include "agent/config/texts.h"
#include "agent/config/transaction.h"
#include "base/log.h"
#include "base/text.h"
#include "dsl/model/check.h"

namespace raicho::agent::config {

namespace {

constexpr std::uint64_t kSecond = kNanosecondsPerSecond;
/// A timer that slept with the machine is late: the deadline is looked at again that often.
constexpr std::uint64_t kLongestSleep = 30 * kSecond;
/// Until a return to the last confirmed configuration that failed is tried again.
constexpr std::uint64_t kRetry = 5 * kSecond;

}  // namespace

struct CommitEngine::State {
    struct Job {
        Propose propose{};
        CommitOrder order{};
        CommitDone done{};
        std::optional<StartPoint> start{};
        std::function<void()> instead{};  // no commit, but in turn with them
    };

    State(Target& t, Journal& j, Clock& c, Background& b)
        : target(t), journal(j), clock(c), background(b) {}

    void enqueue(Job job) {
        jobs.push_back(std::move(job));
        next();
    }

    /// Runs jobs until one has to wait; a job that ends at once comes back into this loop.
    void next() {
        if (looping) return;
        looping = true;
        while (!busy && !jobs.empty()) {
            Job job = std::move(jobs.front());
            jobs.pop_front();
            if (job.instead)
                job.instead();
            else
                begin(std::move(job));
        }
        looping = false;
    }

    /// A commit between its proposal and its first step.
    struct Plan {
        Job job;
        Proposal proposal;
        std::vector<dsl::Diagnostic> warnings{};
        std::string text{};
        std::shared_ptr<Transaction> transaction{};
        std::optional<CommitFailure> failure{};
        std::vector<std::string> doubted{};
    };

    void begin(Job job) {
        auto proposal = job.propose(revision);
        if (!proposal) return job.done(std::unexpected(std::move(proposal.error())));
        busy = true;
        const auto plan = std::make_shared<Plan>(std::move(job), std::move(*proposal));
        plan->doubted = doubted_bridges(target, running);
        background.run([this, plan] { work_out(*plan); }, [this, plan] { carry_out(*plan); });
    }

    /// Values only, beside the loop: what runs does not change while a commit is busy.
    void work_out(Plan& plan) {
        const bool starts = plan.job.start.has_value();
        auto made = candidate_for(plan);
        if (!made) {
            plan.failure = std::move(made.error());
            return;
        }
        candidate = std::move(made->config);
        plan.text = std::move(made->text);
        plan.warnings = std::move(made->warnings);
        plan.transaction = std::make_shared<Transaction>(
            target, running, candidate, starts ? Begin::start : Begin::running,
            found ? &*found : nullptr, std::move(plan.doubted));
        if (Result<void> planned = plan.transaction->plan(); !planned)
            plan.failure = failure_of(std::move(planned.error()));
    }

    [[nodiscard]] std::expected<Candidate, CommitFailure> candidate_for(const Plan& plan) const {
        const std::optional<StartPoint>& start = plan.job.start;
        if (!start) return candidate_of(plan.proposal.text, plan.proposal.file, running);
        // What we wrote ourselves is as we would write it, and was read a moment ago.
        const std::string& text = plan.proposal.text;
        if (start->kept && start->checked != nullptr && journal.marked() &&
            text.find("define") == text.npos && text.find("include") == text.npos) {
            Candidate same{text, start->checked->config, start->checked->diagnostics};
            dsl::assign_port_numbers(same.config, running);
            if (same.config == start->checked->config) return same;
        }
        // Only a file that lies here may name others that do.
        return candidate_of(plan.proposal.text, plan.proposal.file, running, dsl::disk_files());
    }

    void carry_out(Plan& plan) {
        Job& job = plan.job;
        const auto end = [this](auto&& tell) {
            busy = false;
            tell();
            next();
        };
        if (plan.failure) return end([&] { job.done(std::unexpected(std::move(*plan.failure))); });
        const bool starts = job.start.has_value();
        const std::shared_ptr<Transaction> transaction = std::move(plan.transaction);
        transaction->mend();
        next_revision = {words_of(job), std::move(plan.text)};
        const bool same_text = next_revision.text == revision.text && revision.info.revision != 0;
        CommitReport start_of_report{
            {}, std::move(plan.proposal.notices), std::move(plan.warnings), 0, 0};
        if (!starts && same_text && transaction->report().changes.empty())
            return end([&] { end_unchanged(job, std::move(start_of_report)); });
        // A start with what is committed already makes no new revision of it.
        const bool kept = starts && (same_text || job.start->kept);
        if (kept) next_revision.info = revision.info;
        if (!kept)
            if (Result<void> begun = journal.begin(next_revision); !begun)
                return end(
                    [&] { job.done(std::unexpected(failure_of(std::move(begun.error())))); });
        transaction->run(
            [this, kept]() -> Result<void> { return kept ? Result<void>() : journal.decide(); },
            [this, transaction, kept, job = std::move(job),
             report = std::move(start_of_report)](Result<CommitReport> result) mutable {
                finish(job, kept, std::move(report), std::move(result));
            });
    }

    [[nodiscard]] RevisionInfo words_of(const Job& job) const {
        const Deadline now = clock.now();
        RevisionInfo info{journal.next_number(), now.wall_ns / kNanosecondsPerSecond,
                          job.order.author, job.order.comment, std::nullopt};
        if (job.order.confirm_seconds == 0) return info;
        // Back to what somebody stood for.
        const auto& waiting = revision.info.confirmation;
        info.confirmation = Confirmation{job.order.confirm_seconds,
                                         waiting ? waiting->returns_to : revision.info.revision,
                                         after(now, job.order.confirm_seconds)};
        return info;
    }

    void end_unchanged(Job& job, CommitReport report) {
        if (job.order.confirm_seconds != 0) {
            report.notices.emplace_back("no differences: nothing was committed");
        } else if (revision.info.confirmation) {
            if (Result<void> kept = keep(job.order.author); !kept)
                return job.done(std::unexpected(failure_of(std::move(kept.error()))));
            report.notices.push_back(format("revision {} is confirmed", revision.info.revision));
        }
        report.revision = revision.info.revision;
        job.done(std::move(report));
    }

    void finish(const Job& job, bool kept, CommitReport report, Result<CommitReport> result) {
        busy = false;
        if (!result) {
            if (!kept) journal.abandon();
            LOG(warning, "config", "commit refused uid={} user={} why=\"{}\"", job.order.author.uid,
                job.order.author.user, result.error().text);
            job.done(std::unexpected(failure_of(std::move(result.error()))));
            return next();
        }
        running = std::move(candidate);
        revision = std::move(next_revision);
        found.reset();
        if (kept)
            settle(job.start->text);
        else
            journal.finish();
        watch_deadline();
        if (follow) follow(running);
        report.changes = std::move(result->changes);
        std::ranges::move(result->notices, std::back_inserter(report.notices));
        report.revision = revision.info.revision;
        if (revision.info.confirmation) report.confirm_seconds = job.order.confirm_seconds;
        LOG(info, "config", "commit done revision={} changes={} uid={} user={} via={}{}{}",
            report.revision, report.changes.size(), job.order.author.uid, job.order.author.user,
            job.order.author.via, job.order.comment.empty() ? "" : " comment=",
            job.order.comment.empty() ? "" : format("\"{}\"", job.order.comment));
        for (const std::string& change : report.changes) LOG(info, "config", "{}", change);
        job.done(std::move(report));
        next();
    }

    /// The switch does what running.conf says, whatever an earlier agent left.
    void settle(const std::string& text) {
        journal.settle();
        if (journal.marked() && text == revision.text) return;
        if (const auto written = journal.rewrite(revision); !written)
            LOG(warning, "config", "{}: {}", kRunningFile, written.error().text);
    }

    [[nodiscard]] Result<void> keep(const Author& author) {
        Revision confirmed = revision;
        confirmed.info.confirmation.reset();
        TRY(journal.rewrite(confirmed));
        revision = std::move(confirmed);
        watch_deadline();
        LOG(info, "config", "commit confirmed revision={} uid={} user={}", revision.info.revision,
            author.uid, author.user);
        return {};
    }

    void watch_deadline() {
        clock.cancel_alarm();
        const auto& waiting = revision.info.confirmation;
        if (!waiting) return;
        const std::uint64_t left = time_left(waiting->deadline, clock.now());
        clock.set_alarm(std::min(left, kLongestSleep), [this] { look_at_deadline(); });
    }

    void look_at_deadline() {
        const auto& waiting = revision.info.confirmation;
        if (!waiting) return;
        if (time_left(waiting->deadline, clock.now()) > 0) return watch_deadline();
        const std::uint64_t unconfirmed = revision.info.revision;
        const std::uint64_t returns_to = waiting->returns_to;
        Job job;
        job.propose = [this, unconfirmed,
                       returns_to](const Revision& now) -> std::expected<Proposal, CommitFailure> {
            if (now.info.revision != unconfirmed || !now.info.confirmation)
                return std::unexpected(failure_of(Error{"it was confirmed meanwhile"}));
            auto before = journal.old(returns_to);
            if (!before) return std::unexpected(failure_of(std::move(before.error())));
            return Proposal{std::move(before->text), format("revision {}", returns_to), {}};
        };
        job.order = {
            {0, "raicho", "rollback"},
            format("revision {} was not confirmed: back to revision {}", unconfirmed, returns_to),
            0};
        job.done = [this, unconfirmed](const CommitOutcome& outcome) {
            if (outcome || revision.info.revision != unconfirmed || !revision.info.confirmation)
                return;
            LOG(error, "config", "revision {} was not confirmed and cannot be taken back: {}",
                unconfirmed, outcome.error().error.text);
            clock.set_alarm(kRetry, [this] { look_at_deadline(); });
        };
        LOG(warning, "config", "revision {} was not confirmed in time: back to revision {}",
            unconfirmed, returns_to);
        enqueue(std::move(job));
    }

    Target& target;
    Journal& journal;
    Clock& clock;
    Background& background;
    dsl::Config running;
    Revision revision;
    dsl::Config candidate;              // of the commit in progress
    Revision next_revision;             // likewise
    std::optional<FlowsFound> found{};  // until the start is over
    std::deque<Job> jobs;
    std::function<void(const dsl::Config&)> follow;
    bool busy = false;
    bool looping = false;
};

CommitEngine::CommitEngine(Target& target, Journal& journal, Clock& clock, Background& background)
    : state_(std::make_unique<State>(target, journal, clock, background)) {}

CommitEngine::~CommitEngine() {
    state_->clock.cancel_alarm();
}

void CommitEngine::on_commit(std::function<void(const dsl::Config&)> follow) {
    state_->follow = std::move(follow);
}

void CommitEngine::start(StartPoint from, CommitDone done) {
    State& s = *state_;
    std::expected<dsl::Config, CommitFailure> settings = start_settings(from);
    if (!settings) return done(std::unexpected(std::move(settings.error())));
    State::Job job{.order = {from.author, from.comment, 0}, .done = std::move(done)};
    std::vector<std::string> notices = std::move(from.notices);
    if (from.running) s.revision = *from.running;
    if (from.origin == Origin::adopted) {
        dsl::Config saved = from.running ? *settings : dsl::Config();
        dsl::assign_port_numbers(saved, {});
        s.running = adopted(saved, s.target.live());
        s.found = FlowsFound{std::move(saved)};
        if (from.other) {
            s.found->other = dsl::check(*from.other, "", flow_checker()).config;
            dsl::assign_port_numbers(*s.found->other, {});
            notices.emplace_back("a commit was cut off: what it began is finished or undone");
        }
        const std::size_t n = s.running.bridges.size();
        notices.insert(notices.begin(), format("adopted {} bridge{} and their flows from the arena",
                                               n, n == 1 ? "" : "s"));
    } else {
        s.journal.settle();  // a new arena does nothing of what was before
    }
    // What the daemons began with is in force; that is no change that waits for a restart.
    s.running.agent = settings->agent;
    s.running.dataplane = settings->dataplane;
    job.propose = [text = from.text, file = from.file, notices = std::move(notices)](
                      const Revision&) -> std::expected<Proposal, CommitFailure> {
        return Proposal{text, file, notices};
    };
    job.start = std::move(from);
    s.enqueue(std::move(job));
}

void CommitEngine::commit(Propose propose, CommitOrder order, CommitDone done) {
    state_->enqueue({std::move(propose), std::move(order), std::move(done)});
}

void CommitEngine::load_text(std::string text, std::string file, CommitOrder order,
                             CommitDone done) {
    commit([text = std::move(text), file = std::move(file)](const Revision&)
               -> std::expected<Proposal, CommitFailure> { return Proposal{text, file, {}}; },
           std::move(order), std::move(done));
}

void CommitEngine::confirm(Author author, std::function<void(Result<bool>)> done) {
    State& s = *state_;
    State::Job job;
    job.instead = [&s, author = std::move(author), done = std::move(done)] {
        if (!s.revision.info.confirmation) return done(false);
        if (Result<void> kept = s.keep(author); !kept)
            return done(std::unexpected(std::move(kept.error())));
        done(true);
    };
    s.enqueue(std::move(job));
}

CommitOutcome CommitEngine::check_text(std::string text, std::string file) const {
    const State& s = *state_;
    auto made = candidate_of(text, file, s.running);
    if (!made) return std::unexpected(std::move(made.error()));
    Transaction transaction(s.target, s.running, made->config, Begin::running, nullptr,
                            doubted_bridges(s.target, s.running));
    if (Result<void> planned = transaction.plan(); !planned)
        return std::unexpected(failure_of(std::move(planned.error())));
    transaction.mend();
    CommitReport report = transaction.report();
    report.warnings = std::move(made->warnings);
    report.revision = s.revision.info.revision;
    return report;
}

const dsl::Config& CommitEngine::running() const {
    return state_->running;
}

const Revision& CommitEngine::revision() const {
    return state_->revision;
}

std::optional<std::uint64_t> CommitEngine::confirm_left() const {
    const auto& waiting = state_->revision.info.confirmation;
    if (!waiting) return std::nullopt;
    return time_left(waiting->deadline, state_->clock.now());
}

const Journal& CommitEngine::journal() const {
    return state_->journal;
}

Deadline CommitEngine::now() const {
    return state_->clock.now();
}

bool CommitEngine::busy() const {
    return state_->busy || !state_->jobs.empty();
}

}  // namespace raicho::agent::config
