// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/worker_io.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.h"

namespace raicho::io {

WorkerIo::WorkerIo(shm::DataplaneArena& arena, WorkerId worker, const Buffers& buffers)
    : arena_(arena), worker_(worker), buffers_(buffers), packet_ins_(arena.packet_in(worker)) {}

void WorkerIo::adopt(const WorkerView& view) {
    view_ = &view;
    // What was committed while nobody could be rung is rung for at the end of this burst.
    punted_ = Punted::yes;
    boxes_.resize(view.ports.size());
    waiting_.reserve(view.ports.size());
    backlog_.clear();
    backlog_.reserve(view.ports.size());
    for (std::size_t slot = 0; slot < boxes_.size(); ++slot) {
        if (view.ports[slot] == nullptr)
            boxes_[slot].reset();
        else if (boxes_[slot] == nullptr)
            boxes_[slot] = std::make_unique<Box>();
        if (boxes_[slot] == nullptr) continue;
        Box& box = *boxes_[slot];
        box.egress = view.egress[slot];
        // Whatever lies in its queues is looked after by everyone until they are empty.
        box.backlogged = box.egress != nullptr;
        if (box.backlogged) backlog_.emplace_back(static_cast<std::uint16_t>(slot));
    }
}

void WorkerIo::send(PortSlot slot, std::span<Packet* const> packets) noexcept {
    Box* box = slot.value() < boxes_.size() ? boxes_[slot.value()].get() : nullptr;
    if (box == nullptr) [[unlikely]] {  // gone since the pipeline looked
        for (Packet* packet : packets) drop_output(slot, packet);
        return;
    }
    if (box->n == 0) waiting_.push_back(slot);
    while (!packets.empty()) {
        const std::size_t n = std::min(packets.size(), kTxBatch - box->n);
        for (Packet* packet : packets.first(n)) {
            settle(packet);
            box->packets[box->n++] = packet;
        }
        packets = packets.subspan(n);
        if (box->n == kTxBatch) flush(slot, *box);
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
    return monotonic_ns();
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
    if (box.egress != nullptr) [[unlikely]]
        return queue(slot, box);
    const std::size_t n = std::exchange(box.n, 0);
    give(slot, {box.packets.data(), n});
}

void WorkerIo::queue(PortSlot slot, Box& box) noexcept {
    shm::PortQueueCounters& counters = arena_.queue_counters(worker_, slot);
    std::size_t lost = 0;
    const std::uint64_t now = clock_ns();
    {
        Egress::Held held(*box.egress);
        for (Packet* packet : std::span(box.packets).first(std::exchange(box.n, 0))) {
            if (held.offer(packet, now)) continue;
            const std::size_t place = held.queues().place_of(packet->queue);
            if (place < shm::kPortQueues) ++counters.queues[place].tx_errors;
            ++lost;
            free(packet);
        }
    }
    if (lost != 0) {
        arena_.port_counters(worker_, slot).tx_dropped += lost;
        arena_.drop_counters(worker_, slot)[shm::DropReason::tx_full] += lost;
    }
    if (drain(slot, *box.egress) == EgressQueues::kNever || box.backlogged) return;
    box.backlogged = true;
    backlog_.push_back(slot);
}

/// Sends what is due; when the next packet will be, kNever when none waits.
std::uint64_t WorkerIo::drain(PortSlot slot, Egress& egress) noexcept {
    shm::PortQueueCounters& counters = arena_.queue_counters(worker_, slot);
    const std::uint64_t now = clock_ns();
    std::array<Packet*, kTxBatch> batch;
    Egress::Held held(egress);
    for (std::size_t n = batch.size(); n == batch.size();) {
        n = 0;
        while (n < batch.size()) {
            const auto sent = held.take(now);
            if (!sent) break;
            batch[n++] = sent->packet;
            if (sent->place >= shm::kPortQueues) continue;
            shm::QueueCounters& queue = counters.queues[sent->place];
            ++queue.tx_packets;
            queue.tx_bytes += sent->packet->size;
        }
        // Under the lock: two workers that drain one queue must not turn its packets round.
        if (n != 0) give(slot, std::span(batch).first(n));
    }
    return held.queues().due_ns(now);
}

std::uint64_t WorkerIo::run_backlog() noexcept {
    std::uint64_t next = EgressQueues::kNever;
    std::erase_if(backlog_, [&](PortSlot slot) {
        Box& box = *boxes_[slot.value()];
        const std::uint64_t due = drain(slot, *box.egress);
        next = std::min(next, due);
        box.backlogged = due != EgressQueues::kNever;
        return !box.backlogged;
    });
    return next;
}

void WorkerIo::give(PortSlot slot, std::span<Packet* const> packets) noexcept {
    TxTally tally;
    view_->ports[slot.value()]->tx(worker_).send(packets, tally);
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
