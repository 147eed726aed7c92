// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>

#include "base/clock.h"

namespace raicho {

namespace {

constexpr std::uint32_t kLinesPerSecond = 10;

/// The one mutable global of the house: a process has one log.
std::shared_ptr<spdlog::logger> g_logger;
std::mutex g_mutex;
std::deque<LogLine> g_kept;  // the last lines
std::uint64_t g_last = 0;    // number of the last line
std::atomic<LogLevel> g_level{LogLevel::info};

std::shared_ptr<spdlog::logger> logger() {
    const std::lock_guard lock(g_mutex);
    if (!g_logger)
        g_logger = std::make_shared<spdlog::logger>(
            "raicho", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    return g_logger;
}

void keep(LogLevel level, std::string_view area, const std::string& text) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    const std::lock_guard lock(g_mutex);
    if (g_kept.size() == kKeptLogLines) g_kept.pop_front();
    g_kept.push_back({++g_last, static_cast<std::uint64_t>(ms), level, std::string(area), text});
}

spdlog::level::level_enum spd(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warning: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

}  // namespace

std::optional<LogLevel> log_level_by_name(std::string_view name) {
    if (name == "debug") return LogLevel::debug;
    if (name == "info") return LogLevel::info;
    if (name == "warning") return LogLevel::warning;
    if (name == "error") return LogLevel::error;
    return std::nullopt;
}

std::string_view log_level_name(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warning: return "warning";
        case LogLevel::error: return "error";
    }
    return "unknown";
}

KeptLog kept_log(std::uint64_t after, LogLevel level, std::size_t limit) {
    const std::lock_guard lock(g_mutex);
    KeptLog found{{}, g_last, 0};
    for (auto line = g_kept.rbegin(); line != g_kept.rend() && line->number > after; ++line)
        if (line->level >= level && found.lines.size() < limit) found.lines.push_back(*line);
    std::ranges::reverse(found.lines);
    const std::uint64_t oldest = g_kept.empty() ? 1 : g_kept.front().number;
    if (after != 0 && after + 1 < oldest) found.lost = oldest - after - 1;
    return found;
}

Result<void> open_log(const LogTarget& target) {
    std::shared_ptr<spdlog::logger> made;
    if (target.file.empty()) {
        made = std::make_shared<spdlog::logger>(
            target.program, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    } else {
        // spdlog is built without exceptions here: it would abort, so try the file first.
        std::FILE* const probe = std::fopen(target.file.c_str(), "a");
        if (probe == nullptr) return fail_errno(fmt::format("log file \"{}\"", target.file), errno);
        std::fclose(probe);
        made = std::make_shared<spdlog::logger>(
            target.program, std::make_shared<spdlog::sinks::basic_file_sink_mt>(target.file));
    }
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %n %l %v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::info);
    const std::lock_guard lock(g_mutex);
    g_logger = std::move(made);
    g_level.store(target.level, std::memory_order_relaxed);
    return {};
}

namespace detail {

bool LogSite::admit(std::uint64_t& suppressed) {
    const std::uint64_t second = monotonic_ns() / 1'000'000'000 + 1;
    std::uint64_t window = window_.load(std::memory_order_relaxed);
    if (window != second &&
        window_.compare_exchange_strong(window, second, std::memory_order_relaxed))
        in_window_.store(0, std::memory_order_relaxed);
    if (in_window_.fetch_add(1, std::memory_order_relaxed) >= kLinesPerSecond) {
        suppressed_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    suppressed = suppressed_.exchange(0, std::memory_order_relaxed);
    return true;
}

bool log_enabled(LogLevel level) {
    return level >= g_level.load(std::memory_order_relaxed);
}

void log_write(LogLevel level, std::string_view area, std::string line, std::uint64_t suppressed) {
    if (suppressed > 0) line += fmt::format(" ({} like this left out)", suppressed);
    keep(level, area, line);
    logger()->log(spd(level), "{}: {}", area, line);
}

}  // namespace detail

}  // namespace raicho
