// SPDX-License-Identifier: Apache-2.0
// raicho-agent: one event loop that joins the switch, the commit engine, the API and the signals.
// SIGTERM and SIGINT end it: sessions close, its socket and its lock go away, the arena stays, for
// the dataplane forwards on by it and the next agent adopts it. What a whole switch leaves is
// removed by whoever runs both daemons (`raicho run`). SIGHUP reopens the log.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <cerrno>
#include <cstdio>

#include "agent/api/api.h"
#include "agent/api/server.h"
#include "agent/config/candidates.h"
#include "agent/config/commit.h"
#include "agent/config/start_text.h"
#include "agent/loop_asio.h"
#include "agent/loop_clock.h"
#include "agent/loop_thread.h"
#include "agent/options.h"
#include "agent/restart.h"
#include "agent/switch.h"
#include "agent/switch_operator.h"
#include "base/log.h"
#include "base/run_lock.h"

namespace raicho::agent {
namespace {

constexpr int kFailed = 1;
constexpr int kRefused = 4;  // the configuration has faults: starting again helps nobody

/// Why it ends: to the terminal, and into the log where that is another place.
enum class LogIs : bool { elsewhere, standard_error };

void say(const Error& error, LogIs log) {
    if (log == LogIs::elsewhere)
        LOG(error, "agent", "{}{}{}", error.text, error.hint.empty() ? "" : "; ", error.hint);
    fmt::print(stderr, "raicho-agent: {}\n", error.text);
    if (!error.hint.empty()) fmt::print(stderr, "help: {}\n", error.hint);
}

void say(const config::CommitFailure& failure, LogIs log) {
    if (failure.rendered.empty()) return say(failure.error, log);
    if (log == LogIs::elsewhere) LOG(error, "config", "refused\n{}", failure.rendered);
    fmt::print(stderr, "{}", failure.rendered);
}

Result<std::optional<config::StartFile>> read_file(const std::string& path) {
    if (path.empty()) return std::nullopt;
    TRY_ASSIGN(auto read, config::read_start_text(path));
    // In one piece: a site of the log has ten lines a second.
    if (!read.report.empty()) LOG(warning, "config", "imported \"{}\"\n{}", path, read.report);
    return config::StartFile{std::move(read.text), path};
}

/// Many controllers and listeners take more descriptors than a shell's usual limit.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The agent after its options: owns the loop and everything on it.
class Agent {
  public:
    explicit Agent(const Options& options)
        : options_(options), loop_(context_), clock_(loop_), files_(options.rundir) {}

    int run() {
        auto arena = Switch::find_arena(options_.rundir);
        if (!arena) return refuse(arena.error(), kFailed);
        auto user = read_file(options_.config);
        if (!user) return refuse(user.error(), kFailed);
        auto begin = find_start(*arena ? config::Origin::adopted : config::Origin::fresh, *user);
        if (!begin) return refuse(begin.error(), kFailed);
        auto settings = config::start_settings(*begin);
        if (!settings) return refuse(settings.error(), kRefused);
        auto made = Switch::open(context_.get_executor(), loop_,
                                 {.rundir = options_.rundir,
                                  .version = RAICHO_VERSION,
                                  .log = {.program = "raicho-agent",
                                          .file = options_.log_file,
                                          .level = options_.log_level.value_or(LogLevel::info)},
                                  .log_level_given = options_.log_level.has_value(),
                                  .sizes = settings->agent,
                                  .huge_pages = settings->dataplane.huge_pages},
                                 std::move(*arena));
        if (!made) return refuse(made.error(), kFailed);
        switch_ = std::move(*made);
        if (begin->origin == config::Origin::adopted && !switch_->adopted()) {
            begin = find_start(config::Origin::fresh, *user);  // the arena was damaged
            if (!begin) return refuse(begin.error(), kFailed);
        }
        engine_.emplace(*switch_, journal_, clock_, background_);
        engine_->start(std::move(*begin),
                       [this](config::CommitOutcome outcome) { started(std::move(outcome)); });
        watch_signals();
        context_.run();
        if (again_) restart_process(options_);
        return exit_code_;
    }

  private:
    [[nodiscard]] LogIs log_is() const {
        const std::string& file = switch_ ? switch_->log_file() : options_.log_file;
        return file.empty() ? LogIs::standard_error : LogIs::elsewhere;
    }
    template <class Reason>
    int refuse(const Reason& reason, int code) const {
        say(reason, log_is());
        return code;
    }
    [[nodiscard]] Result<config::StartPoint> find_start(
        config::Origin origin, const std::optional<config::StartFile>& user) {
        return config::find_start(journal_, origin, user, clock_.now());
    }

    void started(config::CommitOutcome outcome) {
        if (!outcome) {
            say(outcome.error(), log_is());
            return stop(outcome.error().rendered.empty() ? kFailed : kRefused);
        }
        for (const std::string& notice : outcome->notices) LOG(info, "config", "{}", notice);
        for (const dsl::Diagnostic& warning : outcome->warnings)
            LOG(warning, "config", "{}", warning.text);
        switch_->first_commit_done();
        candidates_.emplace(*engine_, files_);
        if (const auto opened = candidates_->open(); !opened) {
            return stop(refuse(opened.error(), kFailed));
        }
        api_.emplace(*switch_, *engine_, *candidates_);
        operator_.emplace(*switch_, loop_, [this] {
            LOG(info, "agent", "starting anew");
            again_ = true;
            stop(0);
        });
        api_->attend(*operator_);
        auto server = api::Server::open(context_, options_.rundir + "/agent.sock", *api_);
        if (!server) {
            return stop(refuse(server.error(), kFailed));
        }
        server_ = std::move(*server);
        follow(engine_->running());
        engine_->on_commit([this](const dsl::Config& config) { follow(config); });
        LOG(info, "agent", "ready rundir={}", options_.rundir);
    }

    /// The socket's rights. That the groups are there was seen before the commit.
    void follow(const dsl::Config& config) {
        const auto access = api::Access::from(config.api);
        const auto set =
            access ? server_->set_access(*access) : Result<void>(std::unexpected(access.error()));
        if (!set) LOG(error, "api", "rights not changed: {}", set.error().text);
    }

    void watch_signals() {
        signals_.async_wait([this](boost::system::error_code error, int number) {
            if (error) return;
            if (number != SIGHUP) {
                LOG(info, "agent", "stopping signal={}", number);
                return stop(0);
            }
            if (const auto opened = switch_->reopen_log(); !opened) say(opened.error(), log_is());
            watch_signals();
        });
    }

    void stop(int code) {
        exit_code_ = code;
        if (server_) server_->close();
        context_.stop();
    }

    Options options_;
    boost::asio::io_context context_{1};
    AsioLoop loop_;
    LoopClock clock_;
    config::DiskFiles files_;
    config::Journal journal_{files_};
    boost::asio::signal_set signals_{context_, SIGTERM, SIGINT, SIGHUP};
    std::unique_ptr<Switch> switch_;
    std::optional<config::CommitEngine> engine_;
    BackgroundThread background_{context_};  // ends before what it works for
    std::optional<config::Candidates> candidates_;
    std::optional<api::Api> api_;
    std::optional<SwitchOperator> operator_;
    bool again_ = false;  // asked to begin anew
    std::unique_ptr<api::Server> server_;
    int exit_code_ = 0;
};

int main(int argc, char** argv) {
    const auto parsed = parse_options(argc, argv);
    if (const auto* end = std::get_if<Exit>(&parsed)) {
        fmt::print(end->code == 0 ? stdout : stderr, "{}", end->text);
        return end->code;
    }
    const auto& options = std::get<Options>(parsed);
    ::signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    if (const auto opened = open_log({.program = "raicho-agent",
                                      .file = options.log_file,
                                      .level = options.log_level.value_or(LogLevel::info)});
        !opened)
        return say(opened.error(), LogIs::standard_error), kFailed;
    const auto refuse = [log = options.log_file.empty() ? LogIs::standard_error
                                                        : LogIs::elsewhere](const Error& error) {
        say(error, log);
        return kFailed;
    };
    if (::mkdir(options.rundir.c_str(), 0755) != 0 && errno != EEXIST)
        return refuse(
            fail_errno(fmt::format("run directory \"{}\"", options.rundir), errno).error());
    const auto lock = RunLock::take(options.rundir, "agent");
    if (!lock) return refuse(lock.error());
    return Agent(options).run();
}

}  // namespace
}  // namespace raicho::agent

int main(int argc, char** argv) {
    return raicho::agent::main(argc, argv);
}
