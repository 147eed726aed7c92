// SPDX-License-Identifier: Apache-2.0
// The flow entries of one datapath, as the model sees them. Production: the arena's cold records
// (agent/compiler); tests and oracle: VectorFlowStore. The store holds the truth, the model keeps
// no copy; the store checks nothing of the protocol but its own capacity and what it can compile.
#pragma once

#include <optional>
#include <span>

#include "agent/model/function_ref.h"
#include "agent/model/types.h"
#include "openflow/action.h"
#include "openflow/error.h"
#include "openflow/match.h"

namespace raicho::agent {

/// Flow ids are small dense numbers (rows of arrays). A flow is *live* from insert() to remove(),
/// then *leaving* until release(). Every call but counts(), settled(), head(), match() and
/// release() wants a live flow. Each change that succeeds is published before the call returns; one
/// that fails changes nothing.
class FlowStore {
  public:
    virtual ~FlowStore() = default;

    /// False while workers may still use what an earlier agent unlinked: changes but remove() would
    /// fail with table_full. It becomes true by itself; ask again soon.
    [[nodiscard]] virtual bool ready() = 0;
    /// Whether room that is taken now becomes free by itself, so that what failed with table_full
    /// may succeed once workers have passed and leaving flows are released.
    [[nodiscard]] virtual bool reclaims() const = 0;

    /// A new live flow. The caller has checked that no identical one (find_strict) exists.
    /// Errors: FlowModFailed::table_full; BadAction/BadInstruction for what cannot be compiled.
    [[nodiscard]] virtual openflow::OfResult<FlowId> insert(
        const FlowHead& head, const openflow::Match& match,
        const openflow::Instructions& instructions) = 0;

    /// The live flow of this table and priority whose match is the same set of packets field by
    /// field (same_match() in match_set.h: whatever the order of fields, all-ones mask = no mask,
    /// all-zero mask = no field).
    [[nodiscard]] virtual std::optional<FlowId> find_strict(TableId table, std::uint16_t priority,
                                                            const openflow::Match& match) const = 0;

    /// New instructions for all of `flows`, or an error and none changed. One store publishes each.
    /// Head and match stay; with KeepCounts::no packets and bytes start from zero, last_used stays.
    [[nodiscard]] virtual openflow::OfResult<void> replace_instructions(
        std::span<const FlowId> flows, const openflow::Instructions& instructions,
        KeepCounts keep) = 0;

    /// ADD over an identical flow: `old` becomes (head, match, instructions) without a moment in
    /// which neither matches. The id may stay or change; when it changes, `old` is gone as after
    /// release(). With KeepCounts::yes packets and bytes go on from the old flow's, and nothing
    /// counted meanwhile is lost.
    [[nodiscard]] virtual openflow::OfResult<FlowId> replace(
        FlowId old, const FlowHead& head, const openflow::Match& match,
        const openflow::Instructions& instructions, KeepCounts keep) = 0;

    /// Unpublishes: live -> leaving. Head, match and counters stay readable until release().
    virtual void remove(FlowId flow) = 0;
    /// After remove(): the grace period has passed and counts() is final. Flows settle in the
    /// order of their remove().
    [[nodiscard]] virtual bool settled(FlowId flow) const = 0;
    /// Ends a leaving flow. May be called before it settles: the store waits by itself before it
    /// uses the row again.
    virtual void release(FlowId flow) = 0;

    [[nodiscard]] virtual FlowCount counts(FlowId flow) const = 0;

    [[nodiscard]] virtual FlowHead head(FlowId flow) const = 0;
    /// As sent: order and masks of the controller.
    [[nodiscard]] virtual openflow::Match match(FlowId flow) const = 0;
    [[nodiscard]] virtual openflow::Instructions instructions(FlowId flow) const = 0;

    /// The first live flow in ascending order of ids from `from` on, of `table` or of any with
    /// kAllTables. Stays usable across changes, so long replies can pause.
    [[nodiscard]] virtual std::optional<FlowId> next(FlowId from, TableId table) const = 0;

    /// Calls `visit` for each live flow of `table` (or all, kAllTables) until it returns false.
    /// `visit` changes nothing in the store.
    virtual void for_each(TableId table, FunctionRef<bool(FlowId)> visit) const;

    /// As for_each(), for the flows whose match lies within `request`: equal to it or more specific
    /// (OF 1.3.5 §6.4, non-strict). The default scans; a store with an index may do better.
    virtual void for_each_within(TableId table, const openflow::Match& request,
                                 FunctionRef<bool(FlowId)> visit) const;

    /// Some live flow of this table and priority that a single packet may match together with
    /// `match` (OF 1.3.5 §6.4, overlap). The default scans.
    [[nodiscard]] virtual std::optional<FlowId> find_overlap(TableId table, std::uint16_t priority,
                                                             const openflow::Match& match) const;

    /// As for_each() over all tables, for the flows with an action to `group` in either list. The
    /// default scans.
    virtual void for_each_using(GroupId group, FunctionRef<bool(FlowId)> visit) const;
    /// The same for the flows whose meter instruction names `meter`.
    virtual void for_each_using(MeterId meter, FunctionRef<bool(FlowId)> visit) const;

    [[nodiscard]] virtual TableCount table_counts(TableId table) const = 0;
    /// Live flows.
    [[nodiscard]] virtual std::size_t size() const = 0;
};

}  // namespace raicho::agent
