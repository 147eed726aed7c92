// SPDX-License-Identifier: Apache-2.0
// A clock that the test moves.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "agent/config/clock.h"

namespace raicho::agent::config {

class FakeClock final : public Clock {
  public:
    static constexpr std::uint64_t kSecond = 1'000'000'000;

    Deadline time{1'700'000'000'000'000'000, 5 * kSecond, "boot-1"};

    Deadline now() const override { return time; }
    void set_alarm(std::uint64_t ns, std::function<void()> ring) override {
        due_ = time.boot_ns + ns;
        ring_ = std::move(ring);
    }
    void cancel_alarm() override { ring_ = nullptr; }

    /// Lets time pass and alarms ring when they are due.
    void pass(std::uint64_t seconds) {
        const std::uint64_t end = time.boot_ns + seconds * kSecond;
        while (ring_ && due_ <= end) {
            go_to(std::max(due_, time.boot_ns));
            std::exchange(ring_, nullptr)();
        }
        go_to(end);
    }
    [[nodiscard]] bool alarm_is_set() const { return ring_ != nullptr; }

  private:
    void go_to(std::uint64_t boot_ns) {
        time.wall_ns += static_cast<std::int64_t>(boot_ns - time.boot_ns);
        time.boot_ns = boot_ns;
    }
    std::uint64_t due_ = 0;
    std::function<void()> ring_;
};

}  // namespace raicho::agent::config
