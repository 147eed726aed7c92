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
#include <vector>

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

[[nodiscard]] std::string_view log_level_name(LogLevel level);

/// A line of the log that this process still remembers.
struct LogLine {
    std::uint64_t number = 0;   // from 1, by one
    std::uint64_t time_ms = 0;  // since 1970
    LogLevel level{};
    std::string area{};
    std::string text{};
};
struct KeptLog {
    std::vector<LogLine> lines{};  // oldest first
    std::uint64_t last = 0;        // number of the last line written
    std::uint64_t lost = 0;        // lines after `after` that are not remembered any more
};
/// So many lines are remembered.
inline constexpr std::size_t kKeptLogLines = 2000;
/// Lines behind number `after` of `level` and above, the last `limit` of them.
[[nodiscard]] KeptLog kept_log(std::uint64_t after, LogLevel level, std::size_t limit);

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
