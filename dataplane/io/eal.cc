// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/eal.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/log.h"
#include "base/text.h"
#include "dataplane/io/driver_library.h"

namespace raicho::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "raicho";

/// What DPDK says at a level that matters, one line at a time.
class LogBridge {
  public:
    static ssize_t write(void*, const char* data, std::size_t size) {
        thread_local std::string line;
        for (const char c : std::string_view(data, size)) {
            if (c != '\n') {
                line += c;
                continue;
            }
            if (!line.empty()) say(rte_log_cur_msg_loglevel(), line);
            line.clear();
        }
        return static_cast<ssize_t>(size);
    }

  private:
    static void say(int level, std::string_view line) {
        if (level > 0 && level <= static_cast<int>(RTE_LOG_ERR))
            LOG(error, "dpdk", "{}", line);
        else if (level == static_cast<int>(RTE_LOG_WARNING))
            LOG(warning, "dpdk", "{}", line);
        else
            LOG(debug, "dpdk", "{}", line);
    }
};

Result<void> redirect_log() {
    cookie_io_functions_t functions{};
    functions.write = &LogBridge::write;
    // DPDK keeps the stream for the life of the process, also after rte_eal_cleanup
    std::FILE* stream = ::fopencookie(nullptr, "w", functions);
    if (stream == nullptr) return fail("no memory for DPDK's log");
    std::setvbuf(stream, nullptr, _IONBF, 0);
    rte_openlog_stream(stream);
    return {};
}

/// `0,2-3` of the calling thread's affinity, which DPDK is not to narrow.
std::string allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return "0";
    std::string out;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) {
            if (!out.empty()) out += ',';
            out += std::to_string(cpu);
        }
    return out.empty() ? "0" : out;
}

/// Says itself which devices DPDK takes at its start; DPDK refuses -a beside -b.
bool chooses_devices(std::string_view word) {
    constexpr std::array<std::string_view, 3> kLong{"--allow", "--block", "--no-pci"};
    return word.starts_with("-a") || word.starts_with("-b") ||
           std::ranges::any_of(kLong, [&](std::string_view l) { return word.starts_with(l); });
}

}  // namespace

std::vector<std::string> eal_arguments(const EalSettings& settings, std::string_view cpus,
                                       std::string_view drivers) {
    std::vector<std::string> out{"raicho-dataplane", "--no-telemetry",    "--iova-mode", "va",
                                 "--file-prefix",    std::string(kPrefix)};
    // one lcore, the control thread, free to run on every core; workers register themselves
    out.insert(out.end(), {"--lcores", format("0@({})", cpus)});
    if (settings.pages == EalSettings::Pages::huge)
        out.push_back("--in-memory");
    else
        out.insert(out.end(), {"--no-huge", "--no-shconf"});  // --in-memory excludes --no-huge
    if (settings.pages == EalSettings::Pages::huge && !settings.huge_folder.empty())
        out.insert(out.end(), {"--huge-dir", settings.huge_folder});
    out.insert(out.end(), {"-m", std::to_string(settings.memory_mb)});
    // where Debian's folder of drivers is not there, these two suffice to start
    for (const char* library : {"librte_bus_vdev.so", "librte_mempool_ring.so"})
        out.insert(out.end(), {"-d", format("{}/{}", drivers, library)});
    std::vector<std::string_view> own = split(settings.arguments, ' ');
    std::erase(own, std::string_view{});
    // DPDK takes every NIC of the machine that it has a driver for. None is ours until a port names
    // it (rte_dev_probe then asks no list), so only a place where none can be is allowed at first.
    if (std::ranges::none_of(own, chooses_devices)) out.insert(out.end(), {"-a", "ffff:ff:1f.7"});
    out.insert(out.end(), own.begin(), own.end());
    return out;
}

namespace {

constexpr auto kPatience = std::chrono::seconds(5);

/// While DPDK starts: it waits without a limit, and without a word, for a lock that each DPDK
/// program takes on the mounts of huge pages.
class StartWatch {
  public:
    explicit StartWatch(const EalSettings& settings)
        : where_(settings.huge_folder.empty() ? "a mount of huge pages" : settings.huge_folder),
          thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  private:
    void watch(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        for (auto waited = kPatience;; waited += kPatience) {
            if (ended_.wait_for(lock, stop, kPatience, [&] { return stop.stop_requested(); }))
                return;
            LOG(warning, "dpdk",
                "does not start for {} s: another program may hold its lock on {} (lslocks shows "
                "whose), or pages are being cleared",
                waited.count(), where_);
        }
    }

    std::string where_;
    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread thread_;
};

}  // namespace

std::uint64_t free_huge_pages() {
    std::ifstream in("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
    std::uint64_t n = 0;
    return in >> n ? n : 0;
}

Result<Eal> Eal::start(const EalSettings& settings) {
    TRY(redirect_log());
    const std::string runtime = settings.rundir + "/dpdk-run";
    std::error_code error;
    fs::create_directories(runtime, error);
    if (error) return fail(format("make {}: {}", runtime, error.message()));
    ::setenv("RUNTIME_DIRECTORY", runtime.c_str(), 1);
    std::vector<std::string> arguments = eal_arguments(settings, allowed_cpus(), driver_folder());
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    LOG(debug, "dpdk", "start: {}", fmt::join(arguments, " "));
    const int taken = [&] {
        const StartWatch watch(settings);
        return rte_eal_init(static_cast<int>(arguments.size()), argv.data());
    }();
    if (taken < 0) {
        fs::remove_all(runtime, error);
        return fail(format("DPDK does not start: {}", rte_strerror(rte_errno)),
                    "the lines of the log before this one say why");
    }
    return Eal(runtime);
}

Eal::Eal(Eal&& other) noexcept : runtime_folder_(std::exchange(other.runtime_folder_, {})) {}

Eal::~Eal() {
    if (runtime_folder_.empty()) return;
    rte_eal_cleanup();
    std::error_code error;
    fs::remove_all(runtime_folder_, error);
}

}  // namespace raicho::io
