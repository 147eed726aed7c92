// SPDX-License-Identifier: Apache-2.0
#include "supervisor/options.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "supervisor/ancestor.h"

namespace raicho::supervisor {

namespace {

constexpr std::string_view kDefaultRundir = "/run/raicho";

std::string absolute(std::string_view path) {
    std::error_code ignored;
    return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

/// One option that takes a value; `short_name` may be empty.
struct ValueOption {
    std::string_view name;
    std::string_view short_name;
    std::string Options::* target;
    bool is_path;
};

constexpr std::array kValueOptions{
    ValueOption{"--config", "-C", &Options::config_file, true},
    ValueOption{"--rundir", "", &Options::rundir, true},
    ValueOption{"--log-level", "", &Options::log_level, false},
    ValueOption{"--log-file", "-l", &Options::log_file, true},
    ValueOption{"--logfile", "", &Options::log_file, true},
    ValueOption{"--pid-file", "-p", &Options::pid_file, true},
    ValueOption{"--pidfile", "", &Options::pid_file, true},
};

std::unexpected<Error> unknown_option(std::string_view word) {
    std::vector<std::string_view> known{"--debug", "--version", "--help"};
    for (const ValueOption& o : kValueOptions) known.push_back(o.name);
    const auto near = did_you_mean(word, known);
    return fail(format("unknown option \"{}\"", word),
                near ? format("did you mean {}?", *near) : "see raicho --help");
}

}  // namespace

std::string usage_text() {
    return "usage: raicho run -C FILE [--rundir DIR] [--log-level debug|info|warning|error]\n"
           "                  [-l LOG] [-p PIDFILE] [-d] [-- DPDK options [-- dataplane options]]\n"
           "       raicho --version\n"
           "\n"
           "Starts the switch described by FILE in the foreground: raicho-dataplane and\n"
           "raicho-agent, each started again when it dies. Ctrl-C or SIGTERM stops both and\n"
           "leaves nothing behind; SIGHUP makes them reopen their logs.\n"
           "\n"
           "  -C, --config FILE   the configuration (conf/ has examples); a FILE.dsl is taken as\n"
           "                      commands of Lagopus\n"
           "      --rundir DIR    run directory of this switch (default $RAICHO_RUNDIR, else\n"
           "                      /run/raicho); two switches need two\n"
           "      --log-level L   how much the daemons say (default info)\n"
           "  -d, --debug         the same as --log-level debug\n"
           "  -l, --log-file LOG  where they say it (default standard error)\n"
           "  -p, --pid-file F    a file for the process id beside RUNDIR/raicho.pid\n"
           "\n"
           "What Lagopus took behind -- has no effect: the log says what to write instead.\n";
}

Result<Options> parse_options(std::span<char* const> arguments, const char* env_rundir) {
    Options options;
    options.rundir =
        absolute(env_rundir != nullptr && *env_rundir != '\0' ? std::string_view(env_rundir)
                                                              : kDefaultRundir);
    bool run = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        if (word == "--help" || word == "-h" || word == "help") {
            options.command = Command::help;
            return options;
        }
        if (word == "--version" || word == "-v") {
            options.command = Command::version;
            return options;
        }
        if (word == "run" && !run) {
            run = true;
            continue;
        }
        if (word == "-d" || word == "--debug") {
            options.log_level = "debug";
            continue;
        }
        if (word == "--" && run) {
            TRY_ASSIGN(options.remarks, read_ancestor_options(arguments.subspan(i + 1)));
            break;
        }
        const ValueOption* found = nullptr;
        std::optional<std::string_view> value;
        for (const ValueOption& o : kValueOptions) {
            if (word == o.name || (!o.short_name.empty() && word == o.short_name)) {
                found = &o;
            } else if (word.starts_with(o.name) && word.substr(o.name.size()).starts_with('=')) {
                found = &o;
                value = word.substr(o.name.size() + 1);
            }
        }
        if (found == nullptr) {
            if (word.starts_with('-')) return unknown_option(word);
            return fail(format("unknown command \"{}\"", word),
                        "the command is: raicho run -C FILE");
        }
        if (!value) {
            if (i + 1 == arguments.size())
                return fail(format("option {} needs a value", word), "see raicho --help");
            value = arguments[++i];
        }
        options.*(found->target) = found->is_path ? absolute(*value) : std::string(*value);
    }
    if (!run) {
        if (!arguments.empty())
            return fail("no command given", "the command is: raicho run -C FILE");
        return options;
    }
    options.command = Command::run;
    return options;
}

}  // namespace raicho::supervisor
