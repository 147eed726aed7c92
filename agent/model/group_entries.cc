// SPDX-License-Identifier: Apache-2.0
#include "agent/model/group_entries.h"

#include <algorithm>
#include <unordered_map>
#include <variant>

#include "agent/model/references.h"
#include "base/error.h"
#include "base/text.h"
#include "openflow/group_names.h"
#include "openflow/target_check.h"

namespace raicho::agent {
namespace {

using openflow::GroupModCommand;
using openflow::GroupModFailed;
using openflow::ofp_error;
using openflow::OfResult;
using openflow::sent_to;

}  // namespace

OfResult<void> GroupEntries::apply(const openflow::GroupMod& mod, Time now) {
    switch (mod.command) {
        case GroupModCommand::add:
            TRY(openflow::check_group(mod, targets_));
            if (store_.contains(mod.group))
                return ofp_error(GroupModFailed::group_exists,
                                 format("group {} exists", mod.group.value()));
            return store_.insert(mod.group, {mod.type, now}, mod.buckets);
        case GroupModCommand::modify:
            TRY(openflow::check_group(mod, targets_));
            if (!store_.contains(mod.group))
                return ofp_error(GroupModFailed::unknown_group,
                                 format("group {}: no such group", mod.group.value()));
            return store_.replace(mod.group, mod.type, mod.buckets);
        case GroupModCommand::remove: return remove(mod.group, now);
    }
    return ofp_error(GroupModFailed::bad_command);
}

OfResult<void> GroupEntries::remove(GroupId group, Time now) {
    if (group == openflow::group::kAll) {
        remove_all(now);
        return {};
    }
    if (group > openflow::group::kMax)
        return ofp_error(GroupModFailed::invalid_group,
                         format("group 0x{:x}: no group has this number", group.value()));
    if (!store_.contains(group)) return {};  // no error (§6.7)
    for (const GroupId other : all())
        if (const auto to = sent_to(store_.buckets(other));
            std::ranges::find(to, group) != to.end())
            return ofp_error(GroupModFailed::chained_group,
                             format("group {} sends to group {}", other.value(), group.value()));
    flows_.remove_using(group, now);
    store_.remove(group);
    return {};
}

/// Those first that no other sends to, so that none is ever sent to when it goes.
void GroupEntries::remove_all(Time now) {
    std::vector<GroupId> left = all();
    std::unordered_map<GroupId, std::uint32_t> senders;
    for (const GroupId group : left) {
        flows_.remove_using(group, now);
        for (const GroupId to : sent_to(store_.buckets(group))) ++senders[to];
    }
    while (!left.empty()) {
        const auto gone =
            std::ranges::partition(left, [&](GroupId group) { return senders[group] != 0; });
        ASSERT(!gone.empty());  // there is no loop
        for (const GroupId group : gone) {
            for (const GroupId to : sent_to(store_.buckets(group))) --senders[to];
            store_.remove(group);
        }
        left.erase(gone.begin(), left.end());
    }
}

std::vector<GroupId> GroupEntries::all() const {
    std::vector<GroupId> groups;
    for (auto group = store_.next(GroupId{0}); group;
         group = store_.next(GroupId{group->value() + 1}))
        groups.push_back(*group);
    return groups;
}

std::vector<openflow::GroupStats> GroupEntries::stats(GroupId wanted, Time now) const {
    std::unordered_map<GroupId, std::uint32_t> senders;
    const std::vector<GroupId> groups = all();
    for (const GroupId group : groups)
        for (const GroupId to : sent_to(store_.buckets(group))) ++senders[to];
    std::vector<openflow::GroupStats> stats;
    for (const GroupId group : groups) {
        if (wanted != openflow::group::kAll && wanted != group) continue;
        GroupCount count = store_.counts(group);
        const Time age = now - store_.head(group).created;
        stats.push_back({.group = group,
                         .ref_count = flows_.references().flows_of(group) + senders[group],
                         .packet_count = count.packets,
                         .byte_count = count.bytes,
                         .duration_sec = static_cast<std::uint32_t>(age / kSecond),
                         .duration_nsec = static_cast<std::uint32_t>(age % kSecond),
                         .buckets = std::move(count.buckets)});
    }
    return stats;
}

std::vector<openflow::GroupDesc> GroupEntries::descs() const {
    std::vector<openflow::GroupDesc> descs;
    for (const GroupId group : all())
        descs.push_back({store_.head(group).type, group, store_.buckets(group)});
    return descs;
}

std::optional<openflow::GroupDesc> GroupEntries::desc(GroupId group) const {
    if (!store_.contains(group)) return std::nullopt;
    return openflow::GroupDesc{store_.head(group).type, group, store_.buckets(group)};
}

openflow::GroupFeatures GroupEntries::features() const {
    namespace capability = openflow::group_capability;
    openflow::GroupFeatures features{};
    const std::uint32_t most = store_.limits().groups;
    if (most == 0) return features;
    features.types = (1u << openflow::kGroupTypes) - 1;
    features.capabilities = capability::kSelectWeight | capability::kSelectLiveness |
                            capability::kChaining | capability::kChainingChecks;
    features.max_groups.fill(most);
    features.actions.fill((1u << std::variant_size_v<openflow::Action>)-1);
    return features;
}

}  // namespace raicho::agent
