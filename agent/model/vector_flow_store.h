// SPDX-License-Identifier: Apache-2.0
// The obviously right store: a vector of entries, scanned. Oracle of the arena's store and the
// store of the model's tests, which also play the workers: they count packets and let grace
// periods pass.
#pragma once

#include <vector>

#include "agent/model/flow_store.h"

namespace raicho::agent {

class VectorFlowStore final : public FlowStore {
  public:
    /// Takes up to `capacity` flows, leaving ones included.
    explicit VectorFlowStore(std::size_t capacity = 1u << 20) : capacity_(capacity) {}

    [[nodiscard]] bool ready() override { return ready_; }
    [[nodiscard]] bool reclaims() const override { return n_leaving_ != 0; }
    [[nodiscard]] openflow::OfResult<FlowId> insert(
        const FlowHead& head, const openflow::Match& match,
        const openflow::Instructions& instructions) override;
    [[nodiscard]] std::optional<FlowId> find_strict(TableId table, std::uint16_t priority,
                                                    const openflow::Match& match) const override;
    [[nodiscard]] openflow::OfResult<void> replace_instructions(
        std::span<const FlowId> flows, const openflow::Instructions& instructions,
        KeepCounts keep) override;
    [[nodiscard]] openflow::OfResult<FlowId> replace(FlowId old, const FlowHead& head,
                                                     const openflow::Match& match,
                                                     const openflow::Instructions& instructions,
                                                     KeepCounts keep) override;
    void remove(FlowId flow) override;
    [[nodiscard]] bool settled(FlowId flow) const override;
    void release(FlowId flow) override;
    [[nodiscard]] FlowCount counts(FlowId flow) const override;
    [[nodiscard]] FlowHead head(FlowId flow) const override;
    [[nodiscard]] openflow::Match match(FlowId flow) const override;
    [[nodiscard]] openflow::Instructions instructions(FlowId flow) const override;
    [[nodiscard]] std::optional<FlowId> next(FlowId from, TableId table) const override;
    [[nodiscard]] TableCount table_counts(TableId table) const override;
    [[nodiscard]] std::size_t size() const override;

    /// A worker looked up a packet of `bytes` in the flow's table and matched it; leaving flows
    /// still count, as for a worker in the middle of its burst.
    void hit(FlowId flow, std::uint64_t bytes, Time now);
    /// A worker looked up a packet in the table and matched nothing.
    void miss(TableId table) { ++lookups_[table.value()]; }
    /// While held no leaving flow settles.
    enum class Grace : bool { passes, held };
    void set_grace(Grace grace) { grace_ = grace; }
    /// As after a restart under a worker that hangs.
    void set_ready(bool ready) { ready_ = ready; }

  private:
    enum class State : std::uint8_t { free, live, leaving };
    struct Entry {
        State state = State::free;
        FlowHead head;
        openflow::Match match;
        openflow::Instructions instructions;
        FlowCount count;
    };
    [[nodiscard]] const Entry& used(FlowId flow) const;
    [[nodiscard]] Entry& used(FlowId flow);
    [[nodiscard]] Entry& live(FlowId flow);

    std::size_t capacity_;
    std::vector<Entry> entries_;  // by FlowId
    std::vector<FlowId> free_;
    Grace grace_ = Grace::passes;
    bool ready_ = true;
    std::size_t n_leaving_ = 0;
    std::array<std::uint64_t, kTables> lookups_{};
    std::array<std::uint64_t, kTables> matched_{};
};

}  // namespace raicho::agent
