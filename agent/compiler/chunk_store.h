// SPDX-License-Identifier: Apache-2.0
// Chains of 64-byte chunks in the arena: key words beyond the inline ones, match and instruction
// TLVs, action programs. A chain is written whole before anything points to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/compiler/index_pool.h"
#include "base/bytes.h"
#include "shm/arena.h"

namespace raicho::agent {

class ChunkStore {
  public:
    explicit ChunkStore(shm::AgentArena& arena)
        : arena_(arena), pool_(static_cast<std::uint32_t>(arena.chunks().size())) {}

    /// A chain of these bytes, `tag` in its first chunk; kNoChunk for no bytes, nothing when the
    /// pool is exhausted.
    [[nodiscard]] std::optional<std::uint32_t> write(Bytes bytes, std::uint32_t tag);
    /// Frees a chain; readers must have passed a grace period.
    void free(std::uint32_t first);
    /// Marks the chunks of a chain in use; false when it leaves the pool or meets another chain.
    [[nodiscard]] bool mark(std::uint32_t first, std::vector<bool>& referenced) const;
    [[nodiscard]] IndexPool& pool() { return pool_; }
    /// Why write() gave nothing for `what`.
    [[nodiscard]] std::string shortage(std::string_view what) const;

  private:
    shm::AgentArena& arena_;
    IndexPool pool_;
};

}  // namespace raicho::agent
