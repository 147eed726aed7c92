// SPDX-License-Identifier: Apache-2.0
// Part of pipeline.h: the short way of the commonest work. A program that is one output is looked
// at once a run instead of once a packet, and where the first table asks for nothing that lies in
// a packet, a whole burst goes through it unparsed. What does not fit (frames that need padding,
// segments, a checksum or a closer look at their size; ports that are down; other programs) takes
// the way of run.h; both do the same to a packet and count the same.
#pragma once

#include "dataplane/pipeline/pipeline.h"

namespace raicho::pipeline {

/// What the program is in this run.
template <PacketIo Io, class Sink>
inline auto Pipeline<Io, Sink>::straight_of(std::uint32_t program) noexcept -> const Straight& {
    Straight& way = straights_[program % straights_.size()];
    if (way.epoch != epoch_ || way.program != program) [[unlikely]]
        find_straight(way, program);
    return way;
}

template <PacketIo Io, class Sink>
[[gnu::noinline]] void Pipeline<Io, Sink>::find_straight(Straight& way,
                                                         std::uint32_t program) noexcept {
    way = {.epoch = epoch_, .program = program};
    shm::ProgramCursor cursor(arena_.chunks(), program);
    const shm::Op* op = cursor.next();
    while (op != nullptr && way.edit.add(*op)) op = cursor.next();
    if (op == nullptr || op->code != shm::OpCode::output || op->mode != shm::OpMode::apply) return;
    const PortNo number(op->arg32);
    if ((number > port::kMax && number != port::kLocal) || cursor.next() != nullptr) return;
    const std::uint16_t slot = slot_of(number);
    if (slot == shm::kNoSlot || slot == here_.ingress.value()) return;
    const Out& out = resolve(slot);
    if (!out.open() || out.meter != shm::kNoRow) return;
    way.slot = slot;
    way.most = out.view.mtu == 0 ? UINT32_MAX : out.view.mtu + detail::kEthernetHeader;
}

/// Takes the packet if an output is all that its program says and no earlier one left anything to
/// do. It is sent with its neighbours: by send_leaving(), at the latest before one that goes
/// another way.
template <PacketIo Io, class Sink>
inline bool Pipeline<Io, Sink>::leaves_straight(Leaving& leaving, InFlight& f,
                                                std::uint32_t program) noexcept {
    if constexpr (!Sink::kSilent) return false;
    const Straight& way = straight_of(program);
    if (!way.takes(*f.packet) || f.pending != shm::kNoSlot || f.set.has_exit()) return false;
    if (!way.edit.none() && !way.edit.apply(f)) return false;
    if (way.slot != leaving.slot) {
        send_leaving(leaving);
        leaving.slot = way.slot;
    }
    leaving.packets[leaving.n++] = f.packet;
    f.packet = nullptr;
    return true;
}

template <PacketIo Io, class Sink>
inline void Pipeline<Io, Sink>::send_leaving(Leaving& leaving) noexcept {
    if (leaving.n != 0)
        io_.send(PortSlot(leaving.slot),
                 std::span<Packet* const>(leaving.packets).first(leaving.n));
    leaving.n = 0;
}

/// The flow that all packets of the run match, when that can be said without looking at them and
/// its program is an output; else kNoFlow.
template <PacketIo Io, class Sink>
std::uint32_t Pipeline<Io, Sink>::common_flow() noexcept {
    if (!Sink::kSilent || here_.mode == shm::BridgeMode::normal ||
        here_.fragments == bridge_config::kFragmentDrop)
        return shm::kNoFlow;
    shm::Key context;
    detail::begin_context(context, here_.port_word);
    const std::uint32_t flow = shm::lookup_context(arena_, here_.bridge, TableId(0), context);
    if (flow == shm::kNoFlow) return shm::kNoFlow;
    const Straight& way = straight_of(arena_.hot(flow).program());
    return way.most != 0 && way.edit.none() ? flow : shm::kNoFlow;
}

/// All packets match `flow`. Those that it can send as they are go in runs, the others as always;
/// none passes another.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::straight_burst(std::uint32_t flow,
                                        std::span<Packet* const> burst) noexcept {
    const Straight way = straight_of(arena_.hot(flow).program());
    while (!burst.empty()) {
        std::size_t n = 0;
        std::uint64_t bytes = 0;
        for (; n < burst.size() && way.takes(*burst[n]); ++n) bytes += burst[n]->size;
        if (n != 0) {
            shm::add(arena_.flow_counter(worker_, flow), n, bytes, here_.tick);
            shm::TableCounters& counters = arena_.table_counters(worker_, here_.bridge, TableId(0));
            counters.lookups += n;
            counters.matched += n;
            io_.send(PortSlot(way.slot), burst.first(n));
            burst = burst.subspan(n);
        }
        for (n = 0; n < burst.size() && !way.takes(*burst[n]);) ++n;
        if (n != 0) burst_of(burst.first(n));
        burst = burst.subspan(n);
    }
}

}  // namespace raicho::pipeline
