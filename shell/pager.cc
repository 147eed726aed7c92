// SPDX-License-Identifier: Apache-2.0
#include "shell/pager.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "shell/columns.h"
#include "shell/interrupt.h"

namespace raicho::shell {

namespace {

struct ScreenSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
};

ScreenSize screen_size() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || size.ws_col == 0)
        return {};
    return {size.ws_row, size.ws_col};
}

/// The text without colour escapes, as it takes room on the screen.
std::string without_escapes(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\033') {
            while (i < text.size() && text[i] != 'm') ++i;
            continue;
        }
        out += text[i];
    }
    return out;
}

/// Takes single keys without echo while it lives.
class RawKeys {
  public:
    RawKeys() {
        if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        changed_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    }
    ~RawKeys() {
        if (changed_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    RawKeys(const RawKeys&) = delete;
    RawKeys& operator=(const RawKeys&) = delete;

    /// 'q' when there is no key to be had (^C, end of file).
    [[nodiscard]] char key() const {
        char c = 'q';
        return ::read(STDIN_FILENO, &c, 1) == 1 ? c : 'q';
    }

  private:
    termios before_{};
    bool changed_ = false;
};

}  // namespace

Want Pager::line(std::string_view text) {
    if (stopped_ || interrupt_requested()) return Want::no_more;
    const ScreenSize screen = screen_size();
    const std::size_t width = text_width(without_escapes(text));
    const std::size_t rows =
        std::max<std::size_t>(1, (width + screen.columns - 1) / screen.columns);
    if (used_ != 0 && (one_line_ || used_ + rows > screen.rows - 1))
        if (ask() == Want::no_more) return Want::no_more;
    used_ += rows;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    return Want::more;
}

Want Pager::ask() {
    std::fputs("--More--", stdout);
    std::fflush(stdout);
    char key = ' ';
    {
        const RawKeys keys;
        do key = keys.key();
        while (key != ' ' && key != '\r' && key != '\n' && key != 'q' && key != 'Q' && key != 3 &&
               key != 4 && key != 'f');
    }
    std::fputs("\r        \r", stdout);
    stopped_ = key == 'q' || key == 'Q' || key == 3 || key == 4;
    one_line_ = key == '\r' || key == '\n';
    used_ = 0;
    return stopped_ ? Want::no_more : Want::more;
}

void Pager::end() {
    std::fflush(stdout);
}

}  // namespace raicho::shell
