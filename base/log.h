// SPDX-License-Identifier: Apache-2.0
// The log of a daemon: `area: sentence key=value`. error = act now, warning = degraded,
// info = state changed, debug = per message. Never secrets or payloads. Each LOG site is limited
// to ten lines a second; what was left out is counted in the next line.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace raicho {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

[[nodiscard]] std::optional<LogLevel> log_level_by_name(std::string_view name);

/// Where the log goes. An empty file means standard error.
struct LogTarget {
    std::string program;
    std::string file{};
    LogLevel level = LogLevel::info;
};

/// Starts or redirects the process's log; call again with the same target to reopen the file.
[[nodiscard]] Result<void> open_log(const LogTarget& target);

namespace detail {
/// Rate limit of one LOG site; thread-safe.
class LogSite {
  public:
    /// Whether this call may be written; `suppressed` lines were left out before it.
    [[nodiscard]] bool admit(std::uint64_t& suppressed);

  private:
    std::atomic<std::uint64_t> window_{0};
    std::atomic<std::uint32_t> in_window_{0};
    std::atomic<std::uint64_t> suppressed_{0};
};
[[nodiscard]] bool log_enabled(LogLevel level);
void log_write(LogLevel level, std::string_view area, std::string line, std::uint64_t suppressed);
}  // namespace detail

}  // namespace raicho

/// LOG(info, "channel", "controller connected peer={}", peer)
#define LOG(level_, area_, ...)                                                           \
    do {                                                                                  \
        if (::raicho::detail::log_enabled(::raicho::LogLevel::level_)) {                  \
            static ::raicho::detail::LogSite log_site_;                                   \
            std::uint64_t log_suppressed_ = 0;                                            \
            if (log_site_.admit(log_suppressed_))                                         \
                ::raicho::detail::log_write(::raicho::LogLevel::level_, area_,            \
                                            ::fmt::format(__VA_ARGS__), log_suppressed_); \
        }                                                                                 \
    } while (false)
