// SPDX-License-Identifier: Apache-2.0
// Action programs: a flow's instructions compiled to a stream of 8-byte words in chained 64-byte
// chunks. The agent writes a program once, before it is published; workers read it in place and
// run it front to back. Instruction order (OF 1.3.5 §5.9) is fixed by the compiler: meter, apply
// list, clear, write list, metadata, goto.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/fields.h"
#include "base/ids.h"

namespace raicho::shm {

/// One word each; set_field is followed by 1 or 2 value words, metadata by 2 (value, mask).
enum class OpCode : std::uint8_t {
    end = 0,
    output,  // arg32 = OpenFlow port number, arg16 = max_len
    copy_ttl_out,
    copy_ttl_in,
    set_mpls_ttl,  // arg16 = TTL
    dec_mpls_ttl,
    push_vlan,  // arg16 = ethertype
    pop_vlan,
    push_mpls,   // arg16 = ethertype
    pop_mpls,    // arg16 = ethertype
    set_queue,   // arg32 = queue
    group,       // arg32 = group id
    set_nw_ttl,  // arg16 = TTL
    dec_nw_ttl,
    set_field,  // arg16 = Field; value words as FieldValue::bytes (8, or 16 when size > 8)
    push_pbb,   // arg16 = ethertype
    pop_pbb,
    meter,       // arg32 = meter id
    clear_set,   // clear-actions
    metadata,    // value word, mask word, both as in the key (network order)
    goto_table,  // arg16 = table
};
inline constexpr std::size_t kOpCodes = 21;

enum class OpMode : std::uint8_t { apply = 0, write = 1 };

// Where an operation stands in an action set (OF 1.3.5 §5.10), set-fields by their field.
namespace detail {
inline constexpr std::array kBeforeFields = {
    OpCode::copy_ttl_in,  OpCode::pop_vlan,   OpCode::pop_mpls,     OpCode::pop_pbb,
    OpCode::push_mpls,    OpCode::push_pbb,   OpCode::push_vlan,    OpCode::copy_ttl_out,
    OpCode::dec_mpls_ttl, OpCode::dec_nw_ttl, OpCode::set_mpls_ttl, OpCode::set_nw_ttl};
inline constexpr std::array kAfterFields = {OpCode::set_queue, OpCode::group, OpCode::output};

consteval std::array<std::uint8_t, kOpCodes> make_places() {
    std::array<std::uint8_t, kOpCodes> places{};
    places.fill(0xff);
    std::uint8_t next = 0;
    for (OpCode code : kBeforeFields) places[static_cast<std::size_t>(code)] = next++;
    places[static_cast<std::size_t>(OpCode::set_field)] = next;
    next = static_cast<std::uint8_t>(next + kFields);
    for (OpCode code : kAfterFields) places[static_cast<std::size_t>(code)] = next++;
    return places;
}
inline constexpr auto kPlaces = make_places();
}  // namespace detail

inline constexpr std::size_t kSetPlaces =
    detail::kBeforeFields.size() + kFields + detail::kAfterFields.size();
static_assert(kSetPlaces <= 64);
/// The place of what is no action of a set.
inline constexpr std::size_t kNoPlace = 0xff;
/// Place in the set, 0 first; kNoPlace for operations that are no actions.
[[nodiscard]] constexpr std::size_t set_place(OpCode code, std::uint16_t arg16) {
    if (static_cast<std::size_t>(code) >= kOpCodes) return kNoPlace;
    const std::size_t place = detail::kPlaces[static_cast<std::size_t>(code)];
    if (code != OpCode::set_field) return place;
    return arg16 < kFields ? place + arg16 : kNoPlace;
}

/// One operation. `mode` write puts it into the action set instead of running it.
struct Op {
    OpCode code{};
    OpMode mode{};
    std::uint16_t arg16 = 0;
    std::uint32_t arg32 = 0;
};
static_assert(sizeof(Op) == 8 && std::has_unique_object_representations_v<Op>);

/// Chunk index 0 is never allocated: it ends a chain and means "no program" (drop).
inline constexpr std::uint32_t kNoChunk = 0;
inline constexpr std::size_t kChunkWords = 7;

//  off size field                               writer: agent
//    0   4  next chunk or kNoChunk
//    4   4  tag, not read by workers: in a program's first chunk the first chunk of its instruction
//           TLVs as sent, in the first chunk of those their size in bytes, else 0
//    8  56  seven words
/// An operation and its value words never straddle two chunks: the compiler ends a chunk early
/// with `end` in `next != 0` chunks meaning "go on in the next chunk".
struct alignas(64) Chunk {
    std::uint32_t next = kNoChunk;
    std::uint32_t tag = 0;
    std::array<std::uint64_t, kChunkWords> words{};
};
static_assert(sizeof(Chunk) == 64 && std::has_unique_object_representations_v<Chunk>);

/// How many words an operation takes, itself included.
[[nodiscard]] constexpr std::size_t op_words(OpCode code, std::uint16_t arg16) {
    if (code == OpCode::set_field) {
        const bool wide = arg16 < kFields && kFieldRows[arg16].size() > 8;
        return wide ? 3 : 2;
    }
    return code == OpCode::metadata ? 3 : 1;
}

/// Walks a program in the chunk pool. Every index is masked to the pool, every walk is bounded by
/// the pool's size, so that a damaged program cannot lead a worker astray.
class ProgramCursor {
  public:
    /// `pool.size()` must be a power of two.
    ProgramCursor(std::span<const Chunk> pool, std::uint32_t first)
        : pool_(pool), chunk_(first), left_(pool.size()) {}

    /// The next operation, or nullptr at the end; its value words follow it in memory.
    [[nodiscard]] const Op* next() {
        for (;;) {
            if (chunk_ == kNoChunk) return nullptr;
            const Chunk& chunk = pool_[chunk_ & (pool_.size() - 1)];
            if (word_ < kChunkWords) {
                const Op* op = reinterpret_cast<const Op*>(&chunk.words[word_]);
                const std::size_t need = op_words(op->code, op->arg16);
                if (op->code != OpCode::end && word_ + need <= kChunkWords) {
                    word_ += need;
                    return op;
                }
            }
            if (left_-- == 0) return nullptr;
            chunk_ = chunk.next;
            word_ = 0;
        }
    }

  private:
    std::span<const Chunk> pool_;
    std::uint32_t chunk_;
    std::size_t word_ = 0;
    std::size_t left_;
};

/// The value words behind a set_field or metadata operation.
[[nodiscard]] inline const std::byte* op_value(const Op* op) {
    return reinterpret_cast<const std::byte*>(op + 1);
}

}  // namespace raicho::shm
