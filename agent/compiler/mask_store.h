// SPDX-License-Identifier: Apache-2.0
// The masks of flows and tuples, each kept once in the arena and counted by its users.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "agent/compiler/index_pool.h"
#include "shm/arena.h"

namespace raicho::agent {

class MaskStore {
  public:
    explicit MaskStore(shm::AgentArena& arena) : arena_(arena), pool_(arena.n_masks()) {
        uses_.resize(arena.n_masks());
    }

    /// The record of this mask, made when it is new, used once more; nothing when all are in use.
    [[nodiscard]] std::optional<std::uint32_t> acquire(const shm::Key& mask);
    /// Its index if somebody uses it.
    [[nodiscard]] std::optional<std::uint32_t> find(const shm::Key& mask) const;
    void use(std::uint32_t index) { ++uses_[index]; }
    /// One user less; after the last the record may be overwritten: call it after a grace period.
    void release(std::uint32_t index);
    [[nodiscard]] std::uint32_t available() const { return pool_.available(); }
    /// Attach scan: counts one use of a record that lies in the arena.
    void adopt(std::uint32_t index);
    /// After the last adopt(): all other records are free.
    void adopted();

  private:
    shm::AgentArena& arena_;
    IndexPool pool_;
    std::vector<std::uint32_t> uses_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

/// Whether every bit of `part` is in `whole`.
[[nodiscard]] bool is_part(const shm::Key& part, const shm::Key& whole);

}  // namespace raicho::agent
