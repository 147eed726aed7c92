// SPDX-License-Identifier: Apache-2.0
// What the rows of ports say: the wish, its condition, and OpenFlow's view of both.
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "agent/plane/port_row_flags.h"
#include "agent/plane/port_rows.h"
#include "base/text.h"
#include "shm/text_field.h"

namespace raicho::agent {

namespace {

using openflow::PortDesc;
using shm::PortHealth;
using shm::WantedPort;

/// A reader that is written to all the time, or a writer that died while writing.
constexpr int kSeqlockTries = 1000;

struct SpeedRow {
    std::uint32_t mbps;
    std::uint32_t feature;
};
/// ofp_port_features, full duplex (§7.2.1).
constexpr std::array<SpeedRow, 7> kSpeeds{{{10, 1u << 1},
                                           {100, 1u << 3},
                                           {1000, 1u << 5},
                                           {10000, 1u << 6},
                                           {40000, 1u << 7},
                                           {100000, 1u << 8},
                                           {1000000, 1u << 9}}};
constexpr std::uint32_t kOtherSpeed = 1u << 10;  // OFPPF_OTHER

}  // namespace

std::uint32_t port_features(std::uint32_t speed_mbps) {
    if (speed_mbps == 0) return 0;
    for (const SpeedRow& row : kSpeeds)
        if (row.mbps == speed_mbps) return row.feature;
    return kOtherSpeed;
}

std::string to_text(const PortCondition& condition) {
    const auto with_reason = [&](std::string_view word) {
        return condition.text.empty() ? std::string(word) : format("{}: {}", word, condition.text);
    };
    switch (condition.health) {
        case PortHealth::closed: return with_reason("no dataplane");
        case PortHealth::up: return with_reason("up");
        case PortHealth::down: return "down";
        case PortHealth::absent: return with_reason("absent");
        case PortHealth::failed: return with_reason("failed");
    }
    return "unknown";
}

PortSpec PortRows::spec(PortSlot slot) const {
    const WantedPort& row = std::as_const(arena_).wanted_port(slot);
    const Mac mac{row.mac};
    PortSpec spec{
        .bridge = BridgeId(row.bridge),
        .number = PortNo(row.port_no),
        .name = std::string(shm::get_text(row.name)),
        .kind = row.kind,
        .device = std::string(shm::get_text(row.device)),
        .mtu = row.mtu,
        .queues = row.queues,
        .mac = mac == Mac{} ? std::nullopt : std::optional(mac),
        .force = row.force != 0 ? PortSpec::Force::yes : PortSpec::Force::no,
        .admin = (row.flags & kAdminDown) != 0 ? PortSpec::Admin::down : PortSpec::Admin::up};
    read_traffic(slot, spec);
    return spec;
}

std::uint32_t PortRows::config(PortSlot slot) const {
    return std::as_const(arena_).wanted_port(slot).config.load(std::memory_order_relaxed);
}

Time PortRows::attached_at(PortSlot slot) const {
    return std::as_const(arena_).wanted_port(slot).attached_ns;
}

PortCondition PortRows::condition(PortSlot slot) const {
    if (vouched_ == Vouched::no) return {};
    const shm::PortStatus& row = arena_.port_status(slot);
    for (int i = 0; i < kSeqlockTries; ++i) {
        const std::uint32_t before = row.sequence.load(std::memory_order_acquire);
        PortCondition copy{.health = row.health,
                           .mtu = row.mtu,
                           .speed_mbps = row.speed_mbps,
                           .queues = row.queues,
                           .mac = Mac{row.mac},
                           .text = std::string(shm::get_text(row.text))};
        std::atomic_thread_fence(std::memory_order_acquire);
        const std::uint32_t after = row.sequence.load(std::memory_order_relaxed);
        if (before == after && before % 2 == 0) {
            if (copy.health == PortHealth::closed) copy.text = "not opened yet";
            return copy;
        }
    }
    return {};
}

PortDesc PortRows::desc(PortSlot slot) const {
    const PortSpec wanted = spec(slot);
    const PortCondition is = condition(slot);
    const std::optional<PortDesc>& told = told_[slot.value()];
    // An address is not forgotten with the dataplane that told it.
    const Mac last = wanted.mac.value_or(told ? told->hw_addr : Mac{});
    const bool up = is.health == PortHealth::up;
    const std::uint32_t config_word = config(slot);
    const std::uint32_t features = port_features(is.speed_mbps);
    PortDesc desc{.port = wanted.number,
                  .hw_addr = is.mac == Mac{} ? last : is.mac,
                  .name = wanted.name,
                  .config = config_word,
                  .state = up ? 0 : openflow::port_state::kLinkDown,
                  .curr = features,
                  .advertised = 0,
                  .supported = features,
                  .peer = 0,
                  .curr_speed = is.speed_mbps * 1000,
                  .max_speed = is.speed_mbps * 1000};
    if (up && (config_word & openflow::port_config::kPortDown) == 0)
        desc.state |= openflow::port_state::kLive;
    return desc;
}

openflow::PortStats PortRows::stats(PortSlot slot) const {
    const shm::PortCounters sum = arena_.port_totals(slot);
    const Time now = loop_.now();
    const Time since = attached_at(slot);
    const Time age = now > since ? now - since : 0;
    return {.port = PortNo(std::as_const(arena_).wanted_port(slot).port_no),
            .rx_packets = sum.rx_packets,
            .tx_packets = sum.tx_packets,
            .rx_bytes = sum.rx_bytes,
            .tx_bytes = sum.tx_bytes,
            .rx_dropped = sum.rx_dropped,
            .tx_dropped = sum.tx_dropped,
            .rx_errors = sum.rx_errors,
            .tx_errors = sum.tx_errors,
            .duration_sec = static_cast<std::uint32_t>(age / kSecond),
            .duration_nsec = static_cast<std::uint32_t>(age % kSecond)};
}

}  // namespace raicho::agent
