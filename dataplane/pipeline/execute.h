// SPDX-License-Identifier: Apache-2.0
// Part of pipeline.h: runs the operations of a flow's program and, at the end of the tables, the
// action set (OF 1.3.5 §5.9, §5.10, §5.12).
#pragma once

#include <array>
#include <cstring>

#include "dataplane/pipeline/pipeline.h"

namespace raicho::pipeline {

/// One flow's instructions; ends in the next table's queue or at the packet's end.
template <PacketIo Io, class Sink>
template <class Cursor>
void Pipeline<Io, Sink>::execute(InFlight& f, Cursor cursor) noexcept {
    using shm::OpCode;
    while (const shm::Op* op = cursor.next()) {
        f.acted = 1;
        if (op->code == OpCode::output && op->mode == shm::OpMode::apply) [[likely]] {
            sink_.acts(f, *op);
            output(f, *op, f.origin);
            continue;
        }
        switch (op->code) {
            case OpCode::meter:
                sink_.acts(f, *op);
                meter(f, op->arg32);
                if (f.packet == nullptr) return;
                break;
            case OpCode::clear_set: f.set.clear(); break;
            case OpCode::metadata: write_metadata(f, *op); break;
            case OpCode::goto_table: {
                if (op->arg16 <= f.table.value() || op->arg16 >= kTables)
                    return kill(f, shm::DropReason::out_of_range);
                const auto index = static_cast<std::size_t>(&f - frames_.data());
                return submit(std::uint64_t{1} << index,
                              TableId(static_cast<std::uint8_t>(op->arg16)));
            }
            default:
                if (op->mode == shm::OpMode::write) {
                    f.set.write(op);
                    // of the exit that counts: a group stands before an output (§5.10)
                    if (op->code == OpCode::output || op->code == OpCode::group)
                        f.set_output_origin = f.origin;
                    break;
                }
                if (op->code == OpCode::group && !f.set.has_exit() &&
                    Cursor(cursor).next() == nullptr) {
                    sink_.acts(f, *op);  // the last action gets the packet, not a copy
                    return group(f, op->arg32, f.origin, After::ends);
                }
                act(f, *op, f.origin);
                if (f.packet == nullptr) return;
        }
    }
    finish(f);
}

/// One action. The packet may be gone afterwards.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::act(InFlight& f, const shm::Op& op, Origin origin) noexcept {
    sink_.acts(f, op);
    if (op.code == shm::OpCode::output) return output(f, op, origin);
    if (op.code == shm::OpCode::group) return group(f, op.arg32, origin, After::goes_on);
    flush_pending(f);
    const auto ttl = static_cast<std::uint8_t>(op.arg16);
    using enum shm::OpCode;
    switch (op.code) {
        case copy_ttl_out: return edited(f, pipeline::copy_ttl_out(f));
        case copy_ttl_in: return edited(f, pipeline::copy_ttl_in(f));
        case set_mpls_ttl: return edited(f, pipeline::set_mpls_ttl(f, ttl));
        case dec_mpls_ttl: return edited(f, pipeline::dec_mpls_ttl(f));
        case push_vlan: return edited(f, pipeline::push_vlan(f, op.arg16));
        case pop_vlan: return edited(f, pipeline::pop_vlan(f));
        case push_mpls: return edited(f, pipeline::push_mpls(f, op.arg16));
        case pop_mpls: return edited(f, pipeline::pop_mpls(f, op.arg16));
        case set_nw_ttl: return edited(f, pipeline::set_nw_ttl(f, ttl));
        case dec_nw_ttl: return edited(f, pipeline::dec_nw_ttl(f));
        case set_field:
            return edited(f,
                          pipeline::set_field(f, static_cast<Field>(op.arg16), shm::op_value(&op)));
        case push_pbb: return edited(f, pipeline::push_pbb(f, op.arg16));
        case pop_pbb: return edited(f, pipeline::pop_pbb(f));
        case set_queue: f.packet->queue = op.arg32; return;
        case end:
        case shm::OpCode::output:
        case shm::OpCode::group:
        case shm::OpCode::meter:
        case clear_set:
        case metadata:
        case goto_table: break;
    }
    kill(f, shm::DropReason::bad_action);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::edited(InFlight& f, EditResult result) noexcept {
    if (result == EditResult::done) [[likely]]
        return;
    if (result == EditResult::unfit) return kill(f, shm::DropReason::bad_action);
    const std::uint32_t flags = here_.record->config_flags.load(std::memory_order_relaxed);
    if ((flags & bridge_config::kInvalidTtl) == 0) return kill(f, shm::DropReason::ttl);
    packet_in(f, shm::PuntReason::invalid_ttl, Origin::flow,
              here_.record->miss_send_len.load(std::memory_order_relaxed));
    release(f);
}

/// Write-metadata (§5.9): value and mask lie in the program as they do in the key.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::write_metadata(InFlight& f, const shm::Op& op) noexcept {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), shm::op_value(&op), sizeof words);
    std::uint64_t& metadata = f.key.words[shm::place(Field::metadata).offset / 8];
    metadata = (metadata & ~words[1]) | (words[0] & words[1]);
}

/// The action set, then the end.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::finish(InFlight& f) noexcept {
    if (f.set.has_exit()) {
        while (const shm::Op* op = f.set.take()) {
            if (op->code == shm::OpCode::group) {  // the last of the order
                sink_.acts(f, *op);
                return group(f, op->arg32, f.set_output_origin, After::ends);
            }
            act(f, *op, f.set_output_origin);
            if (f.packet == nullptr) return;
        }
    }
    conclude(f);
}

/// The packet itself goes to the last port that was named, or nowhere.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::conclude(InFlight& f) noexcept {
    if (f.pending != shm::kNoSlot) {
        Packet* packet = f.packet;
        f.packet = nullptr;
        const std::uint16_t slot = f.pending;
        f.pending = shm::kNoSlot;
        return deliver(f, slot, packet);
    }
    if (f.fate == Fate::handled) return release(f);
    kill(f, f.acted != 0 ? shm::DropReason::no_action : shm::DropReason::action_drop);
}

}  // namespace raicho::pipeline
