// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/port_rows.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "shm/tables.h"
#include "shm/text_field.h"

namespace raicho::agent {

namespace {

using openflow::PortDesc;
using openflow::PortReason;
using shm::PortHealth;
using shm::PortPhase;
using shm::WantedPort;

/// WantedPort::flags, agent's own: down by configuration, not by port-mod.
constexpr std::uint32_t kAdminDown = 1u << 1;
constexpr Time kGracePoll = 200'000;
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
        case PortHealth::up: return "up";
        case PortHealth::down: return "down";
        case PortHealth::absent: return with_reason("absent");
        case PortHealth::failed: return with_reason("failed");
    }
    return "unknown";
}

PortRows::PortRows(Loop& loop, shm::AgentArena& arena, ControlClient& control, Changed changed)
    : loop_(loop),
      arena_(arena),
      control_(control),
      changed_(std::move(changed)),
      life_(std::min<std::size_t>(arena.max_ports(), shm::kNoSlot), Life::free),
      told_(life_.size()) {
    if (arena.dataplane_alive()) vouched_ = Vouched::yes;
    arena.reconcile_ports();
    for (std::size_t i = 0; i < life_.size(); ++i) {
        const PortSlot slot(static_cast<std::uint16_t>(i));
        switch (arena.wanted_port(slot).phase.load(std::memory_order_relaxed)) {
            case PortPhase::free: break;
            case PortPhase::prepared: close(slot); break;
            case PortPhase::attached:
                life_[i] = Life::attached;
                told_[i] = desc(slot);
                break;
        }
    }
}

PortRows::~PortRows() {
    loop_.cancel(timer_);
}

Result<PortSlot> PortRows::prepare(const PortSpec& spec, Done done) {
    if (spec.name.size() >= shm::kPortNameSize)
        return fail(
            format("port \"{}\": name longer than {} bytes", spec.name, shm::kPortNameSize - 1));
    if (spec.device.size() >= shm::kDeviceSize)
        return fail(format("port \"{}\": device \"{}\" longer than {} bytes", spec.name,
                           spec.device, shm::kDeviceSize - 1));
    const auto found = std::ranges::find(life_, Life::free);
    if (found == life_.end())
        return fail(format("port \"{}\": all {} ports are in use", spec.name, life_.size()),
                    "raise agent { max-ports } and restart");
    const PortSlot slot(static_cast<std::uint16_t>(found - life_.begin()));
    *found = Life::prepared;
    write(slot, spec);
    control_.open_port(slot, [this, slot, name = spec.name, done = std::move(done),
                              alive = std::weak_ptr(alive_)](Result<void> opened) {
        if (alive.expired()) return;
        if (!opened) {
            opened.error().text = format("port \"{}\": {}", name, opened.error().text);
            abort(slot);  // unless that was done meanwhile
        }
        done(std::move(opened));
    });
    return slot;
}

void PortRows::write(PortSlot slot, const PortSpec& spec) {
    WantedPort& row = arena_.wanted_port(slot);
    row.port_no = spec.number.value();
    row.bridge = spec.bridge.value();
    row.kind = spec.kind;
    row.queues = spec.queues;
    shm::put_text(row.name, spec.name);
    shm::put_text(row.device, spec.device);
    row.flags = 0;
    row.config.store(0, std::memory_order_relaxed);
    arena_.set_queues(slot, {}, 0);  // those of the port that had the slot before
    write_changeable(slot, spec);
    arena_.rebase_port(slot);
    row.phase.store(PortPhase::prepared, std::memory_order_release);
}

void PortRows::write_changeable(PortSlot slot, const PortSpec& spec) {
    WantedPort& row = arena_.wanted_port(slot);
    row.mtu = spec.mtu;
    row.force = spec.force == PortSpec::Force::yes ? 1 : 0;
    row.mac = spec.mac.value_or(Mac{}).bytes;
    const bool was_down = (row.flags & kAdminDown) != 0;
    const bool down = spec.admin == PortSpec::Admin::down;
    std::uint32_t config = row.config.load(std::memory_order_relaxed);
    // Only a change of the configuration overrides what a port-mod said.
    if (down && !was_down) config |= openflow::port_config::kPortDown;
    if (!down && was_down) config &= ~openflow::port_config::kPortDown;
    row.flags = down ? row.flags | kAdminDown : row.flags & ~kAdminDown;
    row.config.store(config, std::memory_order_relaxed);
    write_queues(slot, spec);
    row.generation.fetch_add(1, std::memory_order_release);
}

Result<void> PortRows::attach(PortSlot slot) {
    ASSERT(life_.at(slot.value()) == Life::prepared);
    WantedPort& row = arena_.wanted_port(slot);
    if (auto bound = arena_.bind_port(BridgeId(row.bridge), PortNo(row.port_no), slot); !bound)
        return fail(format("port \"{}\": {}", shm::get_text(row.name), bound.error().text));
    row.attached_ns = loop_.now();
    arena_.rebase_port(slot);
    row.phase.store(PortPhase::attached, std::memory_order_release);
    wake_workers();
    life_[slot.value()] = Life::attached;
    const PortDesc now = desc(slot);
    told_[slot.value()] = now;
    changed_(slot, PortReason::added, now);
    return {};
}

void PortRows::abort(PortSlot slot) {
    if (valid(slot.value()) && life_[slot.value()] == Life::prepared) close(slot);
}

void PortRows::remove(PortSlot slot) {
    ASSERT(life_.at(slot.value()) == Life::attached);
    const PortDesc last = desc(slot);
    WantedPort& row = arena_.wanted_port(slot);
    arena_.unbind_port(BridgeId(row.bridge), PortNo(row.port_no));
    told_[slot.value()].reset();
    close(slot);
    forget_addresses(slot);
    changed_(slot, PortReason::removed, last);
}

void PortRows::forget_addresses(PortSlot slot) {
    arena_.wanted_port(slot).mac_generation.fetch_add(1, std::memory_order_release);
}

/// A worker that sleeps looks at the phases only when it wakes. One that is about to sleep looks
/// after a fence of its own: it sees the phase or finds its bell rung.
void PortRows::wake_workers() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    control_.wake_all();
}

/// Workers let go at their next burst; the device is closed when the last one has.
void PortRows::close(PortSlot slot) {
    life_[slot.value()] = Life::closing;
    arena_.wanted_port(slot).phase.store(PortPhase::free, std::memory_order_release);
    wake_workers();
    closing_.push_back({slot, arena_.start_grace()});
    if (timer_ == TimerId{}) timer_ = loop_.after(0, [this] { poll_grace(); });
}

void PortRows::poll_grace() {
    timer_ = TimerId{};
    std::vector<PortSlot> ready;
    std::erase_if(closing_, [&](const Closing& closing) {
        if (!arena_.grace_passed(closing.grace)) return false;
        ready.push_back(closing.slot);
        return true;
    });
    if (!closing_.empty()) timer_ = loop_.after(kGracePoll, [this] { poll_grace(); });
    for (const PortSlot slot : ready) finish_close(slot);
}

void PortRows::finish_close(PortSlot slot) {
    // A dataplane that lives but cannot be asked now is asked when it is attached.
    if (!control_.attached() && arena_.dataplane_alive()) return;
    control_.close_port(slot, [this, slot, alive = std::weak_ptr(alive_)](Result<void> closed) {
        if (alive.expired()) return;
        if (!closed)
            LOG(debug, "plane", "close port slot={} why=\"{}\"", slot.value(), closed.error().text);
        life_[slot.value()] = Life::free;
    });
}

void PortRows::change(PortSlot slot, const PortSpec& spec) {
    ASSERT(life_.at(slot.value()) == Life::attached);
    const std::uint32_t before = config(slot);
    write_changeable(slot, spec);
    if ((config(slot) & ~before & openflow::port_config::kPortDown) != 0) forget_addresses(slot);
    refresh(slot);
}

void PortRows::set_config(PortSlot slot, std::uint32_t config) {
    WantedPort& row = arena_.wanted_port(slot);
    const std::uint32_t before = row.config.exchange(config, std::memory_order_relaxed);
    row.generation.fetch_add(1, std::memory_order_release);
    if ((config & ~before & openflow::port_config::kPortDown) != 0) forget_addresses(slot);
    if (life_[slot.value()] == Life::attached) told_[slot.value()] = desc(slot);
}

std::vector<PortSlot> PortRows::of_bridge(BridgeId bridge) const {
    std::vector<PortSlot> slots;
    for (std::size_t i = 0; i < life_.size(); ++i) {
        const PortSlot slot(static_cast<std::uint16_t>(i));
        if (life_[i] == Life::attached && arena_.wanted_port(slot).bridge == bridge.value())
            slots.push_back(slot);
    }
    std::ranges::sort(slots, {}, [&](PortSlot s) { return arena_.wanted_port(s).port_no; });
    return slots;
}

std::optional<PortSlot> PortRows::find(BridgeId bridge, PortNo number) const {
    const std::uint16_t slot = shm::port_slot(arena_, bridge, number);
    if (slot == shm::kNoSlot) return std::nullopt;
    return PortSlot(slot);
}

std::optional<PortSlot> PortRows::find(BridgeId bridge, std::string_view name) const {
    for (const PortSlot slot : of_bridge(bridge))
        if (shm::get_text(arena_.wanted_port(slot).name) == name) return slot;
    return std::nullopt;
}

std::size_t PortRows::n_attached() const {
    return static_cast<std::size_t>(std::ranges::count(life_, Life::attached));
}

std::size_t PortRows::n_used() const {
    return life_.size() - static_cast<std::size_t>(std::ranges::count(life_, Life::free));
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
    read_queues(slot, spec);
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

void PortRows::dataplane_attached() {
    vouched_ = Vouched::yes;
    for (std::size_t i = 0; i < life_.size(); ++i) {
        const PortSlot slot(static_cast<std::uint16_t>(i));
        const bool open = condition(slot).health != PortHealth::closed;
        const bool in_grace =
            std::ranges::any_of(closing_, [&](const Closing& c) { return c.slot == slot; });
        switch (life_[i]) {
            case Life::free:
                if (!open) break;
                life_[i] = Life::closing;
                finish_close(slot);
                break;
            case Life::prepared:
            case Life::attached:
                if (open) break;
                control_.open_port(slot, [slot](Result<void> opened) {
                    if (!opened)
                        LOG(warning, "plane", "open port slot={} why=\"{}\"", slot.value(),
                            opened.error().text);
                });
                break;
            case Life::closing:
                if (!in_grace) finish_close(slot);
                break;
        }
    }
    refresh(PortSlot(shm::kNoSlot));
}

void PortRows::set_vouched(Vouched vouched) {
    vouched_ = vouched;
    refresh(PortSlot(shm::kNoSlot));
}

void PortRows::refresh(PortSlot slot) {
    const auto look = [&](std::size_t i) {
        if (life_[i] != Life::attached) return;
        const PortSlot at(static_cast<std::uint16_t>(i));
        PortDesc now = desc(at);
        if (told_[i] == now) return;
        told_[i] = now;
        changed_(at, PortReason::modified, now);
    };
    if (slot.value() != shm::kNoSlot) {
        if (valid(slot.value())) look(slot.value());
        return;
    }
    for (std::size_t i = 0; i < life_.size(); ++i) look(i);
}

}  // namespace raicho::agent
