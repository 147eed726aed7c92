// SPDX-License-Identifier: Apache-2.0
// Single keys from the terminal, without echo and without Enter; and the size of the screen.
#pragma once

#include <termios.h>

#include <chrono>
#include <cstddef>
#include <optional>

namespace raicho::shell {

inline constexpr char kKeyInterrupt = 3;  // ^C
inline constexpr char kKeyEndOfFile = 4;  // ^D

/// Takes single keys while it lives; does nothing where standard input is no terminal. After ^Z and
/// `fg` the terminal is set up once more.
class RawKeys {
  public:
    RawKeys();
    ~RawKeys();
    RawKeys(const RawKeys&) = delete;
    RawKeys& operator=(const RawKeys&) = delete;

    /// The next key within `patience`; kKeyInterrupt after ^C, kKeyEndOfFile when input has ended.
    /// Nothing when the time is over, or when the process was stopped and continued: what was drawn
    /// is gone.
    [[nodiscard]] std::optional<char> wait(std::chrono::milliseconds patience);

  private:
    void set_up();

    termios before_{};
    bool changed_ = false;
    unsigned n_stops_ = 0;  // seen
};

/// Bytes of input that nobody has read yet.
[[nodiscard]] std::size_t n_keys_waiting();

struct ScreenSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
};
/// Of the terminal on standard output, 24 by 80 when it does not say.
[[nodiscard]] ScreenSize screen_size();

}  // namespace raicho::shell
