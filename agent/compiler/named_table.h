// SPDX-License-Identifier: Apache-2.0
// The groups or the meters of all bridges as the arena has them (shm/named_row.h): free rows, and
// the chains that workers follow. One store links a row, one unlinks it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/compiler/index_pool.h"
#include "base/error.h"
#include "shm/arena.h"

namespace raicho::agent {

class NamedTable {
  public:
    explicit NamedTable(shm::AgentArena::MutableRows rows)
        : rows_(rows), pool_(static_cast<std::uint32_t>(rows.rows.size())) {}

    [[nodiscard]] shm::NamedRow& operator[](std::uint32_t row) { return rows_.rows[row]; }
    [[nodiscard]] const shm::NamedRow& operator[](std::uint32_t row) const {
        return rows_.rows[row];
    }
    [[nodiscard]] IndexPool& pool() { return pool_; }
    [[nodiscard]] std::uint32_t length() const {
        return static_cast<std::uint32_t>(rows_.rows.size());
    }

    /// Publishes a filled row.
    void link(std::uint32_t row);
    /// Takes it away; it may be given back to pool() after a grace period.
    void unlink(std::uint32_t row);

    /// Attach scan: the rows that the chains hold, each once; all others are free from then on. An
    /// error when a chain is damaged.
    [[nodiscard]] Result<std::vector<std::uint32_t>> adopt();

  private:
    [[nodiscard]] std::atomic<std::uint32_t>& head_of(const shm::NamedRow& row) {
        return rows_.heads[shm::named_head(BridgeId(row.bridge), row.id, rows_.heads.size())];
    }

    shm::AgentArena::MutableRows rows_;
    IndexPool pool_;
};

}  // namespace raicho::agent
