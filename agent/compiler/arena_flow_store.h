// SPDX-License-Identifier: Apache-2.0
// The flows of one bridge in the arena: the production FlowStore. Translates between OpenFlow's
// view (cold records) and the tables that workers read; the truth is in the arena, what is here
// are indexes, rebuilt when it is constructed.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "agent/compiler/arena_space.h"
#include "agent/compiler/match_key.h"
#include "agent/compiler/strict_index.h"
#include "agent/compiler/table_writer.h"
#include "agent/model/flow_store.h"

namespace raicho::agent {

class ArenaFlowStore final : public FlowStore {
  public:
    /// Adopts the flows that the arena holds for the bridge. `space` must outlive the store; one
    /// store a bridge.
    ArenaFlowStore(ArenaSpace& space, BridgeId bridge);

    [[nodiscard]] bool ready() override { return space_.ready(); }
    [[nodiscard]] bool reclaims() const override {
        return space_.n_retired() != 0 || !leaving_.empty();
    }
    [[nodiscard]] openflow::OfResult<FlowId> insert(
        const FlowHead& head, const openflow::Match& match,
        const openflow::Instructions& instructions) override;
    [[nodiscard]] std::optional<FlowId> find_strict(TableId table, std::uint16_t priority,
                                                    const openflow::Match& match) const override;
    [[nodiscard]] openflow::OfResult<void> replace_instructions(
        std::span<const FlowId> flows, const openflow::Instructions& instructions,
        KeepCounts keep) override;
    /// The id stays: entry, key and counters are the old ones, one store swaps program and record.
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
    void for_each_within(TableId table, const openflow::Match& request,
                         FunctionRef<bool(FlowId)> visit) const override;
    [[nodiscard]] std::optional<FlowId> find_overlap(TableId table, std::uint16_t priority,
                                                     const openflow::Match& match) const override;
    [[nodiscard]] TableCount table_counts(TableId table) const override;
    [[nodiscard]] std::size_t size() const override { return n_live_; }

    /// The template of every table that it can hold; none: each has the one that suits it.
    void set_template(shm::Template wanted);
    /// How a table is searched now and what it takes of the table memory.
    [[nodiscard]] TableForm form(TableId table) const;

    /// Removes and releases every flow (the bridge goes).
    void remove_all();
    /// Keeps the upper bits of the counters of up to `limit` flows; called often enough to pass
    /// all of them every few hours, so that no 40-bit counter wraps unseen.
    void harvest(std::size_t limit);

  private:
    [[nodiscard]] const shm::FlowHot& hot(FlowId flow) const {
        return space_.arena().hot(flow.value());
    }
    [[nodiscard]] std::uint32_t cold_index(FlowId flow) const {
        return hot(flow).body.load(std::memory_order_relaxed).cold;
    }
    [[nodiscard]] const shm::FlowCold& cold(FlowId flow) const {
        return space_.arena().cold(cold_index(flow));
    }
    [[nodiscard]] std::uint64_t strict_hash(TableId table, std::uint16_t priority,
                                            std::uint32_t mask, const shm::Key& key) const;
    [[nodiscard]] std::uint64_t strict_hash(FlowId flow) const;
    [[nodiscard]] TableWriter& table(TableId id);
    void set_live(FlowId flow);
    void clear_live(FlowId flow);
    [[nodiscard]] std::optional<std::uint32_t> write_cold(const FlowHead& head,
                                                          const openflow::Match& match);
    [[nodiscard]] bool write_hot(std::uint32_t flow, const FlowHead& head, const MaskedKey& key,
                                 std::uint32_t mask, shm::FlowBody body);
    /// New records, in step with `flows`, in which counting starts anew; all or none.
    [[nodiscard]] openflow::OfResult<std::vector<std::uint32_t>> write_reset_colds(
        std::span<const FlowId> flows);
    void start_counting(std::uint32_t flow, shm::FlowCold& record);
    // Which pool has run out, by what could not be taken from it.
    [[nodiscard]] std::unexpected<openflow::OfpError> no_cold() const;
    [[nodiscard]] std::unexpected<openflow::OfpError> no_line() const;
    void swap_body(FlowId flow, shm::FlowBody body);

    ArenaSpace& space_;
    BridgeId bridge_;
    std::array<std::unique_ptr<TableWriter>, kTables> tables_;
    shm::Template wanted_ = shm::Template::none;
    StrictIndex strict_;
    std::vector<std::uint64_t> live_;  // a bit per flow row
    std::size_t n_live_ = 0;
    std::uint32_t harvested_ = 0;  // where harvest() goes on
    std::unordered_map<std::uint32_t, shm::GraceToken> leaving_;
    std::vector<std::byte> scratch_;
};

}  // namespace raicho::agent
