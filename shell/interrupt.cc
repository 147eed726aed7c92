// SPDX-License-Identifier: Apache-2.0
#include "shell/interrupt.h"

#include <csignal>

namespace raicho::shell {

namespace {
// A signal handler reaches nothing else: the mutable globals of the shell.
volatile std::sig_atomic_t interrupt_came = 0;
volatile std::sig_atomic_t continued = 0;
volatile std::sig_atomic_t resized = 0;

extern "C" void on_interrupt(int) {
    interrupt_came = 1;
}
extern "C" void on_continue(int) {
    continued = continued + 1;
}
extern "C" void on_resize(int) {
    resized = resized + 1;
}
}  // namespace

void install_signal_handlers() {
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    // Only poll() is to notice these two, no half-written line.
    action.sa_flags = SA_RESTART;
    action.sa_handler = on_continue;
    ::sigaction(SIGCONT, &action, nullptr);
    action.sa_handler = on_resize;
    ::sigaction(SIGWINCH, &action, nullptr);
    action.sa_flags = 0;
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
}

bool interrupt_requested() {
    return interrupt_came != 0;
}

void clear_interrupt() {
    interrupt_came = 0;
}

unsigned n_continued() {
    return static_cast<unsigned>(continued);
}

unsigned n_resized() {
    return static_cast<unsigned>(resized);
}

}  // namespace raicho::shell
