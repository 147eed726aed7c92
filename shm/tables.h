// SPDX-License-Identifier: Apache-2.0
// The reading side of the flow tables: a burst of keys to flows. Used by workers between
// QsbrReader::online() and quiescent(); no allocation, no lock, nothing thrown, every index masked.
// Writer: agent/compiler.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "shm/arena.h"
#include "shm/hash.h"

namespace raicho::shm {

/// For each key the matching flow of highest priority in the bridge's table, else the table-miss
/// entry, else kNoFlow. `flows.size() == keys.size()`, any number; a burst of 32 is best.
void lookup(const ArenaView& arena, BridgeId bridge, TableId table,
            std::span<const Key* const> keys, std::span<std::uint32_t> flows) noexcept;

/// The flow that every packet with the pipeline fields of `context` (in_port, metadata, tunnel_id;
/// nothing else of it is read) matches in the table, the table-miss entry included. kNoFlow: none,
/// or it depends on the packet.
[[nodiscard]] std::uint32_t lookup_context(const ArenaView& arena, BridgeId bridge, TableId table,
                                           const Key& context) noexcept;

/// The version of the table's content; load it before a lookup that is to be remembered.
[[nodiscard]] inline std::uint32_t table_version(const ArenaView& arena, BridgeId bridge,
                                                 TableId table) noexcept {
    return arena.bridge(bridge).tables[table.value()].load(std::memory_order_acquire).version;
}

/// How long a table takes to search, in tuples, and the version of its content: load both before a
/// lookup that is to be remembered.
struct TableState {
    std::uint32_t n_tuples = 0;
    std::uint32_t version = 0;
};
[[nodiscard]] inline TableState table_state(const ArenaView& arena, BridgeId bridge,
                                            TableId table) noexcept {
    // pairs with the writer's publication of a descriptor
    const TableSlot slot =
        arena.bridge(bridge).tables[table.value()].load(std::memory_order_acquire);
    if (slot.descriptor == kNone) return {0, slot.version};
    return {arena.descriptor(slot.descriptor).n_tuples, slot.version};
}

/// OpenFlow number -> slot, kNoSlot when the number is not in the bridge.
[[nodiscard]] std::uint16_t port_slot(const ArenaView& arena, BridgeId bridge,
                                      PortNo number) noexcept;

/// Calls `visit(PortSlot)` for each port of the bridge, ascending (flood).
template <class Visit>
void for_each_port(const ArenaView& arena, BridgeId bridge, Visit&& visit) noexcept {
    const auto words = arena.port_bits(bridge);
    for (std::size_t w = 0; w < words.size(); ++w) {
        std::uint64_t bits = words[w].load(std::memory_order_acquire);
        while (bits != 0) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
            bits &= bits - 1;
            visit(PortSlot(static_cast<std::uint16_t>(w * 64 + bit)));
        }
    }
}

/// Whether a key matches a flow by the flow's own mask.
[[nodiscard]] bool matches(const ArenaView& arena, const FlowHot& flow, const Key& key) noexcept;

}  // namespace raicho::shm
