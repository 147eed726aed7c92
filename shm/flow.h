// SPDX-License-Identifier: Apache-2.0
// Flows and tables in the arena. A flow is a hot entry (what workers compare and run) and a cold
// record (what OpenFlow says of it); its instructions are an action program (program.h), shared by
// all flows with equal instructions. A table is a descriptor and one array of bucket lines.
// All agent's pages; indexes only, 0 = none everywhere. Readers: tables.h. Writer: agent/compiler.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "shm/key.h"
#include "shm/program.h"

namespace raicho::shm {

/// No flow: index 0 is never allocated.
inline constexpr std::uint32_t kNoFlow = 0;
/// No line, no mask, no cold record.
inline constexpr std::uint32_t kNone = 0;
/// Key words in the hot entry itself; longer keys keep 3 there and the rest in two chunks.
inline constexpr std::size_t kInlineWords = 4;

enum class FlowState : std::uint8_t { free = 0, live = 1 };

namespace flow_hot_flag {
/// The table-miss entry: priority 0, matches everything (OF 1.3.5 §5.4).
inline constexpr std::uint8_t kMiss = 1;
}  // namespace flow_hot_flag

/// What one 8-byte store changes: the program and the record that belongs to it.
struct FlowBody {
    std::uint32_t program = kNoChunk;
    std::uint32_t cold = kNone;
};
static_assert(sizeof(FlowBody) == 8 && std::has_unique_object_representations_v<FlowBody>);

//  off size field          writer: agent; all but body and next is written before publishing
//    0  32  key            masked key, compressed to the words in use by the flow's mask;
//                          of more than 4 words the first 3, then the first of two key chunks
//   32   8  body           program and cold record; one store modifies the flow
//   40   4  next           next entry of the same chain, lower or equal priority
//   44   4  mask           the flow's own mask (MaskRecord)
//   48   2  priority
//   50   2  bridge
//   52   1  table
//   53   1  state          FlowState
//   54   1  n_words        words in use
//   55   1  flags          flow_hot_flag
//   56   8  zero           kept for versioned (atomic bundle) updates
struct alignas(64) FlowHot {
    std::array<std::uint64_t, kInlineWords> key;
    std::atomic<FlowBody> body;
    std::atomic<std::uint32_t> next;
    std::uint32_t mask;
    std::uint16_t priority;
    std::uint16_t bridge;
    std::uint8_t table;
    std::atomic<FlowState> state;
    std::uint8_t n_words;
    std::uint8_t flags;
    std::array<std::uint8_t, 8> zero;

    /// First chunk of the action program (program.h), kNoChunk = no instructions.
    [[nodiscard]] std::uint32_t program() const {
        return body.load(std::memory_order_acquire).program;  // pairs with the compiler's commit
    }
    [[nodiscard]] bool is_miss() const { return (flags & flow_hot_flag::kMiss) != 0; }
};
static_assert(sizeof(FlowHot) == 64 && std::is_standard_layout_v<FlowHot>);
static_assert(offsetof(FlowHot, body) == 32 && offsetof(FlowHot, priority) == 48);
static_assert(std::atomic<FlowBody>::is_always_lock_free);

inline constexpr std::size_t kInlineMatch = 64;

//  off size field          writer: agent; read by workers for the cookie of a packet-in only
//    0   8  cookie
//    8   8  created_ns     CLOCK_MONOTONIC
//   16   8  base_packets   sum over workers when counting began, modulo 2^40
//   24   8  base_bytes
//   32   8  last_packets   the count at the last harvest: its upper bits (counters.h)
//   40   2  idle_timeout
//   42   2  hard_timeout
//   44   2  flags          OFPFF_*
//   46   2  match_size     bytes of OXM TLVs
//   48   4  match_chunk    first chunk of the bytes beyond the inline ones
//   52   4  tuple          mask id of the tuple the flow lies in
//   56   4  resets         how often counting began anew
//   60   4  zero
//   64  64  match          first 64 bytes of the OXM TLVs, as sent
struct alignas(64) FlowCold {
    std::uint64_t cookie;
    std::uint64_t created_ns;
    std::uint64_t base_packets;
    std::uint64_t base_bytes;
    std::atomic<std::uint64_t> last_packets;
    std::uint16_t idle_timeout;
    std::uint16_t hard_timeout;
    std::uint16_t flags;
    std::uint16_t match_size;
    std::uint32_t match_chunk;
    std::uint32_t tuple;
    std::uint32_t resets;
    std::array<std::uint8_t, 4> zero;
    std::array<std::byte, kInlineMatch> match;
};
static_assert(sizeof(FlowCold) == 128 && std::is_standard_layout_v<FlowCold>);
static_assert(offsetof(FlowCold, match) == 64);

/// Bytes of a chunk chain that holds data, not a program.
inline constexpr std::size_t kChunkBytes = kChunkWords * 8;

//  off size field          writer: agent; immutable, deduplicated, counted by its users
//    0   1  n_words        words of the key in use
//    1   7  zero
//    8  16  index          which words, ascending; the rest zero
//   24 128  words          the mask of each; the rest zero
//  152  40  zero
struct alignas(64) MaskRecord {
    std::uint8_t n_words;
    std::array<std::uint8_t, 7> zero0;
    std::array<std::uint8_t, kKeyWords> index;
    std::array<std::uint64_t, kKeyWords> words;
    std::array<std::uint8_t, 40> zero1;
};
static_assert(sizeof(MaskRecord) == 192 && std::has_unique_object_representations_v<MaskRecord>);

/// How a table is searched. Further templates join at the end (tables.cc, kTemplates).
enum class Template : std::uint8_t {
    none = 0,         // no flows but the miss entry
    exact = 1,        // all flows have one mask: one probe
    tuple_merge = 2,  // several tuples, each a mask that is part of its flows' masks
};
inline constexpr std::size_t kTemplates = 3;
/// As people read it.
[[nodiscard]] constexpr std::string_view name_of(Template kind) {
    constexpr std::array<std::string_view, kTemplates> kNames{"none", "exact", "tuple-merge"};
    const auto at = static_cast<std::size_t>(kind);
    return at < kNames.size() ? kNames[at] : "unknown";
}
inline constexpr std::size_t kMaxTuples = 128;

//  off size field          writer: agent
//    0   4  mask           of the tuple; also the seed of its hash; 0 = no tuple (a filter keeps
//                          the rows of others where they are)
//    4   2  max_priority   no flow of the tuple has more; only ever raised while published
//    6   2  zero
struct TupleRow {
    std::uint32_t mask;
    std::atomic<std::uint16_t> max_priority;
    std::uint16_t zero;
};
static_assert(sizeof(TupleRow) == 8 && std::is_standard_layout_v<TupleRow>);

//  off size field          writer: agent
//    0   8  mask           of the word: which of its bits are looked at
//    8   1  word           of the key
//    9   7  zero
struct FilterField {
    std::uint64_t mask;
    std::uint8_t word;
    std::array<std::uint8_t, 7> zero;
};
static_assert(sizeof(FilterField) == 16 && std::has_unique_object_representations_v<FilterField>);
inline constexpr std::size_t kMaxFilterFields = 8;

//  off size field          writer: agent; immutable once published, but TupleRow::max_priority
//    0   1  kind           Template
//    1   1  n_fields       of the filter (filter.h), 0..8; 0 = it has none
//    2   2  n_tuples       1..128, with rows that are none
//    4   4  buckets        first line of the bucket array
//    8   4  n_buckets      a power of two
//   12   4  cells          first line of the filter's cells: those of the first field, the second..
//   16   4  n_cells        of each field, a power of two
//   20  44  zero
//   64  8n  tuples         n TupleRow, in further lines
//        m  fields         n_fields FilterField of 16 bytes, behind them
struct alignas(64) TableDescriptor {
    Template kind;
    std::uint8_t n_fields;
    std::uint16_t n_tuples;
    std::uint32_t buckets;
    std::uint32_t n_buckets;
    std::uint32_t cells;
    std::uint32_t n_cells;
    std::array<std::uint8_t, 44> zero;

    [[nodiscard]] const TupleRow* tuples() const {
        return reinterpret_cast<const TupleRow*>(this + 1);
    }
    [[nodiscard]] const FilterField* fields() const {
        const std::size_t n = n_tuples < kMaxTuples ? n_tuples : kMaxTuples;
        return reinterpret_cast<const FilterField*>(tuples() + n);
    }
};
static_assert(sizeof(TableDescriptor) == 64);
static_assert(std::has_unique_object_representations_v<TableDescriptor>);

/// Lines that a descriptor of so many tuples and fields takes.
[[nodiscard]] constexpr std::uint32_t descriptor_lines(std::size_t n_tuples,
                                                       std::size_t n_fields = 0) {
    const std::size_t rows = n_tuples * sizeof(TupleRow) + n_fields * sizeof(FilterField);
    return static_cast<std::uint32_t>(1 + (rows + 63) / 64);
}

inline constexpr std::size_t kBucketSlots = 8;

//  off size field          writer: agent
//    0  16  tag            8 x u16; 0 = free. Storing it commits the slot, 0 removes it
//   16  32  flow           8 x head of a chain: flows of one tuple with one tuple-masked key,
//                          highest priority first
//   48   4  next           overflow line, 0 = none
//   52  12  zero
struct alignas(64) Bucket {
    std::array<std::atomic<std::uint16_t>, kBucketSlots> tag;
    std::array<std::atomic<std::uint32_t>, kBucketSlots> flow;
    std::atomic<std::uint32_t> next;
    std::array<std::uint8_t, 12> zero;
};
static_assert(sizeof(Bucket) == 64 && std::is_standard_layout_v<Bucket>);

/// Unit of the table memory: a bucket, or a piece of a descriptor.
struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
};
static_assert(sizeof(Line) == 64 && std::has_unique_object_representations_v<Line>);

}  // namespace raicho::shm
