// SPDX-License-Identifier: Apache-2.0
#include "agent/switch_bridge.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace raicho::agent {

namespace {

/// How long an adopted bridge forwards as before while its controllers come back.
constexpr Time kModeHold = 5 * kSecond;
/// While somebody waits for a barrier: so many turns of the loop without a pause, then pauses that
/// double up to the longest.
constexpr unsigned kQuickPolls = 16;
constexpr Time kFirstPause = 20'000;
constexpr unsigned kMostDoublings = 6;
constexpr std::size_t kHarvest = 1024;

std::string name_of(const shm::BridgeRecord& record) {
    return {record.name.begin(), std::ranges::find(record.name, '\0')};
}

shm::BridgeMode mode_of(Forwarding forwarding) {
    switch (forwarding) {
        case Forwarding::flows_drop: return shm::BridgeMode::flows_drop;
        case Forwarding::flows_normal: return shm::BridgeMode::flows_normal;
        case Forwarding::normal: return shm::BridgeMode::normal;
    }
    return shm::BridgeMode::flows_drop;
}

bool changes_entries(const openflow::Message& message) {
    return std::holds_alternative<openflow::FlowMod>(message) ||
           std::holds_alternative<openflow::GroupMod>(message) ||
           std::holds_alternative<openflow::MeterMod>(message);
}

}  // namespace

Bridge::Bridge(BridgeContext& context, BridgeId id, FailMode mode, Origin origin)
    : context_(context),
      id_(id),
      name_(name_of(context.arena.bridge(id))),
      fail_mode_(mode),
      changed_by_others_(origin == Origin::adopted),
      mode_held_(origin == Origin::adopted),
      store_(context.space, id),
      groups_(context.space, id),
      meters_(context.space, id),
      plane_(context.plane.bridge(id)),
      datapath_(make_datapath()),
      channel_(std::make_unique<Channel>(context.executor, name_, context.numbers,
                                         static_cast<ChannelHandler&>(*this))) {
    if (mode_held_)
        hold_timer_ = context_.loop.after(kModeHold, [this] {
            mode_held_ = false;
            update_mode();
        });
    update_mode();
    touch();
}

Bridge::~Bridge() {
    context_.loop.cancel(tick_timer_);
    context_.loop.cancel(hold_timer_);
}

std::unique_ptr<Datapath> Bridge::make_datapath() {
    DatapathIdentity identity{.dpid = Dpid(record().dpid),
                              .desc = {.mfr = "Raicho",
                                       .hw = "DPDK",
                                       .sw = context_.version,
                                       .serial = "None",
                                       .dp = name_},
                              .max_flows = context_.arena.max_flows()};
    auto datapath = std::make_unique<Datapath>(
        std::move(identity), Stores{store_, groups_, meters_}, *plane_, context_.loop.now());
    datapath->set_share(lent_share());
    return datapath;
}

void Bridge::set_fail_mode(FailMode mode) {
    fail_mode_ = mode;
    touch();
}

/// Flows that stay, as far as `counts` says.
template <class Counts>
std::size_t Bridge::n_staying(TableId table, const Counts& counts) const {
    std::size_t n = 0;
    store_.for_each(table, [&](FlowId flow) {
        if (!std::ranges::binary_search(leaving_, flow) && counts(flow)) ++n;
        return true;
    });
    return n;
}

Result<void> Bridge::set_share(const Share& share) {
    if (store_.size() > share.max_flows + leaving_.size())
        return fail(format("max-flows {}: the bridge has {} flows", share.max_flows,
                           store_.size() - leaving_.size()),
                    "delete some, or allow more");
    for (std::size_t t = share.n_tables; t < share_.n_tables; ++t) {
        const TableId table(static_cast<std::uint8_t>(t));
        if (store_.table_counts(table).active == 0) continue;
        if (const auto n = n_staying(table, [](FlowId) { return true; }); n != 0)
            return fail(format("max-tables {}: table {} has {} flow{}", share.n_tables, t, n,
                               n == 1 ? "" : "s"),
                        "delete them, or allow more");
    }
    if (share.n_tables < share_.n_tables) {
        const auto n = n_staying(kAllTables, [&](FlowId flow) {
            const auto next = store_.instructions(flow).go_to;
            return next && next->value() >= share.n_tables;
        });
        if (n != 0)
            return fail(format("max-tables {}: {} flow{} to later tables", share.n_tables, n,
                               n == 1 ? " goes" : "s go"),
                        "delete them, or allow more");
    }
    share_ = share;
    datapath_->set_share(lent_share());
    return {};
}

void Bridge::lend_room(std::vector<FlowId> leaving) {
    std::ranges::sort(leaving);
    leaving_ = std::move(leaving);
    datapath_->set_share(lent_share());
}

Share Bridge::lent_share() const {
    Share share = share_;
    const auto most = std::numeric_limits<std::uint32_t>::max();
    share.max_flows +=
        static_cast<std::uint32_t>(std::min<std::size_t>(leaving_.size(), most - share.max_flows));
    return share;
}

void Bridge::set_dpid(Dpid dpid) {
    channel_->end_sessions("the datapath id changed");
    context_.arena.bridge(id_).dpid = dpid.value();
    datapath_ = make_datapath();
    touch();
}

void Bridge::session_up(ConnectionId connection) {
    datapath_->connected(connection, context_.loop.now());
    touch();
}

void Bridge::auxiliary_up(ConnectionId connection, ConnectionId main, std::uint8_t auxiliary_id) {
    datapath_->connected_auxiliary(connection, main, auxiliary_id, context_.loop.now());
    touch();
}

void Bridge::session_down(ConnectionId connection) {
    datapath_->disconnected(connection, context_.loop.now());
    touch();
}

void Bridge::message(ConnectionId connection, std::uint32_t xid, const openflow::Message& message,
                     Bytes raw) {
    changed_by_others_ = changed_by_others_ || changes_entries(message);
    datapath_->handle(connection, xid, message, raw, context_.loop.now(), *channel_);
    n_polls_ = 0;
    touch();
}

bool Bridge::accepts(ConnectionId connection) const {
    return datapath_->accepts(connection);
}

void Bridge::drained(ConnectionId) {
    touch();
}

void Bridge::controllers_changed() {
    if (channel_->n_controllers_up() > 0) mode_held_ = false;
    touch();
}

void Bridge::packet_in(const PacketInEvent& event) {
    datapath_->packet_in(event, *channel_);
}

void Bridge::port_changed(openflow::PortReason reason, const openflow::PortDesc& desc) {
    datapath_->port_changed(reason, desc, *channel_);
    touch();
}

openflow::OfResult<void> Bridge::flow_mod(const openflow::FlowMod& mod) {
    auto result = datapath_->flow_mod(mod, context_.loop.now());
    touch();
    return result;
}

openflow::OfResult<void> Bridge::change(const openflow::GroupMod& mod) {
    auto result = datapath_->group_mod(mod, context_.loop.now());
    touch();  // flows that named it are gone
    return result;
}

openflow::OfResult<void> Bridge::change(const openflow::MeterMod& mod) {
    auto result = datapath_->meter_mod(mod, context_.loop.now());
    touch();
    return result;
}

void Bridge::tend() {
    store_.harvest(kHarvest);
}

/// What was changed in this turn of the loop is looked at once, at its end.
void Bridge::touch() {
    if (std::exchange(touched_, true)) return;
    context_.loop.cancel(std::exchange(tick_timer_, TimerId{}));
    tick_timer_ = context_.loop.after(0, [this] { settle(); });
}

void Bridge::settle() {
    touched_ = false;
    update_mode();
    const Time now = context_.loop.now();
    datapath_->tick(now, *channel_);
    channel_->resume();
    if (touched_) return;
    Time delay = 0;
    if (datapath_->wants_poll()) {
        if (n_polls_ >= kQuickPolls)
            delay = kFirstPause << std::min(n_polls_ - kQuickPolls, kMostDoublings);
        ++n_polls_;
    } else {
        n_polls_ = 0;
        const Time next = datapath_->next_tick();
        if (next == kNever) {
            tick_timer_ = TimerId{};
            return;
        }
        delay = next > now ? next - now : 0;
    }
    tick_timer_ = context_.loop.after(delay, [this] { settle(); });
}

/// OF 1.3.5 §6.3.2 and house.md: the dataplane's mode follows the named controllers. Sessions of a
/// listener get packet-ins but decide nothing: a look with ovs-ofctl must not switch the mode.
void Bridge::update_mode() {
    const std::size_t sessions = channel_->n_sessions();
    shm::BridgeRecord& record = context_.arena.bridge(id_);
    record.controller_connected.store(sessions > 0 ? 1 : 0, std::memory_order_relaxed);
    if (mode_held_) return;
    const shm::BridgeMode mode =
        mode_of(forwarding(fail_mode_, channel_->n_controllers(), channel_->n_controllers_up()));
    const shm::BridgeMode before = record.mode.exchange(mode, std::memory_order_release);
    if (mode == before || before == shm::BridgeMode::unused) return;
    if (mode == shm::BridgeMode::normal)
        LOG(warning, "switch", "all controllers lost: normal forwarding bridge={}", name_);
    else if (before == shm::BridgeMode::normal)
        LOG(info, "switch", "flows act again bridge={}", name_);
}

void Bridge::retire() {
    mode_held_ = true;  // for good
    context_.loop.cancel(hold_timer_);
    channel_.reset();
    store_.remove_all();
    groups_.remove_all();
    meters_.remove_all();
    for (std::size_t table = 0; table < kTables; ++table)
        plane_->set_table_setup(TableId(static_cast<std::uint8_t>(table)), {});
    shm::BridgeRecord& record = context_.arena.bridge(id_);
    record.controller_connected.store(0, std::memory_order_relaxed);
    record.mode.store(shm::BridgeMode::unused, std::memory_order_release);
}

}  // namespace raicho::agent
