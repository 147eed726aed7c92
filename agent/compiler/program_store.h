// SPDX-License-Identifier: Apache-2.0
// Action programs (shm/program.h) compiled from instructions, shared by all flows whose
// instructions are equal, with the instruction TLVs beside them for statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "agent/compiler/chunk_store.h"
#include "openflow/action.h"
#include "openflow/error.h"
#include "shm/program.h"

namespace raicho::agent {

/// The words of a program, as one stream without chunks (packet-out carries it so too), ended by
/// OpCode::end.
[[nodiscard]] std::vector<std::uint64_t> compile(const openflow::Instructions& instructions);
/// The same for an action list that is run at once.
[[nodiscard]] std::vector<std::uint64_t> compile(const openflow::ActionList& actions);

/// The same for an action set: in the order of OF 1.3.5 §5.10, of several actions of one kind the
/// last, no output beside a group.
[[nodiscard]] std::vector<std::uint64_t> compile_set(const openflow::ActionList& actions);

class ProgramStore {
  public:
    ProgramStore(shm::AgentArena& arena, ChunkStore& chunks) : arena_(arena), chunks_(chunks) {}

    /// The program's first chunk, used once more (kNoChunk for no instructions), or TABLE_FULL.
    [[nodiscard]] openflow::OfResult<std::uint32_t> acquire(
        const openflow::Instructions& instructions);
    /// A program of an action set, with one owner who frees its chunks, kNoChunk for no actions;
    /// nothing when the chunks are used up.
    [[nodiscard]] std::optional<std::uint32_t> write_set(const openflow::ActionList& actions);
    void use(std::uint32_t program);
    /// One user less; call it after a grace period.
    void release(std::uint32_t program);
    /// Attach scan: one use of a program that lies in the arena; marks its chunks at the first.
    /// False when they are damaged.
    [[nodiscard]] bool adopt(std::uint32_t program, std::vector<bool>& chunks);

  private:
    struct Entry {
        std::uint64_t hash = 0;
        std::uint32_t uses = 0;
    };

    [[nodiscard]] std::optional<std::uint32_t> write(const openflow::Instructions& instructions,
                                                     Bytes tlvs);

    shm::AgentArena& arena_;
    ChunkStore& chunks_;
    std::unordered_map<std::uint32_t, Entry> entries_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
    std::vector<std::byte> scratch_;
};

}  // namespace raicho::agent
