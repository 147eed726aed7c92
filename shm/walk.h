// SPDX-License-Identifier: Apache-2.0
// Reading an arena without knowing its writer: every flow of a table by following what workers
// follow, and the bytes of cold records. For the agent's attach scan and for arena-dump; checks
// every index, because the file may be damaged. Not for the packet path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/error.h"
#include "shm/arena.h"

namespace raicho::shm {

/// What walk_table() meets, in this order: the descriptor, each line of buckets, each flow.
struct TableVisitor {
    std::function<void(std::uint32_t descriptor, const TableDescriptor&)> on_descriptor;
    std::function<void(std::uint32_t line)> on_overflow_line;
    /// `head`: first of its chain. The table-miss entry comes last, with tuple 0.
    std::function<void(std::uint32_t flow, bool head)> on_flow;
};

/// Walks one table; an error says which index is damaged. Empty callbacks are left out.
[[nodiscard]] Result<void> walk_table(const ArenaView& arena, BridgeId bridge, TableId table,
                                      const TableVisitor& visitor);

/// The first `size` bytes of a chain of chunks, fewer when it ends before.
[[nodiscard]] std::vector<std::byte> chain_bytes(const ArenaView& arena, std::uint32_t first,
                                                 std::size_t size);
/// The OXM TLVs of a flow's match, as sent.
[[nodiscard]] std::vector<std::byte> match_bytes(const ArenaView& arena, const FlowCold& cold);
/// The instruction TLVs of a program, as sent; none for kNoChunk.
[[nodiscard]] std::vector<std::byte> instruction_bytes(const ArenaView& arena,
                                                       std::uint32_t program);
/// A flow's key, expanded to all words.
[[nodiscard]] Key expanded_key(const ArenaView& arena, const FlowHot& flow);
/// A mask, expanded to all words.
[[nodiscard]] Key expanded_mask(const MaskRecord& mask);
/// Packets and bytes since the flow began counting, from the sums of its counters.
[[nodiscard]] std::uint64_t packets_since(const FlowCold& cold, const ArenaView::FlowSum& sum);
[[nodiscard]] std::uint64_t bytes_since(const FlowCold& cold, const ArenaView::FlowSum& sum);

}  // namespace raicho::shm
