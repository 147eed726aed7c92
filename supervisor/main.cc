// SPDX-License-Identifier: Apache-2.0
// `raicho run -C FILE`: the foreground supervisor of one switch. It owns no packet and no flow:
// it makes the run directory, starts the two daemons, starts again the one that dies, passes
// signals on, and after a clean stop leaves nothing. Under systemd the daemons are two units and
// this program is not needed.
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "supervisor/daemon.h"
#include "supervisor/options.h"
#include "supervisor/rundir.h"
#include "supervisor/stray_taps.h"

namespace raicho::supervisor {
namespace {

constexpr auto kStopPatience = std::chrono::seconds(5);

/// To the terminal, and into the log where that is another place.
void print_error(const Error& error, const std::string& log_file) {
    if (!log_file.empty())
        LOG(error, "supervisor", "{}{}{}", error.text, error.hint.empty() ? "" : "; ", error.hint);
    std::fprintf(stderr, "raicho: %s\n", error.text.c_str());
    if (!error.hint.empty()) std::fprintf(stderr, "help: %s\n", error.hint.c_str());
}

std::string program_beside_us(std::string_view name) {
    std::error_code ignored;
    return (std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / name).string();
}

LogTarget log_target(const Options& options) {
    const LogLevel level = log_level_by_name(options.log_level).value_or(LogLevel::info);
    return {"raicho", options.log_file, level};
}

/// Opens the log; the agent must be able to open the same file when it is another user.
Result<void> open_switch_log(const Options& options, const std::optional<Account>& account) {
    const bool made = !options.log_file.empty() && !std::filesystem::exists(options.log_file);
    TRY(open_log(log_target(options)));
    if (made && account && ::chown(options.log_file.c_str(), account->uid, account->gid) != 0)
        return fail_errno(format("owner of \"{}\"", options.log_file), errno);
    return {};
}

/// The file of the process id that the command line asks for; gone when the switch ends.
class PidFile {
  public:
    static Result<PidFile> write(const std::string& path) {
        if (path.empty()) return PidFile("");
        std::FILE* const file = std::fopen(path.c_str(), "w");
        if (file == nullptr) return fail_errno(format("pid file \"{}\"", path), errno);
        const bool good = std::fprintf(file, "%d\n", ::getpid()) > 0;
        if (std::fclose(file) != 0 || !good)
            return fail_errno(format("pid file \"{}\"", path), errno);
        return PidFile(path);
    }
    PidFile(PidFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    PidFile& operator=(PidFile&&) = delete;
    ~PidFile() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove(path_, ignored);
    }

  private:
    explicit PidFile(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

class Supervisor {
  public:
    Supervisor(const Options& options, const RunDirectory& directory,
               const std::optional<Account>& account)
        : directory_(directory),
          dataplane_({"raicho-dataplane", program_beside_us("raicho-dataplane"),
                      arguments(options, ""), std::nullopt}),
          agent_({"raicho-agent", program_beside_us("raicho-agent"),
                  arguments(options, options.config_file), account}),
          agent_first_(arguments(options, options.config_file)),
          agent_again_(arguments(options, "")),
          log_(log_target(options)) {}

    /// Runs until a stop signal or a death that starting again cannot cure; the exit code.
    int run(int signals) {
        if (!start(agent_) || !start(dataplane_)) {
            stop_both(signals);
            return EXIT_FAILURE;
        }
        for (;;) {
            const int got = wait_signal(signals);
            if (got == SIGTERM || got == SIGINT) {
                stop_both(signals);
                return EXIT_SUCCESS;
            }
            if (got == SIGHUP) {
                if (const auto log = open_log(log_); !log) print_error(log.error(), log_.file);
                agent_.signal(SIGHUP);
                dataplane_.signal(SIGHUP);
            }
            if (const std::optional<int> code = reap()) {
                stop_both(signals);
                return *code;
            }
            const auto now = Clock::now();
            for (Daemon* daemon : both())
                if (daemon->due() && *daemon->due() <= now && !start_again(*daemon)) {
                    stop_both(signals);
                    return EXIT_FAILURE;
                }
        }
    }

  private:
    static std::vector<std::string> arguments(const Options& options, const std::string& config) {
        std::vector<std::string> list{"--rundir", options.rundir};
        if (!config.empty()) list.insert(list.end(), {"--config", config});
        if (!options.log_level.empty()) list.insert(list.end(), {"--log-level", options.log_level});
        if (!options.log_file.empty()) list.insert(list.end(), {"--log-file", options.log_file});
        return list;
    }
    std::array<Daemon*, 2> both() { return {&agent_, &dataplane_}; }

    bool start(Daemon& daemon) const {
        if (auto started = daemon.start(Clock::now()); !started) {
            print_error(started.error(), log_.file);
            return false;
        }
        LOG(info, "supervisor", "started {} pid={}", daemon.name(), daemon.pid());
        return true;
    }

    /// What was committed last counts from then on, not the file of the command line.
    bool start_again(Daemon& daemon) {
        if (&daemon == &agent_)
            agent_.set_arguments(directory_.has_running_configuration() ? agent_again_
                                                                        : agent_first_);
        return start(daemon);
    }

    /// The next signal, or 0 when a start is due (or after a minute).
    int wait_signal(int signals) {
        auto until = Clock::now() + std::chrono::minutes(1);
        for (Daemon* daemon : both())
            if (daemon->due()) until = std::min(until, *daemon->due());
        return wait_signal_until(signals, until);
    }
    static int wait_signal_until(int signals, Clock::time_point until) {
        using std::chrono::milliseconds;
        const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
        pollfd watch{signals, POLLIN, 0};
        if (::poll(&watch, 1, static_cast<int>(std::max<long>(left, 0))) <= 0) return 0;
        signalfd_siginfo info{};
        if (::read(signals, &info, sizeof info) != sizeof info) return 0;
        return static_cast<int>(info.ssi_signo);
    }

    /// Collects every dead child; an exit code when one death is final.
    std::optional<int> reap() {
        struct Death {
            Daemon* daemon;
            std::string text;
            std::chrono::milliseconds again;
        };
        std::vector<Death> deaths;
        const Daemon* hopeless = nullptr;
        std::optional<int> code;
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            for (Daemon* daemon : both()) {
                if (daemon->pid() != pid) continue;
                std::string text =
                    format("{} (pid {}) {}", daemon->name(), pid, status_text(status));
                deaths.push_back({daemon, std::move(text), daemon->died(status, Clock::now())});
                // Before the first commit a failing agent means a wrong file: say so and end.
                // Afterwards the dataplane forwards on while we try again.
                const bool no_start =
                    daemon == &agent_ && failed(status) && !directory_.has_running_configuration();
                if (is_final(status) || no_start) {
                    hopeless = daemon;
                    code = WEXITSTATUS(status);
                }
            }
        }
        for (const Death& death : deaths) {
            if (death.daemon == hopeless)
                LOG(error, "supervisor", "{}: it cannot run, giving up", death.text);
            else if (code)
                LOG(warning, "supervisor", "{}", death.text);
            else
                LOG(warning, "supervisor", "{}: starting it again in {} ms", death.text,
                    death.again.count());
        }
        return code;
    }

    /// The agent first, so that its last packet-outs still leave; then the dataplane.
    void stop_both(int signals) {
        for (Daemon* daemon : both()) stop(*daemon, signals);
    }
    void stop(Daemon& daemon, int signals) {
        daemon.signal(SIGTERM);
        const auto patience = Clock::now() + kStopPatience;
        while (daemon.running()) {
            int status = 0;
            if (::waitpid(daemon.pid(), &status, WNOHANG) == daemon.pid()) return;
            if (Clock::now() >= patience) {
                LOG(warning, "supervisor", "{} does not stop: killing it", daemon.name());
                daemon.signal(SIGKILL);
                ::waitpid(daemon.pid(), &status, 0);
                return;
            }
            static_cast<void>(
                wait_signal_until(signals, Clock::now() + std::chrono::milliseconds(20)));
        }
    }

    const RunDirectory& directory_;
    Daemon dataplane_;
    Daemon agent_;
    std::vector<std::string> agent_first_;
    std::vector<std::string> agent_again_;
    LogTarget log_;
};

/// What a dataplane leaves that was killed at its end.
void clear_taps(const std::string& rundir) {
    const auto strays = remove_stray_taps(rundir);
    if (!strays)
        LOG(warning, "supervisor", "taps may be left, \"ip link\" shows those of \"raicho {}\": {}",
            rundir, strays.error().text);
    for (const StrayTap& stray : strays.value_or(std::vector<StrayTap>())) {
        if (stray.removed)
            LOG(info, "supervisor", "removed {}, which the dataplane left", stray.name);
        else
            LOG(error, "supervisor", "{} is left (remove it: ip link delete {}): {}", stray.name,
                stray.name, stray.removed.error().text);
    }
}

int run_switch(const Options& options) {
    const auto refuse = [&options](const Error& error, int code) {
        print_error(error, options.log_file);
        return code;
    };
    if (options.config_file.empty()) {
        print_error({"no configuration file given", "raicho run -C FILE; conf/ has examples"}, "");
        return 2;
    }
    const std::optional<Account> account = agent_account();
    if (auto log = open_switch_log(options, account); !log) {
        print_error(log.error(), "");
        return EXIT_FAILURE;
    }
    if (::access(options.config_file.c_str(), R_OK) != 0)
        return refuse(
            fail_errno(format("configuration \"{}\"", options.config_file), errno).error(), 2);
    auto directory = RunDirectory::open(options.rundir, account);
    if (!directory) return refuse(directory.error(), EXIT_FAILURE);
    sigset_t watched;
    ::sigemptyset(&watched);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) ::sigaddset(&watched, number);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    const Fd signals(::signalfd(-1, &watched, SFD_CLOEXEC));
    const auto pid_file = PidFile::write(options.pid_file);
    if (!pid_file) {
        if (!directory->has_running_configuration()) directory->remove();
        return refuse(pid_file.error(), EXIT_FAILURE);
    }
    // In one piece: a site of the log has ten lines a second.
    if (!options.remarks.empty())
        LOG(warning, "supervisor", "command line:\n{}", fmt::join(options.remarks, "\n"));
    const int code = Supervisor(options, *directory, account).run(signals.get());
    // A switch that ended by a fault keeps what the next start adopts.
    if (code == EXIT_SUCCESS || !directory->has_running_configuration()) {
        if (directory->is_ours()) clear_taps(options.rundir);
        directory->remove();
    }
    return code;
}

}  // namespace
}  // namespace raicho::supervisor

int main(int argc, char** argv) {
    using namespace raicho;
    using namespace raicho::supervisor;
    const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc - 1));
    const auto options = parse_options(arguments, std::getenv("RAICHO_RUNDIR"));
    if (!options) {
        print_error(options.error(), "");
        return 2;
    }
    switch (options->command) {
        case Command::help: std::fputs(usage_text().c_str(), stdout); return 0;
        case Command::version: std::puts("raicho " RAICHO_VERSION); return 0;
        case Command::run: return run_switch(*options);
    }
    return 2;
}
