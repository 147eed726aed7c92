// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/port_table.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "dataplane/io/ethdev_port.h"
#include "dataplane/io/status_row.h"
#include "dataplane/io/tap_port.h"

namespace raicho::io {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kRetry = 2 * kSecond;

std::uint32_t monotonic_s() {
    return static_cast<std::uint32_t>(monotonic_ns() / kSecond);
}

bool is_tap(shm::PortKind kind) {
    return kind == shm::PortKind::tap || kind == shm::PortKind::local;
}

bool same_device(const PortSettings& a, const PortSettings& b) {
    return a.kind == b.kind && a.device == b.device && a.name == b.name && a.queues == b.queues &&
           a.mac == b.mac && a.mtu == b.mtu && a.force == b.force;
}

/// Whether the row still means what was opened; all else can be changed while it is open. A local
/// port's device text is its addresses.
bool same_identity(const PortSettings& a, const PortSettings& b) {
    return a.kind == b.kind && a.name == b.name && a.queues == b.queues &&
           (a.kind == shm::PortKind::local || a.device == b.device);
}

/// From the addresses of one text to those of another; what is in both stays.
void move_addresses(Netlink& netlink, std::uint32_t ifindex, const std::string& from,
                    const std::string& to,
                    const std::function<void(const std::string&, const Result<void>&)>& report) {
    const auto before = parse_interface_addresses(from);
    const auto after = parse_interface_addresses(to);
    if (!after) return report("addresses", fail(after.error().text));
    // else the first address of a subnet takes the others of it along
    report("keep the other addresses", netlink.promote_secondaries(ifindex));
    for (InterfaceAddress address : before.value_or(std::vector<InterfaceAddress>())) {
        if (std::ranges::find(*after, address) != after->end()) continue;
        address.ifindex = ifindex;
        report("remove an address", netlink.delete_address(address));
    }
    for (InterfaceAddress address : *after) {
        address.ifindex = ifindex;
        report("add an address", netlink.add_address(address));
    }
}

const char* health_name(shm::PortHealth health) {
    switch (health) {
        case shm::PortHealth::closed: return "closed";
        case shm::PortHealth::up: return "up";
        case shm::PortHealth::down: return "down";
        case shm::PortHealth::absent: return "absent";
        case shm::PortHealth::failed: return "failed";
    }
    return "unknown";
}

bool same_state(const PortState& a, const PortState& b) {
    return a.health == b.health && a.ifindex == b.ifindex && a.mtu == b.mtu &&
           a.speed_mbps == b.speed_mbps && a.mac == b.mac && a.text == b.text;
}

}  // namespace

PortTable::PortTable(shm::DataplaneArena& arena, OpenContext context,
                     std::span<const std::unique_ptr<Worker>> workers,
                     std::function<void(PortSlot)> changed)
    : arena_(arena),
      context_(std::move(context)),
      workers_(workers),
      changed_(std::move(changed)),
      egress_room_(context_.buffers.small()->size / 4, context_.buffers.large()->size / 4) {
    for (std::size_t i = 0; i < arena_.max_ports(); ++i) {
        const PortSlot slot(static_cast<std::uint16_t>(i));
        shm::PortStatus& row = arena_.port_status(slot);
        if (row.health != shm::PortHealth::closed ||
            (row.sequence.load(std::memory_order_relaxed) & 1) != 0)
            write_status(row, {}, 0, 0);
    }
}

PortTable::~PortTable() {
    for (auto& [slot, entry] : entries_) {
        entry.port.reset();
        write_status(arena_.port_status(slot), {}, 0, entry.opened_s);
    }
}

PortTable::Entry PortTable::new_entry(PortSlot slot) const {
    const shm::WantedPort& row = arena_.wanted_port(slot);
    Entry entry;
    entry.settings = settings_of(row, slot);
    entry.interface = interface_of(entry.settings);
    return entry;
}

void PortTable::reconcile() {
    context_.around.reset();
    bool any = false;
    for (std::size_t i = 0; i < arena_.max_ports(); ++i) {
        const PortSlot slot(static_cast<std::uint16_t>(i));
        const bool wanted =
            arena_.wanted_port(slot).phase.load(std::memory_order_acquire) != shm::PortPhase::free;
        const auto found = entries_.find(slot);
        if (wanted && found != entries_.end() &&
            !same_identity(found->second.settings, settings_of(arena_.wanted_port(slot), slot))) {
            reopen(found->second);
            any = true;
        } else if (wanted && found == entries_.end()) {
            try_open(entries_.emplace(slot, new_entry(slot)).first->second);
            any = true;
        } else if (!wanted && found != entries_.end()) {
            close(slot);
        }
    }
    if (any || view_generation_ == 0) publish();
}

const PortTable::Entry* PortTable::other_user(const Entry& entry) const {
    if (entry.interface.empty()) return nullptr;
    for (const auto& [slot, other] : entries_) {
        if (slot == entry.settings.slot || other.interface != entry.interface) continue;
        // A port that goes from one bridge to another: its next socket is open before this one
        // closes, and forwards when it is attached.
        if (other.settings.kind == shm::PortKind::af_packet &&
            entry.settings.kind == shm::PortKind::af_packet)
            continue;
        return &other;
    }
    return nullptr;
}

Result<std::string> PortTable::open(PortSlot slot) {
    if (slot.value() >= arena_.max_ports())
        return fail(format("port slot {}: the arena has {}", slot.value(), arena_.max_ports()));
    if (arena_.wanted_port(slot).phase.load(std::memory_order_acquire) == shm::PortPhase::free)
        return fail(format("port slot {}: its row is empty", slot.value()));
    Entry entry = new_entry(slot);
    if (const auto found = entries_.find(slot); found != entries_.end()) {
        if (found->second.port != nullptr && same_device(found->second.settings, entry.settings))
            return found->second.state.text;
        close(slot);
    }
    if (const Entry* other = other_user(entry))
        return fail(format("interface {}: port \"{}\" uses it already", entry.interface,
                           other->settings.name));
    context_.around.reset();
    TRY_ASSIGN(OpenedPort opened, open_port(context_, entry.settings));
    Entry& kept = entries_.emplace(slot, std::move(entry)).first->second;
    install(kept, std::move(opened));
    publish();
    return kept.state.text;
}

void PortTable::install(Entry& entry, OpenedPort opened) {
    entry.port = std::move(opened.port);
    entry.queue_workers.clear();
    if (entry.port != nullptr) {
        (void)follow_queues(entry.settings.slot, entry);  // published with the port
        entry.opened_s = monotonic_s();
        for (std::size_t q = 0; q < entry.port->rx().size(); ++q)
            entry.queue_workers.push_back(least_loaded(entry.queue_workers));
    }
    set_state(entry, std::move(opened.state));
}

void PortTable::try_open(Entry& entry) {
    entry.retry_ns = 0;
    if (const Entry* other = other_user(entry)) {
        PortState state;
        state.health = shm::PortHealth::failed;
        state.text = format("interface {}: port \"{}\" uses it already", entry.interface,
                            other->settings.name);
        set_state(entry, std::move(state));
        return;
    }
    auto opened = open_port(context_, entry.settings);
    if (opened) {
        install(entry, std::move(*opened));
        return;
    }
    PortState state;
    state.health = shm::PortHealth::failed;
    state.text = full_text(opened.error());
    set_state(entry, std::move(state));
}

void PortTable::close(PortSlot slot) {
    const auto found = entries_.find(slot);
    if (found == entries_.end()) return;
    if (found->second.port != nullptr) retired_.push_back(std::move(found->second.port));
    if (found->second.egress != nullptr) retired_egress_.push_back(std::move(found->second.egress));
    entries_.erase(found);
    publish();
    write_status(arena_.port_status(slot), {}, 0, 0);
    changed_(slot);
}

void PortTable::reopen(Entry& entry) {
    Entry fresh = new_entry(entry.settings.slot);
    // another device's name or socket may be the old one's: that one ends first
    if (entry.port != nullptr) retired_.push_back(std::move(entry.port));
    if (entry.egress != nullptr) retired_egress_.push_back(std::move(entry.egress));
    entry = std::move(fresh);
    publish();
    write_status(arena_.port_status(entry.settings.slot), {}, 0, 0);
    try_open(entry);
}

void PortTable::detach(Entry& entry, PortState state) {
    if (entry.port != nullptr) retired_.push_back(std::move(entry.port));
    entry.queue_workers.clear();
    publish();
    set_state(entry, std::move(state));
}

void PortTable::set_state(Entry& entry, PortState state) {
    if (entry.port != nullptr)
        entry.port->follow(state.mtu, state.health == shm::PortHealth::up ? pipeline::Link::up
                                                                          : pipeline::Link::down);
    if (state.text.empty()) state.text = entry.trouble;
    const shm::PortStatus& row = arena_.port_status(entry.settings.slot);
    const bool news = !same_state(entry.state, state) || row.health != state.health;
    if (!news) return;
    if (state.health == shm::PortHealth::failed)
        LOG(warning, "port", "{}: failed: {}", entry.settings.name, state.text);
    else
        LOG(info, "port", "{}: {}{}{}", entry.settings.name, health_name(state.health),
            state.text.empty() ? "" : ": ", state.text);
    entry.state = std::move(state);
    write_status(arena_.port_status(entry.settings.slot), entry.state,
                 static_cast<std::uint16_t>(entry.queue_workers.size()), entry.opened_s);
    changed_(entry.settings.slot);
}

WorkerId PortTable::least_loaded(std::span<const WorkerId> taken) const {
    std::vector<std::size_t> load(workers_.size());
    for (const auto& [slot, entry] : entries_)
        for (const WorkerId worker : entry.queue_workers) ++load[worker.value()];
    // a second queue of the same port goes to another worker while there is one
    for (const WorkerId worker : taken) load[worker.value()] += arena_.max_ports();
    const auto least = std::ranges::min_element(load);
    return WorkerId(static_cast<std::uint8_t>(least - load.begin()));
}

void PortTable::link_event(const LinkEvent& event) {
    context_.around.reset();
    bool opened = false;
    for (auto& [slot, entry] : entries_) {
        if (entry.interface.empty()) continue;
        if (const auto* gone = std::get_if<LinkGone>(&event)) {
            if (entry.port != nullptr && gone->ifindex == entry.state.ifindex) {
                detach(entry, absent_state(entry.interface));
                // an own tap that someone deleted is made again
                if (is_tap(entry.settings.kind)) entry.retry_ns = 1;
            }
            continue;
        }
        const Link& link = std::get<Link>(event);
        if (entry.port != nullptr && link.ifindex == entry.state.ifindex) {
            if (link.name == entry.interface)
                set_state(entry, state_of(link));
            else  // renamed: whoever is called so now is another interface
                detach(entry, absent_state(entry.interface));
        } else if (link.name == entry.interface &&
                   entry.settings.kind == shm::PortKind::af_packet) {
            if (entry.port != nullptr) detach(entry, absent_state(entry.interface));
            try_open(entry);
            opened = true;
        }
    }
    if (opened) publish();
}

void PortTable::relist() {
    const auto links = context_.netlink.links();
    if (!links) {
        LOG(warning, "port", "cannot list the interfaces: {}", links.error().text);
        return;
    }
    std::vector<LinkEvent> events;
    for (const auto& [slot, entry] : entries_) {
        const bool there = std::ranges::any_of(
            *links, [&](const Link& link) { return link.ifindex == entry.state.ifindex; });
        if (!entry.interface.empty() && entry.port != nullptr && !there)
            events.emplace_back(LinkGone{entry.state.ifindex, entry.interface});
    }
    for (const Link& link : *links) events.emplace_back(link);
    for (const LinkEvent& event : events) link_event(event);
}

bool PortTable::follow_row(Entry& entry) {
    const shm::WantedPort& row = arena_.wanted_port(entry.settings.slot);
    // about to be closed, or being written anew
    if (row.phase.load(std::memory_order_acquire) == shm::PortPhase::free) return false;
    const std::uint32_t generation = row.generation.load(std::memory_order_acquire);
    if (generation == entry.settings.generation || generation % 2 != 0) return false;
    const PortSettings settings = settings_of(row, entry.settings.slot);
    if (settings.generation % 2 != 0) return false;  // being written: at the next tick
    if (!same_identity(entry.settings, settings)) {
        reopen(entry);
        return true;
    }
    if (entry.port == nullptr) {
        entry.settings = settings;
        entry.interface = interface_of(settings);
        entry.retry_ns = 1;  // it may be able now
        return false;
    }
    apply(entry, settings);
    return false;
}

void PortTable::apply(Entry& entry, const PortSettings& settings) {
    Netlink& netlink = context_.netlink;
    PortState state = entry.state;
    // What failed before is tried again with every change of the row.
    const std::string earlier = std::exchange(entry.trouble, {});
    if (state.text == earlier) state.text.clear();
    const auto report = [&](const std::string& what, const Result<void>& done) {
        if (done) return;
        const std::string text = format("{}: {}", what, done.error().text);
        LOG(warning, "port", "{}: {}", settings.name, text);
        entry.trouble += (entry.trouble.empty() ? "" : "; ") + text;
    };
    const auto changed = [&](const auto& before, const auto& after) {
        return before != after || !earlier.empty();
    };
    if (settings.mtu != 0 && changed(entry.settings.mtu, settings.mtu)) {
        const std::string what = format("set the MTU to {}", settings.mtu);
        if (entry.state.ifindex != 0)
            report(what, netlink.set_mtu(entry.state.ifindex, settings.mtu));
        else if (settings.kind == shm::PortKind::ethdev)
            report(what, static_cast<EthdevPort&>(*entry.port)
                             .set_mtu(static_cast<std::uint16_t>(settings.mtu)));
    }
    if (settings.kind == shm::PortKind::null) state.mtu = settings.mtu;
    if (is_tap(settings.kind) && settings.mac && changed(entry.settings.mac, settings.mac))
        report(format("set the address {}", to_string(*settings.mac)),
               netlink.set_mac(entry.state.ifindex, *settings.mac));
    if (settings.kind == shm::PortKind::local && changed(entry.settings.device, settings.device))
        move_addresses(netlink, entry.state.ifindex, entry.settings.device, settings.device,
                       report);
    entry.settings = settings;
    set_state(entry, std::move(state));
}

void PortTable::tick(std::uint64_t now_ns) {
    context_.around.reset();
    bool opened = false;
    const bool poll_devices = now_ns >= next_poll_ns_;
    if (poll_devices) next_poll_ns_ = now_ns + kSecond;
    for (auto& [slot, entry] : entries_) {
        if (follow_row(entry)) opened = true;
        if (follow_queues(slot, entry)) opened = true;
        if (entry.settings.kind == shm::PortKind::ethdev && entry.port != nullptr && poll_devices)
            set_state(entry, static_cast<const EthdevPort&>(*entry.port).state());
        const bool failed = entry.state.health == shm::PortHealth::failed;
        if (entry.port != nullptr || (!failed && !is_tap(entry.settings.kind))) continue;
        if (entry.retry_ns == 0) entry.retry_ns = now_ns + kRetry;
        if (now_ns < entry.retry_ns) continue;
        try_open(entry);
        opened = opened || entry.port != nullptr;
    }
    if (opened) publish();
}

void PortTable::use_events(int agent, std::span<const int> wake) {
    agent_event_ = agent;
    wake_events_.assign(wake.begin(), wake.end());
    publish();
}

bool PortTable::follow_queues(PortSlot slot, Entry& entry) {
    const shm::PortQueues& row = arena_.wanted_queues(slot);
    const std::uint64_t link_bps = std::uint64_t{entry.state.speed_mbps} * 1'000'000;
    const std::uint32_t sequence = row.sequence.load(std::memory_order_acquire);
    if (sequence == entry.queues_sequence && link_bps == entry.queues_link_bps) return false;
    const auto plan = shm::read_queues(row);
    if (!plan) return false;  // being written: at the next tick
    entry.queues_sequence = plan->sequence;
    entry.queues_link_bps = link_bps;
    if (plan->n_queues == 0) {
        if (entry.egress == nullptr) return false;
        retired_egress_.push_back(std::move(entry.egress));
        return true;
    }
    const bool fresh = entry.egress == nullptr;
    if (fresh) entry.egress = std::make_unique<Egress>(egress_room_);
    entry.egress->configure(*plan, link_bps, monotonic_ns());
    return fresh;
}

void PortTable::publish() {
    ++view_generation_;
    std::vector<std::unique_ptr<WorkerView>> views;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
        auto& view = views.emplace_back(std::make_unique<WorkerView>());
        view->generation = view_generation_;
        view->ports.resize(arena_.max_ports());
        view->egress.resize(arena_.max_ports());
        view->agent_event = agent_event_;
        if (w < wake_events_.size()) view->wake_event = wake_events_[w];
    }
    for (const auto& [slot, entry] : entries_) {
        if (entry.port == nullptr) continue;
        for (auto& view : views) {
            view->ports[slot.value()] = entry.port.get();
            view->egress[slot.value()] = entry.egress.get();
        }
        const auto queues = entry.port->rx();
        for (std::size_t q = 0; q < queues.size(); ++q)
            views[entry.queue_workers[q].value()]->rx.push_back({slot, queues[q].get()});
    }
    for (std::size_t w = 0; w < workers_.size(); ++w) workers_[w]->offer(std::move(views[w]));
    for (const auto& worker : workers_) worker->wait_adopted();
    retired_.clear();
    retired_egress_.clear();
}

}  // namespace raicho::io
