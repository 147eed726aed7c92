// SPDX-License-Identifier: Apache-2.0
// The way of a packet through a bridge (house.md §3, OF 1.3.5 §5.1): a burst from one port is
// parsed, looked up table by table and put out, to the end, by one worker. It knows packets
// through PacketIo only. One Pipeline per worker; nothing in it is shared.
// Parts: run.h the burst and its tables, execute.h the operations, group.h and meter.h what their
// names say, output.h the ways out, straight.h a shorter one, normal.h the learning switch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "dataplane/pipeline/header_edit.h"
#include "dataplane/pipeline/in_flight.h"
#include "dataplane/pipeline/memo.h"
#include "dataplane/pipeline/packet.h"
#include "dataplane/pipeline/packet_io.h"
#include "shm/arena.h"
#include "shm/packet_record.h"
#include "shm/tables.h"

namespace raicho::pipeline {

/// Most packets that go through the tables together.
inline constexpr std::size_t kMaxBurst = 64;

template <PacketIo Io, class Sink = NullSink>
class Pipeline {
  public:
    /// Borrows all of them for its life. `worker` names the counters and rings it writes.
    Pipeline(shm::DataplaneArena& arena, WorkerId worker, Io& io, Sink sink = {}) noexcept
        : arena_(arena), io_(io), worker_(worker), sink_(sink), memo_(arena.hash_key()) {}

    /// Takes packets received on `ingress` and forwards, keeps or frees every one before it
    /// returns; what goes out was given to io.send(). `now_ns` is CLOCK_MONOTONIC. rx counters of
    /// the port are io's; flows, tables and drops are counted here. The caller is online in the
    /// sense of shm/qsbr.h until it returns.
    void run(PortSlot ingress, std::span<Packet* const> burst, std::uint64_t now_ns) noexcept;

    /// Runs a packet-out record: `program` is head.program_size bytes of Op words, 8-byte aligned.
    /// Takes `frame`, which holds the head.data_size bytes.
    void packet_out(const shm::PacketOutHead& head, std::span<const std::byte> program,
                    Packet* frame, std::uint64_t now_ns) noexcept;

    /// Counts a packet-out record that cannot be run.
    void refuse_packet_out(const shm::PacketOutHead& head, shm::DropReason reason) noexcept;

    [[nodiscard]] Sink& sink() noexcept { return sink_; }

  private:
    /// What all packets of a run share.
    struct Here {
        BridgeId bridge;
        PortSlot ingress{shm::kNoSlot};
        const shm::BridgeRecord* record = nullptr;
        PortNo in_port;
        std::uint64_t port_word = 0;  // in_port and in_phy_port as the key has them
        shm::BridgeMode mode = shm::BridgeMode::unused;
        std::uint32_t config = 0;  // of the ingress port
        shm::VlanWord vlan;        // likewise
        std::uint32_t fragments = 0;
        std::uint32_t tick = 0;
        std::uint32_t now_s = 0;
        bool packet_out = false;
    };
    /// An output port as it was when the run first needed it.
    struct Out {
        std::uint64_t epoch = 0;
        std::uint32_t number = 0;
        std::uint16_t slot = shm::kNoSlot;
        std::uint32_t config = 0;
        std::uint32_t meter = shm::kNoRow;  // OFPM_SLOWPATH, when it is LOCAL
        shm::VlanWord vlan;
        PortView view;

        /// Attached, up and allowed to send.
        [[nodiscard]] bool open() const noexcept {
            return slot != shm::kNoSlot && view.link == Link::up &&
                   (config & (port_config::kDown | port_config::kNoFwd)) == 0;
        }
    };
    /// Where an action program sends packets that is one output, behind nothing but new Ethernet
    /// addresses and a lower TTL.
    struct Straight {
        std::uint64_t epoch = 0;
        std::uint32_t program = shm::kNoChunk;
        std::uint32_t most = 0;  // bytes of the largest such frame; 0 = the program has no such way
        std::uint16_t slot = shm::kNoSlot;
        HeaderEdit edit;

        [[nodiscard]] bool takes(const Packet& packet) const noexcept {
            const unsigned unfinished =
                static_cast<unsigned>(packet.gso) | static_cast<unsigned>(packet.checksum);
            return packet.size >= kMinFrame && packet.size <= most && unfinished == 0;
        }
    };
    /// Neighbours of a burst that leave as they are by one port, until they are given to io.
    struct Leaving {
        std::uint16_t slot = shm::kNoSlot;
        std::size_t n = 0;
        std::array<Packet*, kMaxBurst> packets;
    };
    /// Whether an action leaves the packet for those behind it.
    enum class After : std::uint8_t { goes_on, ends };

    // run.h
    void come_by(PortNo port) noexcept;
    [[nodiscard]] bool enter_bridge(BridgeId bridge, std::uint64_t now_ns) noexcept;
    void refuse(std::span<Packet* const> burst, PortSlot ingress, shm::DropReason reason) noexcept;
    void take(std::span<Packet* const> burst) noexcept;
    void burst_of(std::span<Packet* const> burst) noexcept;
    void police(PortSlot ingress, std::span<Packet* const> burst) noexcept;
    void look(InFlight& f) noexcept;
    void submit(std::uint64_t mask, TableId table) noexcept;
    void sweep() noexcept;
    void stage(TableId table, std::uint64_t mask) noexcept;
    void find(TableId table, std::span<const shm::Key* const> keys,
              std::span<std::uint32_t> flows) noexcept;
    void count(TableId table, std::span<InFlight* const> frames,
               std::span<const std::uint32_t> flows) noexcept;
    void missed(InFlight& f) noexcept;

    // straight.h
    [[nodiscard]] const Straight& straight_of(std::uint32_t program) noexcept;
    void find_straight(Straight& way, std::uint32_t program) noexcept;
    [[nodiscard]] bool leaves_straight(Leaving& leaving, InFlight& f,
                                       std::uint32_t program) noexcept;
    void send_leaving(Leaving& leaving) noexcept;
    [[nodiscard]] std::uint32_t common_flow() noexcept;
    void straight_burst(std::uint32_t flow, std::span<Packet* const> burst) noexcept;

    // execute.h
    template <class Cursor>
    void execute(InFlight& f, Cursor cursor) noexcept;
    void act(InFlight& f, const shm::Op& op, Origin origin) noexcept;
    void edited(InFlight& f, EditResult result) noexcept;
    void write_metadata(InFlight& f, const shm::Op& op) noexcept;
    void finish(InFlight& f) noexcept;
    void conclude(InFlight& f) noexcept;

    // group.h
    void group(InFlight& f, std::uint32_t id, Origin origin, After after) noexcept;
    void every_bucket(InFlight& f, std::span<const shm::BucketRow> buckets, Origin origin,
                      After after) noexcept;
    [[nodiscard]] const shm::BucketRow* choose(const InFlight& f, std::uint32_t id,
                                               shm::GroupType type,
                                               std::span<const shm::BucketRow> buckets) noexcept;
    [[nodiscard]] const shm::BucketRow* select(const InFlight& f, std::uint32_t id,
                                               std::span<const shm::BucketRow> buckets) noexcept;
    void bucket(InFlight& f, const shm::BucketRow& b, Origin origin, After after) noexcept;
    void run_bucket(InFlight& f, const shm::BucketRow& b, Origin origin) noexcept;
    [[nodiscard]] bool live(const shm::BucketRow& b) noexcept;
    [[nodiscard]] bool port_live(PortNo number) noexcept;
    [[nodiscard]] bool group_live(std::uint32_t id) noexcept;

    // meter.h
    [[nodiscard]] const shm::MeterBand* measure(std::uint32_t row, const Packet& packet) noexcept;
    void meter(InFlight& f, std::uint32_t id) noexcept;
    void remark(Frame& frame, const shm::MeterBand& band) noexcept;
    [[nodiscard]] bool within_policer(const shm::WantedPort& port, PortSlot slot,
                                      const Packet& packet) noexcept;

    // normal.h
    void normal(InFlight& f) noexcept;
    void normal_flood(InFlight& f, std::uint16_t vlan) noexcept;
    void normal_emit(InFlight& f, const Out& out, std::uint16_t vlan) noexcept;
    [[nodiscard]] bool carries(const Out& out, std::uint16_t vlan) const noexcept;

    // output.h
    void output(InFlight& f, const shm::Op& op, Origin origin) noexcept;
    void flood(InFlight& f) noexcept;
    /// Calls `visit(out)` for each port but the ingress that may send; counts a drop when no port
    /// took the packet: `visit` says whether it did.
    template <class Visit>
    void each_exit(InFlight& f, const Visit& visit) noexcept;
    void emit(InFlight& f, std::uint16_t slot) noexcept;
    void flush_pending(InFlight& f) noexcept;
    /// Good until the next call.
    [[nodiscard]] const Out& resolve(std::uint16_t slot) noexcept;
    [[nodiscard]] std::uint16_t slot_of(PortNo number) noexcept;
    void deliver(InFlight& f, std::uint16_t slot, Packet* packet) noexcept;
    [[nodiscard]] bool slowpath(InFlight& f, const Out& out, Packet& packet) noexcept;
    void deliver_one(InFlight& f, const Out& out, Packet* packet) noexcept;
    void deliver_large(InFlight& f, const Out& out, Packet* packet) noexcept;
    void to_tables(InFlight& f) noexcept;
    void packet_in(InFlight& f, shm::PuntReason reason, Origin origin,
                   std::uint32_t max_size) noexcept;
    void punt(InFlight& f, shm::PuntReason reason, Origin origin, std::uint32_t max_size) noexcept;
    void put_record(InFlight& f, shm::PacketInHead head, std::uint32_t max_size,
                    const Packet& packet) noexcept;
    /// Counts a lost copy at the ingress port; the packet lives on.
    void lose(InFlight& f, shm::DropReason reason) noexcept;
    /// The same at the output port.
    void lose_at(InFlight& f, std::uint16_t slot, shm::DropReason reason) noexcept;
    void count_drop(InFlight& f, std::uint16_t slot, shm::DropReason reason) noexcept;
    /// Ends the packet.
    void kill(InFlight& f, shm::DropReason reason) noexcept;
    void release(InFlight& f) noexcept;

    shm::DataplaneArena& arena_;
    Io& io_;
    WorkerId worker_;
    [[no_unique_address]] Sink sink_;
    Here here_;
    std::uint64_t epoch_ = 0;
    std::uint64_t meter_epoch_ = 0;  // of meter_now_
    shm::MeterTime meter_now_ = 0;
    unsigned depth_ = 0;  // groups that the packet is in
    Memo memo_;
    std::array<Out, 8> outs_{};
    std::array<Straight, 16> straights_{};
    std::array<std::uint64_t, 4> tables_{};     // tables with packets waiting
    std::array<std::uint64_t, 256> waiting_{};  // which ones, by index in frames_
    std::array<InFlight, kMaxBurst> frames_{};
};

}  // namespace raicho::pipeline

#include "dataplane/pipeline/execute.h"
#include "dataplane/pipeline/group.h"
#include "dataplane/pipeline/meter.h"
#include "dataplane/pipeline/normal.h"
#include "dataplane/pipeline/output.h"
#include "dataplane/pipeline/run.h"
#include "dataplane/pipeline/straight.h"
