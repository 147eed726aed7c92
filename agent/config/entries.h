// SPDX-License-Identifier: Apache-2.0
// Flows, groups and meters of configured bridges as messages, and the comparison of two bridges'
// entries: flows by what they match, whatever their text, the others by their number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "dsl/model/config.h"
#include "openflow/message.h"

namespace raicho::agent::config {

/// One entry of a bridge, parsed with the bridge's port numbers; command add.
template <class Mod>
struct Entry {
    std::string label;  // `flow arp`, `flow "…"`, `group 7`
    Mod mod;
};

/// Flows by table, priority and match, whatever the order of the match's fields (OF 1.3.5 §6.4:
/// that is what makes two entries identical).
struct BridgeEntries {
    std::unordered_map<std::string, Entry<openflow::FlowMod>> flows;
    std::map<GroupId, Entry<openflow::GroupMod>> groups;
    std::map<MeterId, Entry<openflow::MeterMod>> meters;
};

/// Parses all entries of a bridge whose ports have their numbers. Two identical flows are an error.
[[nodiscard]] Result<BridgeEntries> parse_entries(const dsl::BridgeConfig& bridge);

/// `drift`: the two sets agree on it, the switch does not.
enum class Cause : std::uint8_t { difference, drift };

/// One entry's change on the way from one set to another; both present = replaced.
template <class Mod>
struct EntryChange {
    std::string label;
    const Mod* before = nullptr;
    const Mod* after = nullptr;
    Cause cause = Cause::difference;
};

/// Removals first; then groups in an order in which those that are named come before those that
/// name them, removals of groups the other way round.
struct EntryChanges {
    std::vector<EntryChange<openflow::GroupMod>> groups;
    std::vector<EntryChange<openflow::MeterMod>> meters;
    std::vector<EntryChange<openflow::FlowMod>> flows;
    [[nodiscard]] bool empty() const { return groups.empty() && meters.empty() && flows.empty(); }
};

/// Points into its arguments. After a commit between `before` and `other` was cut off: also the
/// changes that make sure of what the two say differently. Then a removal may be of an entry that
/// is not there, an addition of one that is.
[[nodiscard]] EntryChanges compare(const BridgeEntries& before, const BridgeEntries& after,
                                   const BridgeEntries* other = nullptr);

/// What the switch has, asked of an entry with command add.
struct Found {
    std::function<bool(const openflow::FlowMod&)> flow;
    std::function<bool(const openflow::GroupMod&)> group;
    std::function<bool(const openflow::MeterMod&)> meter;
};
/// Adds to the changes between the two those entries that are in both and that the switch has no
/// longer, or not so: a controller took them away. A flow with a timeout may go by itself, it is
/// left alone.
void add_drift(EntryChanges& changes, const BridgeEntries& before, const BridgeEntries& after,
               const Found& found);

/// The same flow as a strict delete.
[[nodiscard]] openflow::FlowMod strict_delete(openflow::FlowMod flow);

}  // namespace raicho::agent::config
