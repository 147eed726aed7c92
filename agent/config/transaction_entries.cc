// SPDX-License-Identifier: Apache-2.0
// The flows, groups and meters of a commit: what changes, and in which order. What is named comes
// before who names it and goes after.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agent/config/transaction.h"
#include "base/text.h"

namespace raicho::agent::config {

namespace {

/// A few milliseconds.
constexpr std::size_t kEntriesATurn = 200;

/// Whether the entries of a bridge are the same without a look into their texts: then there may be
/// very many, and one more port costs nothing.
bool same_entries(const dsl::BridgeConfig* before, const dsl::BridgeConfig& after) {
    if (before == nullptr || before->flows != after.flows || before->groups != after.groups ||
        before->meters != after.meters)
        return false;
    if (after.flows.empty() && after.groups.empty()) return true;
    std::unordered_map<std::string_view, std::optional<PortNo>> numbers;
    for (const dsl::PortConfig& p : after.ports) numbers.emplace(p.name, p.number);
    return std::ranges::all_of(before->ports, [&](const dsl::PortConfig& p) {
        const auto now = numbers.find(p.name);
        return now == numbers.end() || now->second == p.number;
    });
}

template <class Mod>
void tell(std::vector<std::string>& lines, const std::string& bridge,
          const std::vector<EntryChange<Mod>>& changes, Cause cause) {
    for (const EntryChange<Mod>& c : changes) {
        if (c.cause != cause) continue;
        const std::string_view verb = c.cause == Cause::drift ? "restore"
                                      : c.before == nullptr   ? "add"
                                      : c.after == nullptr    ? "delete"
                                                              : "change";
        lines.push_back(format("bridge {}: {} {}", bridge, verb, c.label));
    }
}

void tell(std::vector<std::string>& lines, const std::string& bridge, const EntryChanges& changes,
          Cause cause) {
    tell(lines, bridge, changes.groups, cause);
    tell(lines, bridge, changes.meters, cause);
    tell(lines, bridge, changes.flows, cause);
}

}  // namespace

std::vector<std::string> doubted_bridges(const Target& target, const dsl::Config& running) {
    std::vector<std::string> names;
    for (const dsl::BridgeConfig& b : running.bridges)
        if (target.changed_by_others(b.name)) names.push_back(b.name);
    return names;
}

/// Whether the commit has to do with the bridge, its entries apart.
bool Transaction::touches(const std::string& bridge) const {
    return std::ranges::any_of(steps_, [&](const dsl::AnyStep& step) {
        return std::visit(
            [&](const auto& s) {
                if constexpr (requires { s.bridge; })
                    return s.bridge == bridge;
                else
                    return false;
            },
            step);
    });
}

/// Whether its configured entries are to be looked for in the switch. A start takes them as it
/// finds them: an agent that comes back changes nothing by itself.
bool Transaction::mends(const std::string& bridge, bool same) const {
    return begin_ == Begin::running && running_.find_bridge(bridge) != nullptr &&
           (!same || touches(bridge)) && std::ranges::find(doubted_, bridge) != doubted_.end();
}

void Transaction::mend() {
    for (BridgeChanges& b : entry_changes_) {
        if (!b.mend) continue;
        add_drift(b.changes, b.before, b.after, found_in(b.bridge));
        tell(report_.changes, b.bridge, b.changes, Cause::drift);
    }
    entry_changes_.remove_if([](const BridgeChanges& b) { return b.changes.empty(); });
}

Found Transaction::found_in(const std::string& bridge) const {
    return {[this, bridge](const openflow::FlowMod& f) { return target_.has_flow(bridge, f); },
            [this, bridge](const openflow::GroupMod& g) { return target_.has_group(bridge, g); },
            [this, bridge](const openflow::MeterMod& m) { return target_.has_meter(bridge, m); }};
}

/// The bridge whose entries the switch has; nothing where it has no such bridge.
const dsl::BridgeConfig* Transaction::entries_of(const std::string& bridge) const {
    const dsl::BridgeConfig* live = running_.find_bridge(bridge);
    return live == nullptr || found_ == nullptr ? live : found_->saved.find_bridge(bridge);
}

const dsl::BridgeConfig* Transaction::doubtful_entries_of(const std::string& bridge) const {
    return found_ == nullptr || !found_->other ? nullptr : found_->other->find_bridge(bridge);
}

Result<void> Transaction::plan_entries() {
    const bool doubt = found_ != nullptr && found_->other;
    for (const dsl::BridgeConfig& b : candidate_.bridges) {
        const dsl::BridgeConfig* live = entries_of(b.name);
        const dsl::BridgeConfig* other = doubtful_entries_of(b.name);
        const bool same = same_entries(live, b) && (!doubt || same_entries(other, b));
        const bool mend = mends(b.name, same);
        if (same && !mend) continue;
        BridgeChanges& mine = entry_changes_.emplace_back();  // keeps its place: it is pointed into
        mine.bridge = b.name;
        mine.mend = mend;
        TRY_ASSIGN(mine.after, parse_entries(b));
        if (live != nullptr) {
            TRY_ASSIGN(mine.before, parse_entries(*live));
        }
        if (other != nullptr) {
            TRY_ASSIGN(mine.other, parse_entries(*other));
        }
        mine.changes = compare(mine.before, mine.after, doubt ? &mine.other : nullptr);
        tell(report_.changes, b.name, mine.changes, Cause::difference);
        if (mine.changes.empty() && !mend) entry_changes_.pop_back();
    }
    return {};
}

void Transaction::entries_ready() {
    next_bridge_ = entry_changes_.begin();
    add_some();
}

void Transaction::add_some() {
    std::size_t left = kEntriesATurn;
    for (; next_bridge_ != entry_changes_.end(); ++next_bridge_, next_flow_ = 0) {
        const BridgeChanges& b = *next_bridge_;
        if (next_flow_ == 0)
            if (Result<void> result = add_named(b); !result)
                return abort(std::move(result.error()));
        while (next_flow_ < b.changes.flows.size()) {
            const auto& c = b.changes.flows[next_flow_++];
            if (c.after == nullptr) continue;
            Result<void> result = keep(b, c.label, target_.add_flow(b.bridge, *c.after));
            if (!result) return abort(std::move(result.error()));
            if (--left == 0) return target_.soon([self = shared_from_this()] { self->add_some(); });
        }
    }
    apply();
}

Result<void> Transaction::keep(const BridgeChanges& b, const std::string& label,
                               Result<Undo> done) {
    if (!done)
        return fail(format("bridge \"{}\": {}: {}", b.bridge, label, done.error().text),
                    done.error().hint);
    undo_by(std::move(*done));
    return {};
}

Result<void> Transaction::add_named(const BridgeChanges& b) {
    for (const auto& c : b.changes.meters)
        if (c.after != nullptr) TRY(keep(b, c.label, target_.set_meter(b.bridge, *c.after)));
    for (const auto& c : b.changes.groups)
        if (c.after != nullptr) TRY(keep(b, c.label, target_.set_group(b.bridge, *c.after)));
    return {};
}

/// Flows that will go make room for those that come, though they go last.
void Transaction::lend_room() {
    for (const BridgeChanges& b : entry_changes_) {
        std::vector<const openflow::FlowMod*> leaving;
        for (const auto& c : b.changes.flows)
            if (c.after == nullptr) leaving.push_back(c.before);
        if (leaving.empty()) continue;
        target_.lend_room(b.bridge, leaving);
        undo_by([this, bridge = b.bridge] { target_.lend_room(bridge, {}); });
    }
}

/// Not before the commit is certain: a deleted flow's counters and flow-removed message are gone.
void Transaction::remove_some() {
    std::size_t left = kEntriesATurn;
    for (; next_bridge_ != entry_changes_.end(); ++next_bridge_, next_flow_ = 0) {
        const BridgeChanges& b = *next_bridge_;
        while (next_flow_ < b.changes.flows.size()) {
            const auto& c = b.changes.flows[next_flow_++];
            if (c.after != nullptr) continue;
            target_.remove_flow(b.bridge, strict_delete(*c.before));
            if (--left == 0)
                return target_.soon([self = shared_from_this()] { self->remove_some(); });
        }
        remove_named(b);
    }
    complete();
}

void Transaction::remove_named(const BridgeChanges& b) {
    target_.lend_room(b.bridge, {});
    const auto note = [&](const std::string& label, Removal removal) {
        if (removal == Removal::in_use)
            report_.notices.push_back(
                format("bridge {}: {} stays: entries of a controller use it", b.bridge, label));
    };
    for (const auto& c : b.changes.groups)
        if (c.after == nullptr) note(c.label, target_.remove_group(b.bridge, *c.before));
    for (const auto& c : b.changes.meters)
        if (c.after == nullptr) note(c.label, target_.remove_meter(b.bridge, *c.before));
}

}  // namespace raicho::agent::config
