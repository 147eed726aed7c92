// SPDX-License-Identifier: Apache-2.0
#include "agent/restart.h"

#include <linux/close_range.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/log.h"

namespace raicho::agent {

void restart_process(const Options& options) {
    std::vector<std::string> words{"raicho-agent", "--rundir", options.rundir};
    if (!options.config.empty() && !std::filesystem::exists(options.rundir + "/running.conf"))
        words.insert(words.end(), {"--config", options.config});
    if (options.log_level)
        words.insert(words.end(), {"--log-level", std::string(log_level_name(*options.log_level))});
    if (!options.log_file.empty()) words.insert(words.end(), {"--log-file", options.log_file});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    // Locks, sockets and mappings of this run end with the exec.
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execv("/proc/self/exe", argv.data());
    LOG(error, "agent", "cannot start anew: {}", std::strerror(errno));
}

}  // namespace raicho::agent
