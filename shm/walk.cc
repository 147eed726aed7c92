// SPDX-License-Identifier: Apache-2.0
#include "shm/walk.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace raicho::shm {
namespace {

std::unexpected<Error> damaged(BridgeId bridge, TableId table, std::string what) {
    return fail(
        format("arena damaged: bridge {} table {}: {}", bridge.value(), table.value(), what));
}

Result<void> walk_chain(const ArenaView& arena, BridgeId bridge, TableId table, std::uint32_t flow,
                        const TableVisitor& visitor) {
    bool head = true;
    for (std::uint32_t left = arena.max_flows(); flow != kNoFlow; --left, head = false) {
        if (left == 0 || flow >= arena.max_flows())
            return damaged(bridge, table, format("flow index {}", flow));
        const FlowHot& hot = arena.hot(flow);
        if (hot.state.load(std::memory_order_acquire) != FlowState::live ||
            hot.bridge != bridge.value() || hot.table != table.value() ||
            hot.mask >= arena.n_masks() || hot.body.load().cold >= arena.n_cold())
            return damaged(bridge, table, format("entry of flow {}", flow));
        if (visitor.on_flow) visitor.on_flow(flow, head);
        flow = hot.next.load(std::memory_order_acquire);
    }
    return {};
}

}  // namespace

Result<void> walk_table(const ArenaView& arena, BridgeId bridge, TableId table,
                        const TableVisitor& visitor) {
    const BridgeRecord& record = arena.bridge(bridge);
    const TableSlot slot = record.tables[table.value()].load(std::memory_order_acquire);
    if (slot.descriptor != kNone) {
        if (slot.descriptor >= arena.n_lines())
            return damaged(bridge, table, format("descriptor {}", slot.descriptor));
        const TableDescriptor& d = arena.descriptor(slot.descriptor);
        if (d.n_tuples == 0 || d.n_tuples > kMaxTuples || !std::has_single_bit(d.n_buckets) ||
            d.buckets == kNone || d.buckets >= arena.n_lines() ||
            d.n_buckets > arena.n_lines() - d.buckets ||
            (d.kind != Template::exact && d.kind != Template::tuple_merge) ||
            (d.n_fields != 0 &&
             (d.cells == kNone || d.cells >= arena.n_lines() || arena.filter_cells(d).empty())))
            return damaged(bridge, table, format("content of descriptor {}", slot.descriptor));
        if (visitor.on_descriptor) visitor.on_descriptor(slot.descriptor, d);
        for (std::uint32_t b = 0; b < d.n_buckets; ++b) {
            std::uint32_t line = d.buckets + b;
            for (std::uint32_t left = arena.n_lines(); line != kNone; --left) {
                if (left == 0 || line >= arena.n_lines())
                    return damaged(bridge, table, format("overflow line {}", line));
                const Bucket& bucket = arena.bucket(line);
                for (std::size_t s = 0; s < kBucketSlots; ++s)
                    if (bucket.tag[s].load(std::memory_order_acquire) != 0)
                        TRY(walk_chain(arena, bridge, table, bucket.flow[s].load(), visitor));
                line = bucket.next.load(std::memory_order_acquire);
                if (line != kNone && visitor.on_overflow_line) visitor.on_overflow_line(line);
            }
        }
    }
    const std::uint32_t miss = record.misses[table.value()].load(std::memory_order_acquire);
    if (miss != kNoFlow) TRY(walk_chain(arena, bridge, table, miss, visitor));
    return {};
}

std::vector<std::byte> chain_bytes(const ArenaView& arena, std::uint32_t first, std::size_t size) {
    std::uint32_t chunk = first;
    std::vector<std::byte> bytes;
    const auto pool = arena.chunks();
    bytes.reserve(size);
    while (bytes.size() < size && chunk != kNoChunk && chunk < pool.size()) {
        const auto* data = reinterpret_cast<const std::byte*>(pool[chunk].words.data());
        bytes.insert(bytes.end(), data, data + std::min(kChunkBytes, size - bytes.size()));
        chunk = pool[chunk].next;
    }
    return bytes;
}

std::vector<std::byte> match_bytes(const ArenaView& arena, const FlowCold& cold) {
    const std::size_t in_record = std::min<std::size_t>(cold.match_size, kInlineMatch);
    std::vector<std::byte> bytes(cold.match.begin(),
                                 cold.match.begin() + static_cast<std::ptrdiff_t>(in_record));
    if (cold.match_size > kInlineMatch) {
        const auto rest = chain_bytes(arena, cold.match_chunk, cold.match_size - kInlineMatch);
        bytes.insert(bytes.end(), rest.begin(), rest.end());
    }
    return bytes;
}

std::vector<std::byte> instruction_bytes(const ArenaView& arena, std::uint32_t program) {
    const auto pool = arena.chunks();
    if (program == kNoChunk || program >= pool.size()) return {};
    const std::uint32_t first = pool[program].tag;
    if (first == kNoChunk || first >= pool.size()) return {};
    return chain_bytes(arena, first, pool[first].tag);
}

Key expanded_mask(const MaskRecord& mask) {
    Key key;
    for (std::size_t i = 0; i < std::min<std::size_t>(mask.n_words, kKeyWords); ++i)
        key.words[mask.index[i] & (kKeyWords - 1)] = mask.words[i];
    return key;
}

Key expanded_key(const ArenaView& arena, const FlowHot& flow) {
    const MaskRecord& mask = arena.mask(flow.mask);
    const std::size_t n = std::min<std::size_t>(mask.n_words, kKeyWords);
    const std::size_t in_line = n <= kInlineWords ? n : kInlineWords - 1;
    Key key;
    for (std::size_t i = 0; i < in_line; ++i)
        key.words[mask.index[i] & (kKeyWords - 1)] = flow.key[i];
    if (n <= kInlineWords) return key;
    const auto rest = chain_bytes(arena, static_cast<std::uint32_t>(flow.key[in_line]),
                                  (n - in_line) * sizeof(std::uint64_t));
    for (std::size_t i = in_line; i < n && (i - in_line + 1) * 8 <= rest.size(); ++i)
        std::memcpy(&key.words[mask.index[i] & (kKeyWords - 1)], rest.data() + (i - in_line) * 8,
                    8);
    return key;
}

std::uint64_t packets_since(const FlowCold& cold, const ArenaView::FlowSum& sum) {
    const std::uint64_t last = cold.last_packets.load(std::memory_order_relaxed);
    return last + ((sum.packets - cold.base_packets - last) & kPacketsMask);
}

std::uint64_t bytes_since(const FlowCold& cold, const ArenaView::FlowSum& sum) {
    return sum.bytes - cold.base_bytes;
}

}  // namespace raicho::shm
