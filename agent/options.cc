// SPDX-License-Identifier: Apache-2.0
#include "agent/options.h"

#include <getopt.h>

#include <array>
#include <cstdlib>

#include "base/text.h"

namespace raicho::agent {

namespace {

constexpr int kUsage = 2;

constexpr const char* kHelp =
    "usage: raicho-agent [--rundir DIR] [--config FILE] [--log-level LEVEL] [--log-file FILE]\n"
    "\n"
    "The OpenFlow agent of the switch in DIR: speaks to controllers, keeps the flow tables that\n"
    "raicho-dataplane forwards by. `raicho run -C FILE` starts both.\n"
    "\n"
    "  --rundir DIR       default $RAICHO_RUNDIR, else /run/raicho\n"
    "  --config FILE      for the first start; a restart goes on with DIR/running.conf\n"
    "  --log-level LEVEL  debug, info, warning, error; default what the configuration says, info\n"
    "  --log-file FILE    default what the configuration says, standard error\n"
    "  --version, --help\n";

std::string default_rundir() {
    const char* set = std::getenv("RAICHO_RUNDIR");
    return set != nullptr && *set != '\0' ? set : "/run/raicho";
}

}  // namespace

std::variant<Options, Exit> parse_options(int argc, char** argv) {
    enum : int { rundir = 1, config, level, file, version, help };
    constexpr std::array<option, 7> kOptions{{{"rundir", required_argument, nullptr, rundir},
                                              {"config", required_argument, nullptr, config},
                                              {"log-level", required_argument, nullptr, level},
                                              {"log-file", required_argument, nullptr, file},
                                              {"version", no_argument, nullptr, version},
                                              {"help", no_argument, nullptr, help},
                                              {nullptr, 0, nullptr, 0}}};
    const auto usage = [](std::string_view what) {
        return Exit{kUsage, format("raicho-agent: {}\n{}", what, kHelp)};
    };
    Options options{.rundir = default_rundir()};
    opterr = 0;
    for (;;) {
        switch (::getopt_long(argc, argv, ":hC:", kOptions.data(), nullptr)) {
            case -1:
                if (optind == argc) return options;
                return usage(format("unexpected \"{}\"", argv[optind]));
            case rundir: options.rundir = optarg; break;
            case 'C':
            case config: options.config = optarg; break;
            case level:
                options.log_level = log_level_by_name(optarg);
                if (options.log_level) break;
                return usage(
                    format("log level \"{}\": not one of debug, info, warning, error", optarg));
            case file: options.log_file = optarg; break;
            case version: return Exit{0, "raicho-agent " RAICHO_VERSION "\n"};
            case 'h':
            case help: return Exit{0, kHelp};
            case ':': return usage(format("{} needs a value", argv[optind - 1]));
            default: return usage(format("unknown option {}", argv[optind - 1]));
        }
    }
}

}  // namespace raicho::agent
