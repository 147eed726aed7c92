// SPDX-License-Identifier: Apache-2.0
#include "shell/keys.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "shell/interrupt.h"

namespace raicho::shell {

RawKeys::RawKeys() : n_stops_(n_continued()) {
    if (::tcgetattr(STDIN_FILENO, &before_) == 0) set_up();
}

RawKeys::~RawKeys() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void RawKeys::set_up() {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    changed_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

std::optional<char> RawKeys::wait(std::chrono::milliseconds patience) {
    using Clock = std::chrono::steady_clock;
    // A signal that comes between the test and poll() is noticed within one slice.
    constexpr std::chrono::milliseconds kSlice{200};
    const auto until = Clock::now() + patience;
    while (true) {
        if (interrupt_requested()) return kKeyInterrupt;
        if (const unsigned stops = n_continued(); stops != n_stops_) {
            n_stops_ = stops;
            if (changed_) set_up();
            return std::nullopt;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        if (left <= std::chrono::milliseconds(0)) return std::nullopt;
        pollfd input{changed_ ? STDIN_FILENO : -1, POLLIN, 0};
        const int ready = ::poll(&input, 1, static_cast<int>(std::min(left, kSlice).count()));
        if (ready <= 0) continue;
        char key = 0;
        return ::read(STDIN_FILENO, &key, 1) == 1 ? key : kKeyEndOfFile;
    }
}

std::size_t n_keys_waiting() {
    int waiting = 0;
    if (::ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting < 0) return 0;
    return static_cast<std::size_t>(waiting);
}

ScreenSize screen_size() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || size.ws_col == 0)
        return {};
    return {size.ws_row, size.ws_col};
}

}  // namespace raicho::shell
