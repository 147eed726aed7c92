// SPDX-License-Identifier: Apache-2.0
// The switch as the commit engine changes it: flows, groups and meters.
#include <algorithm>
#include <optional>
#include <utility>

#include "agent/config/entries.h"
#include "agent/switch.h"
#include "agent/switch_values.h"
#include "base/log.h"
#include "base/text.h"
#include "openflow/text.h"

namespace raicho::agent {

namespace {

/// While a commit waits for room.
constexpr Time kRoomPoll = 1'000'000;
/// A commit's flows need the room of deleted ones in a full arena only: a worker that hangs must
/// not hold up every other commit.
constexpr Time kLongestRoomWait = 100 * kRoomPoll;

/// As a controller would be told.
Error error_of(const openflow::OfpError& error) {
    return Error{format("{}{}{}",
                        openflow::error_code_name(std::to_underlying(error.type), error.code),
                        error.why.empty() ? "" : ": ", error.why)};
}

/// An entry that is there already as the configuration wants it: adding it anew would only make
/// its age start again.
bool is_there(const FlowStore& store, const openflow::FlowMod& mod) {
    const auto flow = store.find_strict(mod.table, mod.priority, mod.match);
    if (!flow) return false;
    const FlowHead head = store.head(*flow);
    return head.cookie == mod.cookie && head.idle_timeout == mod.idle_timeout &&
           head.hard_timeout == mod.hard_timeout && head.flags == mod.flags &&
           store.instructions(*flow) == mod.instructions;
}

std::optional<openflow::GroupMod> group_of(const Bridge& bridge, GroupId id) {
    const GroupStore& groups = bridge.groups();
    if (!groups.contains(id)) return std::nullopt;
    return openflow::GroupMod{openflow::GroupModCommand::modify, groups.head(id).type, id,
                              groups.buckets(id)};
}

std::optional<openflow::MeterMod> meter_of(const Bridge& bridge, MeterId id) {
    const auto found = bridge.datapath().meters().configs(id);
    if (!found) return std::nullopt;
    const openflow::MeterConfig& config = found->front();
    return openflow::MeterMod{openflow::MeterModCommand::modify, config.flags, id, config.bands};
}

bool same_entry(const openflow::GroupMod& a, const openflow::GroupMod& b) {
    return a.type == b.type && a.buckets == b.buckets;
}
bool same_entry(const openflow::MeterMod& a, const openflow::MeterMod& b) {
    return a.flags == b.flags && a.bands == b.bands;
}

bool in_use(const Bridge& bridge, const openflow::GroupMod& group, Time now) {
    return bridge.datapath().groups().stats(group.group, now).front().ref_count != 0;
}
bool in_use(const Bridge& bridge, const openflow::MeterMod& meter, Time now) {
    const auto stats = bridge.datapath().meters().stats(meter.meter, now);
    return stats && stats->front().flow_count != 0;
}

template <class Mod>
Mod as_remove(Mod mod) {
    mod.command = decltype(mod.command)::remove;
    return mod;
}

}  // namespace

bool Switch::changed_by_others(std::string_view bridge) const {
    const Bridge* b = find(bridge);
    return b != nullptr && b->changed_by_others();
}

bool Switch::has_flow(std::string_view bridge, const openflow::FlowMod& flow) const {
    const Bridge* b = find(bridge);
    return b != nullptr && is_there(b->flows(), flow);
}

bool Switch::has_group(std::string_view bridge, const openflow::GroupMod& group) const {
    const Bridge* b = find(bridge);
    if (b == nullptr) return false;
    const auto found = group_of(*b, group.group);
    return found && same_entry(*found, group);
}

bool Switch::has_meter(std::string_view bridge, const openflow::MeterMod& meter) const {
    const Bridge* b = find(bridge);
    if (b == nullptr) return false;
    const auto found = meter_of(*b, meter.meter);
    return found && same_entry(*found, meter);
}

void Switch::lend_room(std::string_view bridge,
                       const std::vector<const openflow::FlowMod*>& leaving) {
    Bridge* b = find(bridge);
    if (b == nullptr) return;
    std::vector<FlowId> flows;
    for (const openflow::FlowMod* mod : leaving)
        if (is_there(b->flows(), *mod))  // else a controller has made it its own: it stays
            flows.push_back(*b->flows().find_strict(mod->table, mod->priority, mod->match));
    b->lend_room(std::move(flows));
}

void Switch::when_flows_ready(std::function<void()> ready) {
    space_->poll();
    if (!space_->ready())
        LOG(info, "switch", "a commit waits for workers that hold rows of before the restart");
    wait_for_flows({space_->start_grace(), loop_.now() + kLongestRoomWait}, std::move(ready));
}

void Switch::soon(std::function<void()> go_on) {
    loop_.after(0, std::move(go_on));
}

void Switch::wait_for_flows(RoomWait wait, std::function<void()> ready) {
    space_->poll();
    const bool room =
        space_->n_retired() == 0 || space_->passed(wait.retired) || loop_.now() >= wait.deadline;
    if (space_->ready() && room) return ready();
    flows_timer_ = loop_.after(kRoomPoll, [this, wait, ready = std::move(ready)]() mutable {
        wait_for_flows(wait, std::move(ready));
    });
}

Result<config::Undo> Switch::add_flow(std::string_view bridge, const openflow::FlowMod& flow) {
    Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    const FlowStore& store = b->flows();
    if (is_there(store, flow)) return config::Undo([] {});
    config::Undo undo = [this, name = std::string(bridge), flow] {
        remove_flow(name, config::strict_delete(flow));
    };
    if (const auto old = store.find_strict(flow.table, flow.priority, flow.match))
        undo = [this, name = std::string(bridge), flow, head = store.head(*old),
                match = store.match(*old), instructions = store.instructions(*old)] {
            Bridge* owner = find(name);
            // a controller may have made it its own meanwhile
            if (owner == nullptr || !is_there(owner->flows(), flow)) return;
            // its timers are set at the end of this turn of the loop, as for the add before
            if (const auto back = owner->datapath().restore_flow(head, match, instructions); !back)
                LOG(error, "switch", "flow not restored bridge={} why=\"{}\"", name,
                    back.error().why);
        };
    if (const auto done = b->flow_mod(flow); !done) {
        return std::unexpected(error_of(done.error()));
    }
    return undo;
}

void Switch::remove_flow(std::string_view bridge, const openflow::FlowMod& flow) {
    Bridge* b = find(bridge);
    if (b == nullptr || !is_there(b->flows(), flow)) return;  // a controller has made it its own
    (void)b->flow_mod(flow);                                  // a delete has nothing to refuse
}

Result<config::Undo> Switch::set_group(std::string_view bridge, const openflow::GroupMod& group) {
    Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    return set_entry(*b, group, group_of(*b, group.group));
}

Result<config::Undo> Switch::set_meter(std::string_view bridge, const openflow::MeterMod& meter) {
    Bridge* b = find(bridge);
    if (b == nullptr) return std::unexpected(no_bridge(bridge));
    return set_entry(*b, meter, meter_of(*b, meter.meter));
}

template <class Mod>
Result<config::Undo> Switch::set_entry(Bridge& bridge, Mod wanted, std::optional<Mod> before) {
    if (before && same_entry(*before, wanted)) return config::Undo([] {});
    wanted.command = before ? decltype(wanted.command)::modify : decltype(wanted.command)::add;
    if (const auto done = bridge.change(wanted); !done)
        return std::unexpected(error_of(done.error()));
    return config::Undo([this, name = bridge.name(), back = before.value_or(as_remove(wanted))] {
        Bridge* owner = find(name);
        if (owner == nullptr) return;
        if (const auto done = owner->change(back); !done)
            LOG(error, "switch", "entry not restored bridge={} why=\"{}\"", name, done.error().why);
    });
}

config::Removal Switch::remove_group(std::string_view bridge, const openflow::GroupMod& group) {
    Bridge* b = find(bridge);
    return b == nullptr ? config::Removal::gone
                        : remove_entry(*b, group, group_of(*b, group.group));
}

config::Removal Switch::remove_meter(std::string_view bridge, const openflow::MeterMod& meter) {
    Bridge* b = find(bridge);
    return b == nullptr ? config::Removal::gone
                        : remove_entry(*b, meter, meter_of(*b, meter.meter));
}

template <class Mod>
config::Removal Switch::remove_entry(Bridge& bridge, const Mod& configured,
                                     const std::optional<Mod>& found) {
    if (!found || !same_entry(*found, configured))
        return config::Removal::gone;  // a controller's now
    if (in_use(bridge, configured, loop_.now())) return config::Removal::in_use;
    (void)bridge.change(as_remove(configured));  // nothing names it: it cannot be refused
    return config::Removal::gone;
}

}  // namespace raicho::agent
