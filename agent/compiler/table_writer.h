// SPDX-License-Identifier: Apache-2.0
// The writing side of one flow table: buckets, chains, tuples, descriptor (shm/flow.h). Workers
// read all the time: every change becomes visible by one aligned store, entries never move, what
// was unlinked waits for a grace period. Knows nothing of OpenFlow; the flow store prepares the
// entries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/compiler/arena_space.h"
#include "agent/compiler/tuple_filter.h"
#include "base/ids.h"

namespace raicho::agent {

/// How a table is searched, and what that takes: lines of descriptor and buckets.
struct TableForm {
    shm::Template kind = shm::Template::none;
    std::size_t n_tuples = 0;
    std::size_t n_lines = 0;
};

class TableWriter {
  public:
    /// Adopts what the arena holds of the table.
    TableWriter(ArenaSpace& space, BridgeId bridge, TableId table);

    /// Publishes an entry whose hot and cold parts are written (next and tuple excepted). False
    /// when the table's memory is exhausted; then nothing has changed for readers.
    [[nodiscard]] bool insert(std::uint32_t flow);
    /// Unlinks a published entry.
    void remove(std::uint32_t flow);
    /// The template of the table while it can hold the flows; none: the one that suits them. It
    /// changes at once, or with the next descriptor when there is no room for one now.
    void set_template(shm::Template wanted);
    [[nodiscard]] TableForm form() const;
    /// Tells memories of workers that the table has changed.
    void bump_version();
    /// Flows, the table-miss entry included.
    [[nodiscard]] std::uint32_t size() const { return n_flows_; }

  private:
    struct Tuple {
        std::uint32_t mask = 0;  // 0: none, but under a filter the others keep their places
        std::uint32_t n_flows = 0;
        std::uint32_t n_other = 0;  // flows whose own mask is more than the tuple's
        std::uint16_t max_priority = 0;
    };
    /// Where a chain hangs: its slot, or `line` 0 when there is none yet.
    struct Chain {
        std::uint32_t line = 0;
        std::size_t slot = 0;
        std::uint32_t head = 0;
    };
    /// Which tuple takes a flow, and the chain it joins there.
    struct Choice {
        std::size_t tuple = 0;
        Chain chain;
        std::uint64_t hash = 0;
    };

    [[nodiscard]] shm::BridgeRecord& record() { return space_.arena().bridge(bridge_); }
    [[nodiscard]] std::uint64_t hash_of(std::uint32_t mask, const shm::Key& key) const;
    [[nodiscard]] Chain find_chain(std::uint32_t mask, std::uint64_t hash,
                                   const shm::Key& key) const;
    [[nodiscard]] bool long_chain(const Chain& chain) const;
    [[nodiscard]] std::optional<Choice> choose(const shm::Key& key, std::uint32_t own_mask);
    [[nodiscard]] Choice in_tuple(std::size_t tuple, const shm::Key& key) const;
    [[nodiscard]] std::optional<std::size_t> tuple_of(std::uint32_t mask) const;
    [[nodiscard]] std::optional<std::size_t> add_tuple(const shm::Key& mask);
    void forget_fresh_tuple();
    [[nodiscard]] std::size_t n_tuples() const;
    [[nodiscard]] bool room_for_tuples(std::size_t n) const;
    void close_gaps();
    void sort_tuples();
    void drop_empty_tuples();
    void count(Tuple& tuple, const shm::FlowHot& hot, int change);

    [[nodiscard]] bool can_hold(shm::Template kind) const;
    [[nodiscard]] shm::Template suitable() const;
    [[nodiscard]] bool prepare_array();
    [[nodiscard]] bool publish();
    void grow_if_loaded();
    [[nodiscard]] bool filter_due() const;
    void renew_filter();
    void each_chain(ChainVisitor visit) const;
    [[nodiscard]] bool fill(std::uint32_t buckets, std::uint32_t n_buckets,
                            std::vector<std::uint32_t>& overflow);
    [[nodiscard]] std::optional<Chain> free_slot(std::uint32_t buckets, std::uint32_t n_buckets,
                                                 std::uint64_t hash,
                                                 std::vector<std::uint32_t>& overflow);
    void link(const Choice& choice, std::uint32_t flow);
    void clear();
    void store_slot(std::uint32_t descriptor);

    ArenaSpace& space_;
    BridgeId bridge_;
    TableId table_;
    std::vector<Tuple> tuples_;         // in the order of the descriptor
    std::optional<std::size_t> fresh_;  // a tuple that is not published yet
    TupleFilter filter_;
    std::uint32_t changes_ = 0;  // flows come and gone since the last attempt at a filter
    std::uint32_t stale_ = 0;  // flows and tuples that the filter does not know to be gone or come
    bool grown_ = false;       // and no attempt yet
    std::uint32_t descriptor_ = 0;
    shm::Template kind_ = shm::Template::none;
    shm::Template wanted_ = shm::Template::none;
    std::uint32_t buckets_ = 0;
    std::uint32_t n_buckets_ = 0;
    std::uint32_t n_slots_ = 0;  // in use
    std::uint32_t grow_at_ = 0;  // slots in use that call for a larger array
    std::uint32_t n_flows_ = 0;
    std::vector<std::uint32_t> overflow_;  // lines linked behind buckets
};

}  // namespace raicho::agent
