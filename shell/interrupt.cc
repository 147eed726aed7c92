// SPDX-License-Identifier: Apache-2.0
#include "shell/interrupt.h"

#include <csignal>

namespace raicho::shell {

namespace {
// A signal handler reaches nothing else: the one mutable global of the shell.
volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) {
    interrupted = 1;
}
}  // namespace

void install_signal_handlers() {
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
}

bool interrupt_requested() {
    return interrupted != 0;
}

void clear_interrupt() {
    interrupted = 0;
}

}  // namespace raicho::shell
