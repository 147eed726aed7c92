// SPDX-License-Identifier: Apache-2.0
#include "agent/config/commit.h"

#include <algorithm>
#include <utility>

#include "agent/config/flow_check.h"
#include "agent/config/running_file.h"
#include "agent/config/transaction.h"
#include "base/log.h"
#include "base/text.h"
#include "dsl/model/check.h"
#include "dsl/model/print.h"

namespace raicho::agent::config {

namespace {

CommitFailure failure_of(dsl::Checked&& checked) {
    CommitFailure failure;
    failure.rendered = checked.report();
    failure.error.text = format("{}: {} error{}", checked.source->file(), checked.n_errors,
                                checked.n_errors == 1 ? "" : "s");
    failure.diagnostics = std::move(checked.diagnostics);
    return failure;
}

CommitFailure failure_of(Error error) {
    return {std::move(error), {}, {}};
}

/// A candidate or why there is none. Made from the running configuration when its turn comes.
struct Candidate {
    dsl::Config config;
    std::vector<dsl::Diagnostic> warnings;
};
using MakeCandidate =
    std::function<std::expected<Candidate, CommitFailure>(const dsl::Config& running)>;

std::expected<Candidate, CommitFailure> candidate_of(dsl::Checked checked) {
    if (!checked.ok()) return std::unexpected(failure_of(std::move(checked)));
    return Candidate{std::move(checked.config), std::move(checked.diagnostics)};
}

/// Whether the dataplane would open the same thing for both: the arena knows device strings only.
bool opens_alike(const dsl::PortConfig& a, const dsl::PortConfig& b) {
    const auto own = [](dsl::DeviceKind kind) {
        return kind == dsl::DeviceKind::af_packet || kind == dsl::DeviceKind::tap ||
               kind == dsl::DeviceKind::null;
    };
    if (own(a.device.kind) != own(b.device.kind)) return false;
    if (own(a.device.kind) && a.device.kind != b.device.kind) return false;
    return dsl::device_string(a) == dsl::device_string(b);
}

/// What an adopted switch does now: its bridges and ports as they live, in the words of the last
/// commit where the arena has none (devices, flows). Connections are gone.
dsl::Config adopted(const dsl::Config& saved, dsl::Config live) {
    live.system = {};
    live.log = {};
    live.agent = saved.agent;
    live.dataplane = saved.dataplane;
    for (dsl::BridgeConfig& b : live.bridges) {
        b.controllers.clear();
        b.listens.clear();
        b.flows.clear();
        const dsl::BridgeConfig* before = saved.find_bridge(b.name);
        if (before == nullptr) continue;
        b.flows = before->flows;  // they are in the arena, with their counters
        if (!before->dpid) b.dpid.reset();
        for (dsl::PortConfig& p : b.ports) {
            const dsl::PortConfig* known = before->find_port(p.name);
            if (known == nullptr || !opens_alike(*known, p)) continue;
            p.device = known->device;
            p.queues = known->queues;
        }
    }
    return live;
}

}  // namespace

struct CommitEngine::State {
    struct Job {
        MakeCandidate make;
        CommitDone done;
        std::vector<std::string> notices{};
        Begin begin = Begin::running;
    };

    State(Target& t, std::filesystem::path dir) : target(t), rundir(std::move(dir)) {}

    void enqueue(MakeCandidate make, CommitDone done) {
        enqueue({std::move(make), std::move(done)});
    }
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
            begin(std::move(job));
        }
        looping = false;
    }

    void begin(Job job) {
        auto made = job.make(running);
        if (!made) return job.done(std::unexpected(std::move(made.error())));
        busy = true;
        candidate = std::move(made->config);
        dsl::assign_port_numbers(candidate, running);
        const auto transaction =
            std::make_shared<Transaction>(target, running, candidate, job.begin);
        transaction->run([this, transaction, job = std::move(job),
                          warnings = std::move(made->warnings)](Result<CommitReport> result) {
            finish(job, warnings, std::move(result));
        });
    }

    void finish(const Job& job, const std::vector<dsl::Diagnostic>& warnings,
                Result<CommitReport> result) {
        busy = false;
        if (!result) {
            LOG(warning, "config", "commit refused: {}", result.error().text);
            job.done(std::unexpected(failure_of(std::move(result.error()))));
            return next();
        }
        const bool changed = !result->changes.empty();
        running = std::move(candidate);
        if (changed) ++revision;
        result->warnings = warnings;
        result->notices.insert(result->notices.begin(), job.notices.begin(), job.notices.end());
        save(*result);
        LOG(info, "config", "commit done revision={} changes={}", revision, result->changes.size());
        job.done(std::move(*result));
        next();
    }

    /// The switch already does it; that it could not be saved is told, not undone.
    void save(CommitReport& report) {
        if (rundir.empty()) return;
        if (const auto written = write_running(rundir, dsl::print(running)); !written) {
            LOG(error, "config", "running.conf not saved: {}", written.error().text);
            report.notices.push_back(
                format("running.conf could not be saved: {}; a restart would "
                       "begin with the configuration before this one",
                       written.error().text));
        }
    }

    Target& target;
    std::filesystem::path rundir;
    dsl::Config running;
    dsl::Config candidate;
    std::deque<Job> jobs;
    bool busy = false;
    bool looping = false;
    std::uint64_t revision = 0;
};

CommitEngine::CommitEngine(Target& target, std::filesystem::path rundir)
    : state_(std::make_unique<State>(target, std::move(rundir))) {}

CommitEngine::~CommitEngine() = default;

void CommitEngine::start(Origin origin, std::string text, std::string file, CommitDone done) {
    State& s = *state_;
    std::optional<std::string> saved;
    if (origin == Origin::adopted && !s.rundir.empty()) {
        auto read = read_running(s.rundir);
        if (!read) return done(std::unexpected(failure_of(std::move(read.error()))));
        saved = std::move(*read);
    }
    const std::string path = running_file(s.rundir).string();
    dsl::Checked checked = saved ? dsl::check(std::move(*saved), path, flow_checker())
                                 : dsl::check(std::move(text), std::move(file), flow_checker());
    if (!checked.ok()) return done(std::unexpected(failure_of(std::move(checked))));
    State::Job job{{}, std::move(done), {}, Begin::start};
    if (origin == Origin::adopted) {
        s.running = adopted(saved ? checked.config : dsl::Config(), s.target.live());
        const std::size_t n = s.running.bridges.size();
        job.notices.push_back(format("adopted {} bridge{} and their flows from {}", n,
                                     n == 1 ? "" : "s", s.rundir.string()));
        if (saved) job.notices.push_back(format("configuration: the last commit ({})", path));
    }
    // What the daemons began with is in force; that is no change that waits for a restart.
    s.running.agent = checked.config.agent;
    s.running.dataplane = checked.config.dataplane;
    job.make = [checked = std::move(checked)](const dsl::Config&) { return candidate_of(checked); };
    s.enqueue(std::move(job));
}

void CommitEngine::load_text(std::string text, std::string file, CommitDone done) {
    state_->enqueue(
        [text = std::move(text), file = std::move(file)](const dsl::Config&) {
            return candidate_of(dsl::check(text, file, flow_checker()));
        },
        std::move(done));
}

void CommitEngine::load(dsl::Config candidate, CommitDone done) {
    state_->enqueue(
        [candidate = std::move(candidate)](const dsl::Config&) {
            return candidate_of(dsl::check_config(candidate, flow_checker()));
        },
        std::move(done));
}

void CommitEngine::merge_text(std::string text, std::string file, CommitDone done) {
    state_->enqueue(
        [text = std::move(text), file = std::move(file)](const dsl::Config& running) {
            return candidate_of(dsl::check_merge(running, text, file, flow_checker()));
        },
        std::move(done));
}

void CommitEngine::add_port(std::string bridge, dsl::PortConfig port, CommitDone done) {
    state_->enqueue(
        [bridge = std::move(bridge), port = std::move(port)](
            const dsl::Config& running) -> std::expected<Candidate, CommitFailure> {
            dsl::Config config = running;
            dsl::BridgeConfig* owner = config.find_bridge(bridge);
            if (owner == nullptr)
                return std::unexpected(
                    failure_of(Error{format("bridge \"{}\": not defined", bridge)}));
            dsl::PortConfig& added = owner->ports.emplace_back(port);
            if (added.device.name.empty() && (added.device.kind == dsl::DeviceKind::af_packet ||
                                              added.device.kind == dsl::DeviceKind::tap))
                added.device.name = added.name;
            return candidate_of(dsl::check_config(std::move(config), flow_checker()));
        },
        std::move(done));
}

void CommitEngine::add_port(std::string bridge, std::string name, std::string options,
                            CommitDone done) {
    state_->enqueue(
        [bridge = std::move(bridge), name = std::move(name),
         options = std::move(options)](const dsl::Config& running) {
            return candidate_of(
                dsl::check_add_port(running, bridge, name, options, flow_checker()));
        },
        std::move(done));
}

void CommitEngine::delete_port(std::string bridge, std::string port, CommitDone done) {
    state_->enqueue(
        [bridge = std::move(bridge), port = std::move(port)](
            const dsl::Config& running) -> std::expected<Candidate, CommitFailure> {
            dsl::Config config = running;
            dsl::BridgeConfig* owner = config.find_bridge(bridge);
            if (owner == nullptr)
                return std::unexpected(
                    failure_of(Error{format("bridge \"{}\": not defined", bridge)}));
            if (std::erase_if(owner->ports,
                              [&](const dsl::PortConfig& p) { return p.name == port; }) == 0) {
                std::vector<std::string_view> names;
                for (const dsl::PortConfig& p : owner->ports) names.push_back(p.name);
                const auto near = did_you_mean(port, names);
                return std::unexpected(failure_of(
                    Error{format("port \"{}\": not in bridge \"{}\"", port, bridge),
                          near ? format("did you mean \"{}\"?", *near) : std::string()}));
            }
            return candidate_of(dsl::check_config(std::move(config), flow_checker()));
        },
        std::move(done));
}

std::expected<std::vector<dsl::Diagnostic>, CommitFailure> CommitEngine::check_text(
    std::string text, std::string file) const {
    dsl::Checked checked = dsl::check(std::move(text), std::move(file), flow_checker());
    if (!checked.ok()) return std::unexpected(failure_of(std::move(checked)));
    return std::move(checked.diagnostics);
}

const dsl::Config& CommitEngine::running() const {
    return state_->running;
}

std::string CommitEngine::running_text() const {
    return dsl::print(state_->running);
}

std::uint64_t CommitEngine::revision() const {
    return state_->revision;
}

bool CommitEngine::busy() const {
    return state_->busy || !state_->jobs.empty();
}

std::expected<dsl::Config, CommitFailure> read_start_settings(Origin origin,
                                                              const std::filesystem::path& rundir,
                                                              const std::string& text,
                                                              const std::string& file) {
    std::optional<std::string> saved;
    if (origin == Origin::adopted) {
        auto read = read_running(rundir);
        if (!read) return std::unexpected(failure_of(std::move(read.error())));
        saved = std::move(*read);
    }
    auto checked = saved ? dsl::check(*saved, running_file(rundir).string(), flow_checker())
                         : dsl::check(text, file, flow_checker());
    if (!checked.ok()) return std::unexpected(failure_of(std::move(checked)));
    return std::move(checked.config);
}

}  // namespace raicho::agent::config
