// SPDX-License-Identifier: Apache-2.0
#include "agent/config/entries.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "openflow/group_names.h"
#include "openflow/mod_parser.h"
#include "openflow/text.h"

namespace raicho::agent::config {

namespace {

using openflow::FlowMod;
using openflow::GroupMod;
using openflow::MeterMod;
using Groups = std::map<GroupId, Entry<GroupMod>>;

std::string key_of(const FlowMod& flow) {
    std::vector<openflow::MatchField> fields(flow.match.fields().begin(),
                                             flow.match.fields().end());
    std::ranges::sort(fields, {}, &openflow::MatchField::field);
    openflow::Match sorted;
    for (const openflow::MatchField& f : fields) (void)sorted.add(f);
    return format("{} {} {}", flow.table.value(), flow.priority, openflow::to_text(sorted));
}

bool same(const FlowMod& a, const FlowMod& b) {
    return a.cookie == b.cookie && a.idle_timeout == b.idle_timeout &&
           a.hard_timeout == b.hard_timeout && a.flags == b.flags &&
           a.instructions == b.instructions;
}
bool same(const GroupMod& a, const GroupMod& b) {
    return a.type == b.type && a.buckets == b.buckets;
}
bool same(const MeterMod& a, const MeterMod& b) {
    return a.flags == b.flags && a.bands == b.bands;
}

std::string label_of(const dsl::FlowConfig& flow) {
    return flow.name.empty() ? format("flow \"{}\"", flow.text) : "flow " + flow.name;
}

std::unexpected<Error> refused(const dsl::BridgeConfig& bridge, std::string_view label,
                               const openflow::FlowTextError& error) {
    return fail(format("bridge \"{}\": {}: {}", bridge.name, label, error.text), error.hint);
}

template <class Entries>
auto changes_of(const Entries& before, const Entries& after) {
    using Mod = decltype(after.begin()->second.mod);
    std::vector<EntryChange<Mod>> changes;
    for (const auto& [key, old] : before)
        if (!after.contains(key)) changes.push_back({old.label, &old.mod, nullptr});
    for (const auto& [key, now] : after) {
        const auto old = before.find(key);
        if (old == before.end())
            changes.push_back({now.label, nullptr, &now.mod});
        else if (!same(old->second.mod, now.mod))
            changes.push_back({now.label, &old->second.mod, &now.mod});
    }
    return changes;
}

template <class Changes, class Entries>
void add_doubtful(Changes& changes, const Entries& before, const Entries& other,
                  const Entries& after) {
    const auto says = [](const Entries& entries, const auto& key, const auto& mod) {
        const auto at = entries.find(key);
        return at != entries.end() && same(at->second.mod, mod);
    };
    for (const auto& [key, entry] : other)
        if (!says(before, key, entry.mod) && !after.contains(key))
            changes.push_back({entry.label, &entry.mod, nullptr});
    for (const auto& [key, entry] : after)
        if (says(before, key, entry.mod) && !says(other, key, entry.mod))
            changes.push_back({entry.label, nullptr, &entry.mod});
}

template <class Changes, class Entries, class Has>
void drifted(Changes& changes, const Entries& before, const Entries& after, const Has& has) {
    for (const auto& [key, entry] : after) {
        const auto old = before.find(key);
        if (old == before.end() || !same(old->second.mod, entry.mod) || has(entry.mod)) continue;
        changes.push_back({entry.label, &entry.mod, &entry.mod, Cause::drift});
    }
}

/// Groups of a configuration, each behind those that it names; they have no loop.
class NamedFirst {
  public:
    explicit NamedFirst(const Groups& groups) : groups_(groups) {
        for (const auto& [id, entry] : groups) visit(id);
    }
    [[nodiscard]] std::size_t place(GroupId group) const {
        const auto at = places_.find(group);
        return at == places_.end() ? 0 : at->second;
    }

  private:
    void visit(GroupId group) {
        const auto at = groups_.find(group);
        if (at == groups_.end() || !seen_.insert(group).second) return;
        for (const GroupId named : openflow::named_by(at->second.mod.buckets)) visit(named);
        places_.emplace(group, places_.size());
    }

    const Groups& groups_;
    std::set<GroupId> seen_;
    std::map<GroupId, std::size_t> places_;
};

void order(std::vector<EntryChange<GroupMod>>& changes, const Groups& before, const Groups& after) {
    if (changes.size() < 2) return;
    const NamedFirst old(before);
    const NamedFirst now(after);
    std::ranges::stable_sort(changes, [&](const auto& a, const auto& b) {
        if ((a.after == nullptr) != (b.after == nullptr)) return a.after == nullptr;
        if (a.after == nullptr) return old.place(a.before->group) > old.place(b.before->group);
        return now.place(a.after->group) < now.place(b.after->group);
    });
}

}  // namespace

Result<BridgeEntries> parse_entries(const dsl::BridgeConfig& bridge) {
    std::map<std::string, PortNo, std::less<>> numbers;
    for (const dsl::PortConfig& p : bridge.ports)
        if (p.number) numbers.emplace(p.name, *p.number);
    const openflow::PortByName by_name = [&](std::string_view name) -> std::optional<PortNo> {
        const auto at = numbers.find(name);
        if (at == numbers.end()) return std::nullopt;
        return at->second;
    };
    BridgeEntries entries;
    for (const dsl::GroupConfig& g : bridge.groups) {
        const std::string label = format("group {}", g.id);
        auto parsed = openflow::parse_group(group_text(g), by_name);
        if (!parsed) return refused(bridge, label, parsed.error());
        entries.groups.emplace(GroupId(g.id), Entry<GroupMod>{label, std::move(*parsed)});
    }
    for (const dsl::MeterConfig& m : bridge.meters) {
        const std::string label = format("meter {}", m.id);
        auto parsed = openflow::parse_meter(meter_text(m));
        if (!parsed) return refused(bridge, label, parsed.error());
        entries.meters.emplace(MeterId(m.id), Entry<MeterMod>{label, std::move(*parsed)});
    }
    for (const dsl::FlowConfig& f : bridge.flows) {
        auto parsed = openflow::parse_flow(f.text, by_name);
        if (!parsed) return refused(bridge, label_of(f), parsed.error());
        const std::string key = key_of(*parsed);
        const auto [at, fresh] =
            entries.flows.try_emplace(key, Entry<FlowMod>{label_of(f), std::move(*parsed)});
        if (!fresh)
            return fail(format("bridge \"{}\": {}: same table, priority and match as {}",
                               bridge.name, label_of(f), at->second.label),
                        "leave one of them out, or give it another priority");
    }
    return entries;
}

EntryChanges compare(const BridgeEntries& before, const BridgeEntries& after,
                     const BridgeEntries* other) {
    EntryChanges changes{changes_of(before.groups, after.groups),
                         changes_of(before.meters, after.meters),
                         changes_of(before.flows, after.flows)};
    if (other != nullptr) {
        add_doubtful(changes.groups, before.groups, other->groups, after.groups);
        add_doubtful(changes.meters, before.meters, other->meters, after.meters);
        add_doubtful(changes.flows, before.flows, other->flows, after.flows);
    }
    order(changes.groups, before.groups, after.groups);
    return changes;
}

void add_drift(EntryChanges& changes, const BridgeEntries& before, const BridgeEntries& after,
               const Found& found) {
    drifted(changes.meters, before.meters, after.meters, found.meter);
    drifted(changes.groups, before.groups, after.groups, found.group);
    drifted(changes.flows, before.flows, after.flows, [&](const FlowMod& flow) {
        return flow.idle_timeout != 0 || flow.hard_timeout != 0 || found.flow(flow);
    });
    order(changes.groups, before.groups, after.groups);
}

FlowMod strict_delete(FlowMod flow) {
    flow.command = openflow::FlowModCommand::remove_strict;
    flow.cookie_mask = 0;
    flow.out_port = port::kAny;
    flow.out_group = openflow::group::kAny;
    return flow;
}

}  // namespace raicho::agent::config
