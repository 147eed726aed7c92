// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>

namespace raicho {

namespace {

constexpr std::uint32_t kLinesPerSecond = 10;

/// The one mutable global of the house: a process has one log.
std::shared_ptr<spdlog::logger> g_logger;
std::mutex g_mutex;
std::atomic<LogLevel> g_level{LogLevel::info};

std::shared_ptr<spdlog::logger> logger() {
    const std::lock_guard lock(g_mutex);
    if (!g_logger)
        g_logger = std::make_shared<spdlog::logger>(
            "raicho", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    return g_logger;
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
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto second = static_cast<std::uint64_t>(now.tv_sec) + 1;
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
    logger()->log(spd(level), "{}: {}", area, line);
}

}  // namespace detail

}  // namespace raicho
