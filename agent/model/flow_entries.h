// SPDX-License-Identifier: Apache-2.0
// The life of flow entries: flow-mods that add, change and delete them (OF 1.3.5 §6.4), timeouts
// that end them (§6.5), and the flow-removed messages they leave (§6.5, §7.4.2). The entries
// themselves lie in the store.
#pragma once

#include <deque>
#include <optional>

#include "agent/model/flow_store.h"
#include "agent/model/references.h"
#include "agent/model/targets.h"
#include "agent/model/timer_wheel.h"
#include "openflow/message.h"

namespace raicho::agent {

class FlowEntries {
  public:
    /// Arms the timeouts of the flows that the store holds already. `targets` outlive the entries.
    FlowEntries(FlowStore& store, const Targets& targets, Time now);
    /// Gives back the rows whose flow-removed message nobody will get.
    ~FlowEntries();
    FlowEntries(const FlowEntries&) = delete;
    FlowEntries& operator=(const FlowEntries&) = delete;

    /// One flow-mod; an error changes nothing.
    [[nodiscard]] openflow::OfResult<void> apply(const openflow::FlowMod& mod, Time now);

    /// What apply() would answer to it, short of a lack of room; changes nothing.
    [[nodiscard]] openflow::OfResult<void> test(const openflow::FlowMod& mod) const;
    /// The flows that a modify or delete of this kind means.
    [[nodiscard]] std::vector<FlowId> selected(const openflow::FlowMod& mod) const;

    /// Puts back an entry that stood before another took its place: its age goes on, the counts
    /// too.
    [[nodiscard]] openflow::OfResult<void> restore(const FlowHead& head,
                                                   const openflow::Match& match,
                                                   const openflow::Instructions& instructions);

    /// Removes the flows that send to the group, and tells who wants to know (§6.7).
    void remove_using(GroupId group, Time now);
    /// Removes the flows that the meter meters (§6.8).
    void remove_using(MeterId meter, Time now);
    /// Removes the flows of tables that are no more, and those that go to one (§7.3.5.5).
    void remove_stranded(Time now);

    /// How many flows name which group and meter.
    [[nodiscard]] const FlowReferences& references() const { return references_; }

    /// Ends up to `limit` flows whose time has come by `now`.
    void expire(Time now, std::size_t limit);
    /// When expire() has work next, or kNever.
    [[nodiscard]] Time next_expiry() const { return wheel_.next(); }

    /// The next flow-removed message whose counters are final, in the order of removals.
    [[nodiscard]] std::optional<openflow::FlowRemoved> pop_removed();
    /// How many flow-removed messages have been promised and given, ever: those of all removals so
    /// far are out once given() has come to today's promised().
    [[nodiscard]] std::uint64_t promised() const { return promised_; }
    [[nodiscard]] std::uint64_t given() const { return promised_ - leaving_.size(); }

  private:
    struct Leaving {
        FlowId flow;
        openflow::FlowRemovedReason reason{};
        Time removed = 0;
    };

    [[nodiscard]] openflow::OfResult<void> check_change(const openflow::FlowMod& mod) const;
    [[nodiscard]] openflow::OfResult<void> check_room(TableId table) const;
    openflow::OfResult<void> add(const openflow::FlowMod& mod, Time now);
    openflow::OfResult<void> modify(const openflow::FlowMod& mod);
    void remove(FlowId flow, openflow::FlowRemovedReason reason, Time now);
    [[nodiscard]] openflow::Instructions named_instructions(FlowId flow) const;
    template <class Id>
    void remove_all_using(Id named, openflow::FlowRemovedReason reason, Time now);
    void arm(FlowId flow, const FlowHead& head, Time used);
    [[nodiscard]] openflow::OfResult<void> check_overlap(const openflow::FlowMod& mod) const;

    FlowStore& store_;
    const Targets& targets_;
    FlowReferences references_;
    TimerWheel wheel_;
    std::deque<Leaving> leaving_;
    std::uint64_t promised_ = 0;
};

}  // namespace raicho::agent
