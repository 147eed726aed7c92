// SPDX-License-Identifier: Apache-2.0
#include "supervisor/daemon.h"

#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace raicho::supervisor {

namespace {

constexpr auto kQuick = std::chrono::seconds(1);
constexpr int kCannotExecute = 127;

/// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const DaemonSpec& spec, char* const* argv, pid_t parent) {
    if (spec.account) {
        const gid_t gid = spec.account->gid;
        if (::setgroups(1, &gid) != 0 || ::setgid(gid) != 0 || ::setuid(spec.account->uid) != 0)
            ::_exit(kCannotExecute);
    }
    // After the change of user, which clears it; the parent may have died before.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(kCannotExecute);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::umask(0007);
    ::execv(spec.program.c_str(), argv);
    ::_exit(kCannotExecute);
}

}  // namespace

std::string status_text(int status) {
    if (WIFSIGNALED(status))
        return format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == kCannotExecute) return "could not be executed";
    return format("exited with {}", WEXITSTATUS(status));
}

bool is_final(int wait_status) {
    if (!WIFEXITED(wait_status)) return false;
    const int code = WEXITSTATUS(wait_status);
    return code == 2 || code == kCannotExecute;
}

bool failed(int wait_status) {
    return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != 0;
}

std::chrono::milliseconds restart_delay(unsigned quick_deaths) {
    // The first death is answered at once; a daemon that dies while starting waits longer.
    if (quick_deaths == 0) return std::chrono::milliseconds(0);
    return std::chrono::milliseconds(std::min(100u << std::min(quick_deaths - 1, 5u), 2000u));
}

Result<void> Daemon::start(Clock::time_point now) {
    std::vector<char*> argv;
    argv.push_back(spec_.name.data());
    for (std::string& argument : spec_.arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return fail_errno(format("start of {}", spec_.name), errno);
    if (child == 0) become(spec_, argv.data(), parent);
    pid_ = child;
    started_ = now;
    due_.reset();
    return {};
}

std::chrono::milliseconds Daemon::died(int wait_status, Clock::time_point now) {
    // Only a daemon that dies of itself while starting is in a loop; a kill comes from outside.
    const bool killed = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
    quick_deaths_ = now - started_ < kQuick && !killed ? quick_deaths_ + 1 : 0;
    const auto delay = restart_delay(quick_deaths_);
    pid_ = -1;
    due_ = now + delay;
    return delay;
}

void Daemon::signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
}

}  // namespace raicho::supervisor
