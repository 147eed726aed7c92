// SPDX-License-Identifier: Apache-2.0
#include "shell/pager.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "shell/columns.h"
#include "shell/interrupt.h"
#include "shell/keys.h"

namespace raicho::shell {

Want Pager::line(std::string_view text) {
    if (stopped_ || interrupt_requested()) return Want::no_more;
    const ScreenSize screen = screen_size();
    const std::size_t width = shown_width(text);
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
    constexpr std::string_view kAnswers = " \r\nqQf\x03\x04";
    constexpr std::chrono::hours kLong{1};
    // What follows in a paste are commands, not answers.
    constexpr std::size_t kPaste = 8;
    if (n_keys_waiting() > kPaste) {
        used_ = 0;
        return Want::more;
    }
    char key = 0;
    {
        RawKeys keys;
        do {  // shown once more after ^Z and `fg`
            std::fputs("\r--More--", stdout);
            std::fflush(stdout);
            key = keys.wait(kLong).value_or('\0');
        } while (key == '\0' || kAnswers.find(key) == std::string_view::npos);
    }
    std::fputs("\r        \r", stdout);
    stopped_ = key == 'q' || key == 'Q' || key == kKeyInterrupt || key == kKeyEndOfFile;
    one_line_ = key == '\r' || key == '\n';
    used_ = 0;
    return stopped_ ? Want::no_more : Want::more;
}

void Pager::end() {
    std::fflush(stdout);
}

}  // namespace raicho::shell
