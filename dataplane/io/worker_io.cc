// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/worker_io.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace raicho::io {

WorkerIo::WorkerIo(shm::DataplaneArena& arena, WorkerId worker, const Buffers& buffers)
    : arena_(arena), worker_(worker), buffers_(buffers), packet_ins_(arena.packet_in(worker)) {}

void WorkerIo::adopt(const WorkerView& view) {
    view_ = &view;
    // What was committed while nobody could be rung is rung for at the end of this burst.
    punted_ = Punted::yes;
    boxes_.resize(view.ports.size());
    waiting_.reserve(view.ports.size());
    for (std::size_t slot = 0; slot < boxes_.size(); ++slot) {
        if (view.ports[slot] == nullptr)
            boxes_[slot].reset();
        else if (boxes_[slot] == nullptr)
            boxes_[slot] = std::make_unique<Box>();
    }
}

bool WorkerIo::packet_in(const shm::PacketInHead& head, const Packet& packet) noexcept {
    const std::span<std::byte> room = packet_ins_.reserve(sizeof head + head.data_size);
    if (room.empty()) return false;
    std::memcpy(room.data(), &head, sizeof head);
    const std::span<std::byte> bytes = room.subspan(sizeof head);
    const std::size_t copied = read_bytes(packet, 0, bytes);
    // a head that promises more than the frame has would show old bytes of the ring
    std::ranges::fill(bytes.subspan(copied), std::byte{0});
    packet_ins_.commit();
    punted_ = Punted::yes;
    return true;
}

std::uint64_t WorkerIo::clock_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

void WorkerIo::finish_burst() noexcept {
    // flush() only empties boxes, it never adds to waiting_
    for (const PortSlot slot : waiting_)
        if (Box& box = *boxes_[slot.value()]; box.n != 0) flush(slot, box);
    waiting_.clear();
    if (punted_ == Punted::no) return;
    punted_ = Punted::no;
    // pairs with the agent's fence between `sleeping` and its last look at the ring
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (view_->agent_event >= 0 &&
        arena_.agent_words().sleeping.load(std::memory_order_relaxed) != 0) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(view_->agent_event, &one, sizeof one);
    }
}

void WorkerIo::flush(PortSlot slot, Box& box) noexcept {
    TxTally tally;
    view_->ports[slot.value()]->tx(worker_).send({box.packets.data(), box.n}, tally);
    box.n = 0;
    shm::PortCounters& counters = arena_.port_counters(worker_, slot);
    counters.tx_packets += tally.packets;
    counters.tx_bytes += tally.bytes;
    if (tally.full + tally.too_big + tally.down + tally.errors == 0) return;
    counters.tx_dropped += tally.full + tally.too_big + tally.down;
    counters.tx_errors += tally.errors;
    shm::DropCounters& drops = arena_.drop_counters(worker_, slot);
    drops[shm::DropReason::tx_full] += tally.full;
    drops[shm::DropReason::too_big] += tally.too_big;
    drops[shm::DropReason::output_down] += tally.down;
    drops[shm::DropReason::tx_error] += tally.errors;
}

void WorkerIo::drop_output(PortSlot slot, Packet* packet) noexcept {
    ++arena_.port_counters(worker_, slot).tx_dropped;
    ++arena_.drop_counters(worker_, slot)[shm::DropReason::output_down];
    free(packet);
}

}  // namespace raicho::io
