// SPDX-License-Identifier: Apache-2.0
// Time for commits that wait to be confirmed: a deadline that stays true through a restart of the
// agent, a suspended or rebooted machine and a wall clock that is set. Tests give a fake clock.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace raicho::agent::config {

inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// A moment in the words of both clocks, and the boot in which the second one counts.
struct Deadline {
    std::int64_t wall_ns = 0;   // CLOCK_REALTIME
    std::uint64_t boot_ns = 0;  // CLOCK_BOOTTIME
    std::string boot_id;
    friend bool operator==(const Deadline&, const Deadline&) = default;
};

class Clock {
  public:
    virtual ~Clock() = default;

    [[nodiscard]] virtual Deadline now() const = 0;
    /// Calls `ring` once on the loop after `ns` nanoseconds or a little later; replaces an alarm
    /// that was set before.
    virtual void set_alarm(std::uint64_t ns, std::function<void()> ring) = 0;
    virtual void cancel_alarm() = 0;
};

/// `now` and so many seconds.
[[nodiscard]] Deadline after(const Deadline& now, std::uint64_t seconds);
/// Nanoseconds from now to the deadline, 0 when it has passed. Within one boot the wall clock does
/// not count.
[[nodiscard]] std::uint64_t time_left(const Deadline& deadline, const Deadline& now);

/// The clocks of the machine; `boot_id` as machine_boot_id() gave it.
[[nodiscard]] Deadline machine_now(std::string boot_id);
[[nodiscard]] std::string machine_boot_id();

}  // namespace raicho::agent::config
