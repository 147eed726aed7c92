// SPDX-License-Identifier: Apache-2.0
// The life of flow entries: flow-mods that add, change and delete them (OF 1.3.5 §6.4), timeouts
// that end them (§6.5), and the flow-removed messages they leave (§6.5, §7.4.2). The entries
// themselves lie in the store.
#pragma once

#include <deque>
#include <optional>

#include "agent/model/flow_store.h"
#include "agent/model/timer_wheel.h"
#include "openflow/message.h"

namespace raicho::agent {

class FlowEntries {
  public:
    /// Arms the timeouts of the flows that the store holds already.
    FlowEntries(FlowStore& store, Time now);
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

    openflow::OfResult<void> add(const openflow::FlowMod& mod, Time now);
    openflow::OfResult<void> modify(const openflow::FlowMod& mod);
    void remove(FlowId flow, openflow::FlowRemovedReason reason, Time now);
    void arm(FlowId flow, const FlowHead& head, Time used);
    [[nodiscard]] openflow::OfResult<void> check_overlap(const openflow::FlowMod& mod) const;

    FlowStore& store_;
    TimerWheel wheel_;
    std::deque<Leaving> leaving_;
    std::uint64_t promised_ = 0;
};

}  // namespace raicho::agent
