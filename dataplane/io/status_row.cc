// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/status_row.h"
#include "shm/text_field.h"

#include <algorithm>
#include <cstring>

namespace raicho::io {

PortSettings settings_of(const shm::WantedPort& row, PortSlot slot) {
    PortSettings out;
    out.slot = slot;
    out.kind = row.kind;
    out.name = shm::get_text(row.name);
    out.queues = row.queues;
    const auto wish = shm::read_wish(row);
    if (wish) {
        out.device = shm::get_text(wish->device);
        if (const Mac mac{wish->mac}; mac != Mac{}) out.mac = mac;
    } else if (row.kind != shm::PortKind::local) {
        out.device = shm::get_text(row.device);  // never changes
    }
    out.mtu = wish ? wish->mtu : row.mtu;
    const std::uint8_t force = wish ? wish->force : row.force;
    out.force = force != 0 ? PortSettings::Force::yes : PortSettings::Force::no;
    out.generation = wish ? wish->generation : row.generation.load(std::memory_order_relaxed) | 1;
    return out;
}

std::string interface_of(const PortSettings& settings) {
    using enum shm::PortKind;
    switch (settings.kind) {
        case af_packet:
        case tap: return settings.device.empty() ? settings.name : settings.device;
        case local: return settings.name;
        case none:
        case null:
        case ethdev: break;
    }
    return {};
}

void write_status(shm::PortStatus& row, const PortState& state, std::uint16_t queues,
                  std::uint32_t opened_s) noexcept {
    // a writer killed in the middle left it odd
    const std::uint32_t odd = row.sequence.load(std::memory_order_relaxed) | 1;
    row.sequence.store(odd, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // pairs with the agent's second read
    row.health = state.health;
    row.ifindex = state.ifindex;
    row.mtu = state.mtu;
    row.speed_mbps = state.speed_mbps;
    row.mac = state.mac.bytes;
    row.queues = queues;
    row.opened_s = opened_s;
    row.text = {};
    std::ranges::copy_n(
        state.text.begin(),
        static_cast<std::ptrdiff_t>(std::min(state.text.size(), row.text.size() - 1)),
        row.text.begin());
    row.sequence.store(odd + 1, std::memory_order_release);  // pairs with the agent's first read
}

}  // namespace raicho::io
