// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/driver_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/log.h"
#include "base/text.h"

namespace raicho::io {
namespace {

namespace fs = std::filesystem;

/// Loads for good: a driver registers itself in DPDK's lists and cannot be taken out of them.
Result<void> load(const fs::path& library) {
    if (::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return {};
    const char* why = ::dlerror();
    return fail(format("load {}: {}", library.string(), why != nullptr ? why : "unknown"));
}

Result<void> load_all_network_drivers() {
    std::error_code error;
    bool any = false;
    for (const fs::directory_entry& entry : fs::directory_iterator(driver_folder(), error)) {
        const std::string name = entry.path().filename().string();
        const bool wanted = name.starts_with("librte_net_") || name.starts_with("librte_bus_");
        if (!wanted || entry.path().extension() != ".so") continue;
        if (const auto done = load(entry.path()))
            any = true;
        else
            LOG(warning, "dpdk", "driver left out: {}", done.error().text);
    }
    if (any) return {};
    return fail(format("no DPDK network driver in {}", driver_folder()),
                "install Debian's dpdk packages (apt install dpdk)");
}

}  // namespace

std::string_view driver_folder() {
    return RAICHO_DPDK_DRIVERS;
}

bool is_bus_address(std::string_view device) {
    return device.substr(0, device.find(',')).find(':') != std::string_view::npos;
}

std::vector<std::string> driver_candidates(std::string_view device) {
    std::string name(device.substr(0, device.find(',')));
    std::vector<std::string> out;
    if (name.empty() || is_bus_address(name)) return out;
    while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0)
        name.pop_back();
    if (name.starts_with("eth_")) name = "net_" + name.substr(4);  // DPDK's old aliases
    if (!name.starts_with("net_")) name = "net_" + name;           // virtio_user0
    while (name.size() > 4) {
        out.push_back("librte_" + name + ".so");
        name.resize(name.rfind('_'));
    }
    return out;
}

Result<void> load_driver(std::string_view device) {
    const auto candidates = driver_candidates(device);
    if (candidates.empty()) return load_all_network_drivers();
    for (const std::string& candidate : candidates) {
        const fs::path path = fs::path(driver_folder()) / candidate;
        std::error_code error;
        if (fs::exists(path, error)) return load(path);
    }
    return fail(format("no DPDK driver {} in {}", candidates.front(), driver_folder()));
}

}  // namespace raicho::io
