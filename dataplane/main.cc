// SPDX-License-Identifier: Apache-2.0
// raicho-dataplane: forwards packets by the tables in the arena of a run directory. It needs no
// configuration of its own: everything is in the arena, which the agent makes.
#include <fmt/format.h>
#include <getopt.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/log.h"
#include "dataplane/io/dataplane.h"

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

constexpr const char* kHelp =
    "usage: raicho-dataplane [--rundir DIR] [--log-level debug|info|warning|error]\n"
    "                        [--log-file FILE]\n"
    "\n"
    "Forwards packets by the flow tables that raicho-agent keeps in DIR, and goes on when the\n"
    "agent dies. `raicho run -C FILE` starts both.\n"
    "\n"
    "  --rundir DIR       default $RAICHO_RUNDIR, else /run/raicho\n"
    "  --log-level LEVEL  default: the agent's, info until it is known\n"
    "  --log-file FILE    default standard error\n"
    "  --version, --help\n";

struct Options {
    std::string rundir;
    std::optional<raicho::LogLevel> level;
    std::string log_file{};
};

std::string default_rundir() {
    const char* set = std::getenv("RAICHO_RUNDIR");
    return set != nullptr && *set != '\0' ? set : "/run/raicho";
}

/// The options, or the exit code when there is nothing to run.
std::optional<Options> parse(int argc, char** argv, int& exit_code) {
    enum : int { rundir = 1, level, file, version, help };
    constexpr std::array<option, 6> kOptions{{{"rundir", required_argument, nullptr, rundir},
                                              {"log-level", required_argument, nullptr, level},
                                              {"log-file", required_argument, nullptr, file},
                                              {"version", no_argument, nullptr, version},
                                              {"help", no_argument, nullptr, help},
                                              {nullptr, 0, nullptr, 0}}};
    Options options{.rundir = default_rundir()};
    exit_code = 0;
    for (;;) {
        switch (::getopt_long(argc, argv, "h", kOptions.data(), nullptr)) {
            case -1:
                if (optind == argc) return options;
                fmt::print(stderr, "raicho-dataplane: unexpected \"{}\"\n{}", argv[optind], kHelp);
                exit_code = kUsage;
                return std::nullopt;
            case rundir: options.rundir = optarg; break;
            case file: options.log_file = optarg; break;
            case level:
                if (const auto named = raicho::log_level_by_name(optarg)) {
                    options.level = *named;
                    break;
                }
                fmt::print(stderr,
                           "raicho-dataplane: log level \"{}\": not one of debug, info, warning, "
                           "error\n",
                           optarg);
                exit_code = kUsage;
                return std::nullopt;
            case version: fmt::print("raicho-dataplane {}\n", RAICHO_VERSION); return std::nullopt;
            case 'h':
            case help: fmt::print("{}", kHelp); return std::nullopt;
            default:
                fmt::print(stderr, "{}", kHelp);
                exit_code = kUsage;
                return std::nullopt;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    int exit_code = 0;
    const auto options = parse(argc, argv, exit_code);
    if (!options) return exit_code;
    const raicho::LogTarget log{.program = "raicho-dataplane",
                                .file = options->log_file,
                                .level = options->level.value_or(raicho::LogLevel::info)};
    if (const auto opened = raicho::open_log(log); !opened) {
        fmt::print(stderr, "raicho-dataplane: {}\n", opened.error().text);
        return kFailed;
    }
    if (::mkdir(options->rundir.c_str(), 0755) != 0 && errno != EEXIST) {
        LOG(error, "dataplane", "{}",
            raicho::fail_errno("make " + options->rundir, errno).error().text);
        return kFailed;
    }
    using raicho::io::FollowLevel;
    const auto ended = raicho::io::run_dataplane(
        options->rundir, log, options->level ? FollowLevel::no : FollowLevel::yes);
    if (!ended) {
        LOG(error, "dataplane", "{}{}{}", ended.error().text,
            ended.error().hint.empty() ? "" : "; ", ended.error().hint);
        return kFailed;
    }
    if (*ended != raicho::io::Ended::stopped) {
        LOG(info, "dataplane", "{}: starting anew",
            *ended == raicho::io::Ended::superseded ? "a new arena took the place of this one"
                                                    : "others took the huge pages meanwhile");
        // DPDK leaves files open when it cannot start, a lock on the mount of huge pages among
        // them.
        ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
        ::execv("/proc/self/exe", argv);
        LOG(error, "dataplane", "{}", raicho::fail_errno("start anew", errno).error().text);
        return kFailed;
    }
    LOG(info, "dataplane", "stopped");
    return 0;
}
