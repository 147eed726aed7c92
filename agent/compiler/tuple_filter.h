// SPDX-License-Identifier: Apache-2.0
// The writing side of a table's filter (shm/filter.h). Cells get bits before the flow or the tuple
// that they speak of is published and never lose one: what goes leaves bits behind that cost a
// look, until the table writer has the filter made anew beside the old one. Which parts of the key
// it looks at is found by trying on flows of the table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/compiler/arena_space.h"
#include "agent/model/function_ref.h"

namespace raicho::agent {

/// Calls the visitor with the key of each chain's first flow and the place of its tuple.
using ChainVisitor = FunctionRef<void(std::size_t tuple, const shm::Key& key)>;
using EachChain = FunctionRef<void(ChainVisitor visit)>;

class TupleFilter {
  public:
    /// None: every tuple is searched.
    TupleFilter() = default;
    /// The one that the arena has.
    TupleFilter(const shm::AgentArena& arena, const shm::TableDescriptor& table);
    /// A filter for `n_chains` chains in tuples of these masks, by their place in the descriptor.
    /// None where it would not spare much, or where there is too little memory for it.
    [[nodiscard]] static TupleFilter make(ArenaSpace& space, std::span<const shm::Key> masks,
                                          std::uint32_t n_chains, EachChain each_chain);

    [[nodiscard]] bool exists() const { return n_fields_ != 0; }
    [[nodiscard]] std::size_t n_fields() const { return n_fields_; }
    /// Lines of table memory that it takes, 0 for none.
    [[nodiscard]] std::uint32_t n_lines() const;
    /// Its part of a descriptor, behind the tuples.
    void describe(shm::TableDescriptor& table) const;
    /// Before the tuple is published.
    void admit_tuple(shm::AgentArena& arena, std::size_t tuple, const shm::Key& mask);
    /// Before the first flow of a chain is.
    void admit_chain(shm::AgentArena& arena, std::size_t tuple, const shm::Key& key);
    /// Nobody reads it any more after a grace period; never had when it was not published.
    void retire(ArenaSpace& space) const;
    void give(ArenaSpace& space) const;

  private:
    void cover(std::size_t tuple, const shm::Key& mask);

    std::uint32_t cells_ = 0;  // line
    std::uint32_t n_cells_ = 0;
    std::uint8_t n_fields_ = 0;
    std::array<shm::FilterField, shm::kMaxFilterFields> fields_{};
    std::array<std::uint8_t, shm::kMaxTuples> covered_{};  // a bit a field that the tuple has
};

}  // namespace raicho::agent
