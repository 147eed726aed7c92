// SPDX-License-Identifier: Apache-2.0
#include "agent/plane/port_rows.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "agent/plane/port_row_flags.h"
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

constexpr Time kGracePoll = 200'000;

/// What of the host the port has to itself; empty: nothing.
std::string held(const PortSpec& spec) {
    switch (spec.kind) {
        case shm::PortKind::none:
        case shm::PortKind::null: return {};
        case shm::PortKind::af_packet:
        case shm::PortKind::tap: return "interface " + spec.device;
        case shm::PortKind::local: return "interface " + spec.name;
        case shm::PortKind::ethdev: return "device " + spec.device.substr(0, spec.device.find(','));
    }
    return {};
}

/// Whether the one cannot be opened while the other is open. Sockets share an interface.
bool excludes(const PortSpec& holder, const PortSpec& wanted) {
    const bool sockets =
        holder.kind == shm::PortKind::af_packet && wanted.kind == shm::PortKind::af_packet;
    const std::string what = held(holder);
    return !sockets && !what.empty() && what == held(wanted);
}

}  // namespace

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
    open_when_free(slot, [this, slot, name = spec.name, done = std::move(done),
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

/// Not before a port that leaves has let go of the device: it may go from one bridge to another.
void PortRows::open_when_free(PortSlot slot, Done opened) {
    const PortSpec wanted = spec(slot);
    for (std::size_t i = 0; i < life_.size(); ++i) {
        if (life_[i] != Life::closing) continue;
        const PortSlot holder(static_cast<std::uint16_t>(i));
        if (!excludes(spec(holder), wanted)) continue;
        waiting_.push_back({holder, slot, std::move(opened)});
        return;
    }
    control_.open_port(slot, std::move(opened));
}

void PortRows::open_waiting(PortSlot holder) {
    std::vector<Waiting> ready;
    std::erase_if(waiting_, [&](Waiting& w) {
        if (w.holder != holder) return false;
        ready.push_back(std::move(w));
        return true;
    });
    for (Waiting& w : ready) open_when_free(w.slot, std::move(w.opened));
}

void PortRows::write(PortSlot slot, const PortSpec& spec) {
    WantedPort& row = arena_.wanted_port(slot);
    row.port_no = spec.number.value();
    row.bridge = spec.bridge.value();
    row.kind = spec.kind;
    row.queues = spec.queues;
    shm::put_text(row.name, spec.name);
    row.flags = 0;
    row.config.store(0, std::memory_order_relaxed);
    arena_.set_queues(slot, {}, 0);  // those of the port that had the slot before
    write_changeable(slot, spec);
    arena_.rebase_port(slot);
    // What a worker learned here after the last port went, in the middle of its burst.
    forget_addresses(slot);
    row.phase.store(PortPhase::prepared, std::memory_order_release);
}

void PortRows::write_changeable(PortSlot slot, const PortSpec& spec) {
    WantedPort& row = arena_.wanted_port(slot);
    shm::begin_change(row);
    row.mtu = spec.mtu;
    // The local port's addresses; what is opened stays as it is while it is open.
    if (shm::get_text(row.device) != spec.device) shm::put_text(row.device, spec.device);
    row.force = spec.force == PortSpec::Force::yes ? 1 : 0;
    row.mac = spec.mac.value_or(Mac{}).bytes;
    const bool was_down = (row.flags & kAdminDown) != 0;
    const bool down = spec.admin == PortSpec::Admin::down;
    std::uint32_t config = row.config.load(std::memory_order_relaxed);
    // Only a change of the configuration overrides what a port-mod said.
    if (down && !was_down) config |= openflow::port_config::kPortDown;
    if (!down && was_down) config &= ~openflow::port_config::kPortDown;
    // The flag last: an agent killed in between does it again.
    row.config.store(config, std::memory_order_release);
    row.flags = down ? row.flags | kAdminDown : row.flags & ~kAdminDown;
    shm::end_change(row);
    write_traffic(slot, spec);
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
    std::erase_if(waiting_, [&](const Waiting& w) { return w.slot == slot; });
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
        // Asked twice when the dataplane came between: the first answer counts.
        if (alive.expired() || life_[slot.value()] != Life::closing) return;
        if (!closed)
            LOG(debug, "plane", "close port slot={} why=\"{}\"", slot.value(), closed.error().text);
        life_[slot.value()] = Life::free;
        open_waiting(slot);
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
