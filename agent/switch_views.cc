// SPDX-License-Identifier: Apache-2.0
// The switch as `show` sees it: arena, channels and plane as plain values. Changes nothing but
// clear_macs().
#include <algorithm>
#include <utility>

#include "agent/switch.h"
#include "base/text.h"
#include "shm/mac_table.h"

namespace raicho::agent {

namespace {

/// A worker or a dataplane whose heartbeat is older than this is not running.
constexpr Time kSilence = 3 * kSecond;
constexpr std::size_t kBucketSize = 64;

/// The only flow that needs no template is the miss entry.
std::string form_text(shm::Template kind, std::size_t n_flows) {
    if (kind == shm::Template::none) return n_flows != 0 ? "miss only" : "empty";
    return std::string(shm::name_of(kind));
}

const char* mode_text(shm::BridgeMode mode) {
    switch (mode) {
        case shm::BridgeMode::unused: return "off";
        case shm::BridgeMode::flows_drop: return "flows (a miss is dropped)";
        case shm::BridgeMode::flows_normal: return "flows (a miss goes to normal)";
        case shm::BridgeMode::normal: return "normal (standalone: controllers lost)";
    }
    return "unknown";
}

}  // namespace

std::string Switch::name() const {
    return name_;
}

BridgeView Switch::bridge_view(const Bridge& bridge) const {
    const shm::BridgeRecord& record = bridge.record();
    const auto mode = record.mode.load(std::memory_order_relaxed);
    const auto slots = plane_->ports().of_bridge(bridge.id());
    const auto is_up = [&](PortSlot slot) {
        return plane_->ports().condition(slot).health == shm::PortHealth::up;
    };
    return {.name = bridge.name(),
            .id = bridge.id(),
            .dpid = Dpid(record.dpid),
            .fail_mode = bridge.fail_mode() == FailMode::secure ? "secure" : "standalone",
            .mode = mode_text(mode),
            .forwards_without_flows =
                mode == shm::BridgeMode::flows_normal || mode == shm::BridgeMode::normal,
            .miss_send_len =
                static_cast<std::uint16_t>(record.miss_send_len.load(std::memory_order_relaxed)),
            .n_flows = bridge.flows().size(),
            .n_ports = slots.size(),
            .n_ports_up = static_cast<std::size_t>(std::ranges::count_if(slots, is_up)),
            .n_controllers = bridge.channel().n_controllers(),
            .n_controllers_connected = bridge.channel().n_controllers_up(),
            .mac_ageing_s = record.mac_ageing_s.load(std::memory_order_relaxed),
            .mac_limit = record.mac_limit.load(std::memory_order_relaxed)};
}

std::vector<BridgeView> Switch::bridges() const {
    std::vector<BridgeView> views;
    for (const auto& bridge : bridges_) views.push_back(bridge_view(*bridge));
    return views;
}

PortView Switch::port_view(const Bridge& bridge, PortSlot slot) const {
    const PortRows& rows = plane_->ports();
    const PortSpec spec = rows.spec(slot);
    const PortCondition condition = rows.condition(slot);
    const openflow::PortDesc desc = rows.desc(slot);
    PortView view{.bridge = bridge.name(),
                  .name = spec.name,
                  .number = spec.number,
                  .slot = slot,
                  .kind = spec.kind,
                  .device = spec.device,
                  .health = condition.health,
                  .state = to_text(condition),
                  .mac = desc.hw_addr,
                  .mtu = condition.mtu,
                  .speed_mbps = condition.speed_mbps,
                  .queues = condition.queues,
                  .of_config = desc.config,
                  .of_state = desc.state,
                  .counters = arena_.port_totals(slot),
                  .age_ns = loop_.now() - std::min(loop_.now(), rows.attached_at(slot))};
    if (const auto rate = rates_.rate(slot, rows.attached_at(slot), view.counters, loop_.now())) {
        const auto whole = [](double value) { return static_cast<std::uint64_t>(value + 0.5); };
        view.rate = PortRateView{whole(rate->rx_pps), whole(rate->rx_bps), whole(rate->tx_pps),
                                 whole(rate->tx_bps)};
    }
    const shm::DropCounters drops = arena_.drop_totals(slot);
    for (const shm::DropRow& row : shm::kDropRows)
        view.drops[static_cast<std::size_t>(row.reason)] = drops[row.reason];
    return view;
}

std::vector<PortView> Switch::ports(std::string_view bridge) const {
    std::vector<PortView> views;
    for (const Bridge* b : named(bridge))
        for (const PortSlot slot : plane_->ports().of_bridge(b->id()))
            views.push_back(port_view(*b, slot));
    return views;
}

std::vector<ControllerView> Switch::controllers(std::string_view bridge) const {
    std::vector<ControllerView> views;
    for (const Bridge* b : named(bridge))
        std::ranges::move(b->channel().controllers(), std::back_inserter(views));
    return views;
}

std::vector<ListenView> Switch::listens(std::string_view bridge) const {
    std::vector<ListenView> views;
    for (const Bridge* b : named(bridge))
        std::ranges::move(b->channel().listens(), std::back_inserter(views));
    return views;
}

std::vector<TableView> Switch::tables(std::string_view bridge) const {
    std::vector<TableView> views;
    const Bridge* b = find(bridge);
    if (b == nullptr) return views;
    for (std::size_t t = 0; t < kTables; ++t) {
        const TableId id(static_cast<std::uint8_t>(t));
        const TableCount count = b->flows().table_counts(id);
        if (count.active == 0 && count.lookup == 0) continue;
        const TableForm form = b->flows().form(id);
        views.push_back({.table = id,
                         .active = count.active,
                         .lookups = count.lookup,
                         .matches = count.matched,
                         .form = form_text(form.kind, count.active),
                         .n_tuples = form.n_tuples,
                         .size = form.n_lines * sizeof(shm::Line)});
    }
    return views;
}

std::vector<MacView> Switch::macs(std::string_view bridge) const {
    std::vector<MacView> views;
    const Bridge* b = find(bridge);
    if (b == nullptr) return views;
    const auto now_s = static_cast<std::uint32_t>(loop_.now() / kSecond);
    shm::for_each_mac(arena_, b->id(), now_s, [&](const shm::MacRow& row) {
        const PortSpec spec = plane_->ports().spec(row.slot);
        views.push_back({.mac = row.mac,
                         .vlan = row.vlan,
                         .port = spec.number,
                         .port_name = spec.name,
                         .age_s = row.age_s});
    });
    std::ranges::sort(views, {}, [](const MacView& v) { return std::pair(v.vlan, v.mac); });
    return views;
}

DataplaneView Switch::dataplane() const {
    const ControlClient& control = plane_->control();
    const Time now = loop_.now();
    const Time beat = arena_.dataplane_words().heartbeat_ns.load(std::memory_order_relaxed);
    const bool silent =
        control.attached() && beat + kSilence < now && control.since() + kSilence < now;
    return {.attached = control.attached(),
            .state = control.state_text(),
            .pid = control.pid(),
            .n_workers = control.attached()
                             ? arena_.dataplane_words().workers.load(std::memory_order_relaxed)
                             : 0,
            .since_ns = now - control.since(),
            .last_error = control.last_error(),
            .silent_ns = silent ? now - beat : 0};
}

std::vector<WorkerView> Switch::workers() const {
    std::vector<WorkerView> views;
    const std::size_t n = arena_.dataplane_words().workers.load(std::memory_order_relaxed);
    for (std::size_t w = 0; w < std::min(n, arena_.max_workers()); ++w) {
        const WorkerId id(static_cast<std::uint8_t>(w));
        const shm::WorkerWords& words = arena_.worker_words(id);
        const bool sleeps = words.sleeping.load(std::memory_order_relaxed) != 0;
        const Time beat = words.heartbeat_ns.load(std::memory_order_relaxed);
        const bool silent = !sleeps && beat + kSilence < loop_.now();
        WorkerView view{.id = id,
                        .state = !plane_->control().attached() || silent ? "not running"
                                 : sleeps                                ? "asleep"
                                                                         : "forwarding",
                        .core = words.core,
                        .busy = std::nullopt};
        for (std::size_t p = 0; p < arena_.max_ports(); ++p) {
            const PortSlot slot(static_cast<std::uint16_t>(p));
            const shm::PortCounters& counters = arena_.port_counters(id, slot);
            view.rx_packets += counters.rx_packets;
            view.tx_packets += counters.tx_packets;
            for (const std::uint64_t drops : arena_.drop_counters(id, slot).by_reason)
                view.dropped += drops;
        }
        view.packet_ins = plane_->packet_ins(id);
        const std::uint64_t bursts = words.bursts.load(std::memory_order_relaxed);
        const std::uint64_t empty = words.empty_polls.load(std::memory_order_relaxed);
        if (bursts + empty > 0)
            view.busy = static_cast<double>(bursts) / static_cast<double>(bursts + empty);
        views.push_back(view);
    }
    return views;
}

MemoryView Switch::memory() const {
    const auto pool_region = [](const char* name, const IndexPool& pool, std::uint64_t unit) {
        return MemoryView::Region{.name = name,
                                  .used = pool.used(),
                                  .limit = std::uint64_t{pool.used()} + pool.available(),
                                  .unit_size = unit};
    };
    return {.file = arena_.path(),
            .backing = arena_.backing_text(),
            .size = arena_.size(),
            .regions = {pool_region("flows", space_->flows(), sizeof(shm::FlowHot)),
                        pool_region("records", space_->colds(), sizeof(shm::FlowCold)),
                        pool_region("chunks", space_->chunks().pool(), sizeof(shm::Chunk)),
                        {.name = "table lines",
                         .used = arena_.n_lines() - space_->lines().free_lines(),
                         .limit = arena_.n_lines(),
                         .unit_size = kBucketSize},
                        {.name = "ports",
                         .used = plane_->ports().n_used(),
                         .limit = arena_.max_ports(),
                         .unit_size = sizeof(shm::WantedPort)},
                        {.name = "bridges",
                         .used = bridges_.size(),
                         .limit = arena_.max_bridges(),
                         .unit_size = sizeof(shm::BridgeRecord)}}};
}

const FlowStore* Switch::flows(std::string_view bridge) const {
    const Bridge* b = find(bridge);
    return b == nullptr ? nullptr : &b->flows();
}

std::optional<PortNo> Switch::port_number(std::string_view bridge, std::string_view name) const {
    const Bridge* b = find(bridge);
    if (b == nullptr) return std::nullopt;
    const auto slot = plane_->ports().find(b->id(), name);
    if (!slot) return std::nullopt;
    return plane_->ports().spec(*slot).number;
}

std::string Switch::port_name(std::string_view bridge, PortNo number) const {
    const Bridge* b = find(bridge);
    if (b == nullptr) return {};
    const auto slot = plane_->ports().find(b->id(), number);
    return slot ? plane_->ports().spec(*slot).name : std::string();
}

bool Switch::clear_macs(std::string_view bridge) {
    const Bridge* b = find(bridge);
    if (b == nullptr) return false;
    arena_.bridge(b->id()).mac_generation.fetch_add(1, std::memory_order_release);
    return true;
}

}  // namespace raicho::agent
