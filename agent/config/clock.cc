// SPDX-License-Identifier: Apache-2.0
#include "agent/config/clock.h"

#include <ctime>
#include <fstream>
#include <utility>

namespace raicho::agent::config {

namespace {

std::int64_t read_clock(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return now.tv_sec * kNanosecondsPerSecond + now.tv_nsec;
}

}  // namespace

Deadline after(const Deadline& now, std::uint64_t seconds) {
    const auto ns = static_cast<std::int64_t>(seconds) * kNanosecondsPerSecond;
    return {now.wall_ns + ns, now.boot_ns + static_cast<std::uint64_t>(ns), now.boot_id};
}

std::uint64_t time_left(const Deadline& deadline, const Deadline& now) {
    if (deadline.boot_id == now.boot_id)
        return deadline.boot_ns > now.boot_ns ? deadline.boot_ns - now.boot_ns : 0;
    return deadline.wall_ns > now.wall_ns
               ? static_cast<std::uint64_t>(deadline.wall_ns - now.wall_ns)
               : 0;
}

Deadline machine_now(std::string boot_id) {
    return {read_clock(CLOCK_REALTIME), static_cast<std::uint64_t>(read_clock(CLOCK_BOOTTIME)),
            std::move(boot_id)};
}

std::string machine_boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

}  // namespace raicho::agent::config
