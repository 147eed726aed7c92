// SPDX-License-Identifier: Apache-2.0
// The pipeline's PacketIo on mbufs and ports, for one worker: packets go into a box per port and
// leave when it is full or the burst ends.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/io/buffers.h"
#include "dataplane/io/egress.h"
#include "dataplane/io/vnet_send.h"
#include "dataplane/io/worker_view.h"
#include "dataplane/pipeline/packet_io.h"
#include "shm/arena.h"

namespace raicho::io {

class WorkerIo {
  public:
    WorkerIo(shm::DataplaneArena& arena, WorkerId worker, const Buffers& buffers);

    /// Uses this view from now on; nothing may wait in the boxes.
    void adopt(const WorkerView& view);

    [[nodiscard]] Packet* clone(const Packet& packet) noexcept { return buffers_.clone(packet); }
    [[nodiscard]] Packet* alloc(std::size_t size) noexcept { return buffers_.alloc(size); }
    void free(Packet* packet) noexcept { rte_pktmbuf_free(mbuf_of(packet)); }
    void send(PortSlot slot, Packet* packet) noexcept {
        Box* box = slot.value() < boxes_.size() ? boxes_[slot.value()].get() : nullptr;
        if (box == nullptr) [[unlikely]] {  // gone since the pipeline looked
            drop_output(slot, packet);
            return;
        }
        settle(packet);
        if (box->n == 0) waiting_.push_back(slot);
        box->packets[box->n++] = packet;
        if (box->n == kTxBatch) flush(slot, *box);
    }
    void send(PortSlot slot, std::span<Packet* const> packets) noexcept;
    [[nodiscard]] std::size_t read(const Packet& packet, std::size_t offset,
                                   std::span<std::byte> out) noexcept {
        return read_bytes(packet, offset, out);
    }
    [[nodiscard]] bool packet_in(const shm::PacketInHead& head, const Packet& packet) noexcept;
    [[nodiscard]] std::uint64_t clock_ns() noexcept;
    [[nodiscard]] pipeline::PortView port(PortSlot slot) noexcept {
        const Port* port =
            slot.value() < view_->ports.size() ? view_->ports[slot.value()] : nullptr;
        return port != nullptr ? port->view() : pipeline::PortView{};
    }

    /// Burst's end: everything leaves, the agent is woken when there are packet-ins for it.
    void finish_burst() noexcept;

    /// Ports whose egress queues hold packets that this worker put there.
    [[nodiscard]] bool has_backlog() const noexcept { return !backlog_.empty(); }
    /// Sends what has become due there; returns when the next packet will be.
    std::uint64_t run_backlog() noexcept;

  private:
    struct Box {
        std::size_t n = 0;
        Egress* egress = nullptr;
        bool backlogged = false;  // its slot is in backlog_
        std::array<Packet*, kTxBatch> packets;
    };
    void flush(PortSlot slot, Box& box) noexcept;
    void give(PortSlot slot, std::span<Packet* const> packets) noexcept;
    void queue(PortSlot slot, Box& box) noexcept;
    [[nodiscard]] std::uint64_t drain(PortSlot slot, Egress& egress) noexcept;
    void drop_output(PortSlot slot, Packet* packet) noexcept;

    shm::DataplaneArena& arena_;
    const WorkerId worker_;
    const Buffers& buffers_;
    shm::RingProducer packet_ins_;
    const WorkerView* view_ = nullptr;
    std::vector<std::unique_ptr<Box>> boxes_;  // by slot; only for ports with a device
    std::vector<PortSlot> waiting_;            // boxes with packets, room reserved for all
    std::vector<PortSlot> backlog_;            // the same of egress queues
    enum class Punted : std::uint8_t { no, yes } punted_ = Punted::no;
};
static_assert(pipeline::PacketIo<WorkerIo>);

}  // namespace raicho::io
