// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/program_store.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "openflow/codec.h"
#include "shm/hash.h"
#include "shm/walk.h"

namespace raicho::agent {
namespace {

using openflow::ActionList;
using openflow::Instructions;
using shm::Op;
using shm::OpCode;
using shm::OpMode;

/// Appends operations and their value words.
class Stream {
  public:
    explicit Stream(std::vector<std::uint64_t>& words) : words_(words) {}

    void mode(OpMode mode) { mode_ = mode; }
    void put(OpCode code, std::uint16_t arg16 = 0, std::uint32_t arg32 = 0) {
        words_.push_back(std::bit_cast<std::uint64_t>(Op{code, mode_, arg16, arg32}));
    }
    void value(const std::byte* bytes, std::size_t n_words) {
        for (std::size_t i = 0; i < n_words; ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes + 8 * i, 8);
            words_.push_back(word);
        }
    }

    void operator()(const openflow::OutputAction& a) {
        put(OpCode::output, a.max_len, a.port.value());
    }
    void operator()(openflow::CopyTtlOut) { put(OpCode::copy_ttl_out); }
    void operator()(openflow::CopyTtlIn) { put(OpCode::copy_ttl_in); }
    void operator()(openflow::SetMplsTtl a) { put(OpCode::set_mpls_ttl, a.ttl); }
    void operator()(openflow::DecMplsTtl) { put(OpCode::dec_mpls_ttl); }
    void operator()(openflow::PushVlan a) { put(OpCode::push_vlan, a.ethertype); }
    void operator()(openflow::PopVlan) { put(OpCode::pop_vlan); }
    void operator()(openflow::PushMpls a) { put(OpCode::push_mpls, a.ethertype); }
    void operator()(openflow::PopMpls a) { put(OpCode::pop_mpls, a.ethertype); }
    void operator()(openflow::SetQueue a) { put(OpCode::set_queue, 0, a.queue); }
    void operator()(openflow::GroupAction a) { put(OpCode::group, 0, a.group.value()); }
    void operator()(openflow::SetNwTtl a) { put(OpCode::set_nw_ttl, a.ttl); }
    void operator()(openflow::DecNwTtl) { put(OpCode::dec_nw_ttl); }
    void operator()(const openflow::SetField& a) {
        const auto field = static_cast<std::uint16_t>(a.field);
        put(OpCode::set_field, field);
        value(a.value.bytes.data(), shm::op_words(OpCode::set_field, field) - 1);
    }
    void operator()(openflow::PushPbb a) { put(OpCode::push_pbb, a.ethertype); }
    void operator()(openflow::PopPbb) { put(OpCode::pop_pbb); }

    void actions(const ActionList& list) {
        for (const openflow::Action& action : list) std::visit(*this, action);
    }

  private:
    std::vector<std::uint64_t>& words_;
    OpMode mode_ = OpMode::apply;
};

std::uint64_t hash_of(Bytes bytes) {
    std::uint64_t hash = bytes.size() * 0x9e3779b97f4a7c15;
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        const std::size_t size = std::min<std::size_t>(8, bytes.size());
        std::memcpy(&word, bytes.data(), size);
        hash = shm::fold_multiply(hash ^ word, 0xa0761d6478bd642f) + 0xe7037ed1a0b428db;
        bytes = bytes.subspan(size);
    }
    return hash;
}

/// Lays the stream out so that no operation straddles two chunks.
std::vector<std::byte> in_chunks(const std::vector<std::uint64_t>& words) {
    std::vector<std::uint64_t> laid;
    for (std::size_t i = 0; i < words.size();) {
        const Op op = std::bit_cast<Op>(words[i]);
        const std::size_t need = shm::op_words(op.code, op.arg16);
        if (laid.size() % shm::kChunkWords + need > shm::kChunkWords)
            laid.resize((laid.size() / shm::kChunkWords + 1) * shm::kChunkWords);
        laid.insert(laid.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                    words.begin() + static_cast<std::ptrdiff_t>(i + need));
        i += need;
    }
    const auto bytes = std::as_bytes(std::span(laid));
    return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::uint64_t> compile(const ActionList& actions) {
    std::vector<std::uint64_t> words;
    Stream stream(words);
    stream.actions(actions);
    stream.put(OpCode::end);
    return words;
}

std::vector<std::uint64_t> compile_set(const ActionList& actions) {
    std::map<std::size_t, std::vector<std::uint64_t>> places;
    for (const openflow::Action& action : actions) {
        std::vector<std::uint64_t> words;
        std::visit(Stream(words), action);
        const Op op = std::bit_cast<Op>(words.front());
        places.insert_or_assign(shm::set_place(op.code, op.arg16), std::move(words));
    }
    if (places.contains(shm::set_place(OpCode::group, 0)))
        places.erase(shm::set_place(OpCode::output, 0));
    std::vector<std::uint64_t> all;
    for (const auto& [place, words] : places) all.insert(all.end(), words.begin(), words.end());
    Stream(all).put(OpCode::end);
    return all;
}

std::vector<std::uint64_t> compile(const Instructions& instructions) {
    std::vector<std::uint64_t> words;
    Stream stream(words);  // in the order of OF 1.3.5 §5.9
    if (instructions.meter) stream.put(OpCode::meter, 0, instructions.meter->value());
    if (instructions.apply) stream.actions(*instructions.apply);
    if (instructions.clear) stream.put(OpCode::clear_set);
    if (instructions.write) {
        stream.mode(OpMode::write);
        stream.actions(*instructions.write);
        stream.mode(OpMode::apply);
    }
    if (instructions.metadata) {
        stream.put(OpCode::metadata);
        const std::array<Be64, 2> both{instructions.metadata->value, instructions.metadata->mask};
        stream.value(reinterpret_cast<const std::byte*>(both.data()), 2);
    }
    if (instructions.go_to) stream.put(OpCode::goto_table, instructions.go_to->value());
    stream.put(OpCode::end);
    return words;
}

std::optional<std::uint32_t> ProgramStore::write(const Instructions& instructions, Bytes tlvs) {
    const auto text = chunks_.write(tlvs, static_cast<std::uint32_t>(tlvs.size()));
    if (!text) return std::nullopt;
    const auto program = chunks_.write(in_chunks(compile(instructions)), *text);
    if (!program) chunks_.free(*text);
    return program;
}

std::optional<std::uint32_t> ProgramStore::write_set(const ActionList& actions) {
    if (actions.empty()) return shm::kNoChunk;
    return chunks_.write(in_chunks(compile_set(actions)), 0);
}

openflow::OfResult<std::uint32_t> ProgramStore::acquire(const Instructions& instructions) {
    scratch_.clear();
    openflow::encode_instructions(instructions, scratch_);
    if (scratch_.empty()) return shm::kNoChunk;
    const std::uint64_t hash = hash_of(scratch_);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        if (shm::instruction_bytes(arena_, at->second) != scratch_) continue;
        use(at->second);
        return at->second;
    }
    const auto program = write(instructions, scratch_);
    if (!program)
        return openflow::ofp_error(openflow::FlowModFailed::table_full,
                                   chunks_.shortage("the instructions"));
    entries_.emplace(*program, Entry{hash, 1});
    by_hash_.emplace(hash, *program);
    return *program;
}

void ProgramStore::use(std::uint32_t program) {
    if (program != shm::kNoChunk) ++entries_.at(program).uses;
}

void ProgramStore::release(std::uint32_t program) {
    if (program == shm::kNoChunk) return;
    const auto entry = entries_.find(program);
    if (--entry->second.uses != 0) return;
    const auto [first, last] = by_hash_.equal_range(entry->second.hash);
    for (auto at = first; at != last; ++at) {
        if (at->second != program) continue;
        by_hash_.erase(at);
        break;
    }
    entries_.erase(entry);
    chunks_.free(arena_.chunks()[program].tag);
    chunks_.free(program);
}

bool ProgramStore::adopt(std::uint32_t program, std::vector<bool>& chunks) {
    if (program == shm::kNoChunk) return true;
    if (const auto known = entries_.find(program); known != entries_.end()) {
        ++known->second.uses;
        return true;
    }
    if (!chunks_.mark(program, chunks) || !chunks_.mark(arena_.chunks()[program].tag, chunks))
        return false;
    const std::uint64_t hash = hash_of(shm::instruction_bytes(arena_, program));
    entries_.emplace(program, Entry{hash, 1});
    by_hash_.emplace(hash, program);
    return true;
}

}  // namespace raicho::agent
