// SPDX-License-Identifier: Apache-2.0
// The dataplane's end of the arena: taking over its pages, its rings and readers.
#include <unistd.h>

#include "shm/arena.h"

namespace raicho::shm {

Result<DataplaneArena> DataplaneArena::attach(const std::string& rundir) {
    TRY_ASSIGN(ArenaView view, ArenaView::open(rundir, Side::dataplane));
    TRY(view.lock(Side::dataplane));
    // It takes its page faults now, not in the packet path, and only when the arena is its own.
    TRY(view.map(Side::dataplane, ArenaView::Populate::yes));
    DataplaneArena arena(std::move(view));
    for (std::size_t i = 0; i < arena.max_workers(); ++i)
        arena.mutable_at<ReaderWord>(Region::readers, i).seen.store(0, std::memory_order_release);
    for (std::uint8_t w = 0; w < arena.max_workers(); ++w) {
        arena.worker_words(WorkerId(w)).sleeping.store(0, std::memory_order_relaxed);
        arena.packet_out(WorkerId(w)).discard();
    }
    for (std::uint16_t p = 0; p < arena.max_ports(); ++p) {
        // a seqlock left odd by a killed writer
        auto& sequence = arena.port_status(PortSlot(p)).sequence;
        const std::uint32_t value = sequence.load(std::memory_order_relaxed);
        if (value % 2 != 0) sequence.store(value + 1, std::memory_order_release);
    }
    mac_recover(arena);
    DataplaneWords& words = arena.dataplane_words();
    words.workers.store(0, std::memory_order_relaxed);
    words.pid.store(static_cast<std::uint64_t>(::getpid()), std::memory_order_relaxed);
    // pairs with AgentArena::grace_passed(): readers are heeded again from here on
    words.generation.fetch_add(1, std::memory_order_acq_rel);
    return arena;
}

RingProducer DataplaneArena::packet_in(WorkerId worker) {
    const std::size_t w = worker.value() & worker_mask_;
    return {{base(Region::packet_in_slots) + w * kRingBytes, kRingBytes},
            mutable_at<RingIndex>(Region::packet_in_producers, w),
            at<RingIndex>(Region::packet_in_consumers, w)};
}

RingConsumer DataplaneArena::packet_out(WorkerId worker) {
    const std::size_t w = worker.value() & worker_mask_;
    return {{base(Region::packet_out_slots) + w * kRingBytes, kRingBytes},
            at<RingIndex>(Region::packet_out_producers, w),
            mutable_at<RingIndex>(Region::packet_out_consumers, w)};
}

QsbrReader DataplaneArena::reader(WorkerId worker) {
    return {mutable_at<ReaderWord>(Region::readers, worker.value() & worker_mask_),
            agent_words().qsbr_token};
}

}  // namespace raicho::shm
