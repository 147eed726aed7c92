// SPDX-License-Identifier: Apache-2.0
// The arena: one file that both daemons map, each with the other's pages read-only. ArenaView
// (arena_view.h) reads everything, AgentArena writes the agent's pages, DataplaneArena the
// dataplane's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "shm/arena_view.h"

namespace raicho::shm {

/// The agent's end: writes the agent's pages. One at a time per arena (a file lock sees to it).
class AgentArena : public ArenaView {
  public:
    /// Makes a new arena in `<rundir>/huge` when that is a hugetlbfs with room, else in memory of
    /// 4 kB pages, as `pages` allows, and takes the name; an old arena of that name is marked
    /// superseded, once there is a new one. A dataplane sees all of it or nothing.
    [[nodiscard]] static Result<AgentArena> create(const std::string& rundir, ArenaConfig config,
                                                   PagePolicy pages = PagePolicy::automatic);
    /// Takes over the arena that is there: same boot, same layout, no other agent. Bumps the
    /// agent's generation. Error::code is ENOENT when there is none, ESTALE when it is of another
    /// boot or layout (create() replaces it), EBUSY when another agent has it.
    [[nodiscard]] static Result<AgentArena> attach(const std::string& rundir);
    /// Removes the arena's file (a clean stop). Mappings stay valid.
    static void remove(const std::string& rundir);

    /// Why the arena has 4 kB pages although a hugetlbfs is there; empty when there is no reason.
    [[nodiscard]] const std::string& note() const { return note_; }

    using ArenaView::agent_words;
    using ArenaView::bridge;
    using ArenaView::bucket;
    using ArenaView::chunks;
    using ArenaView::cold;
    using ArenaView::group_body;
    using ArenaView::hot;
    using ArenaView::line;
    using ArenaView::mask;
    using ArenaView::meter_body;
    using ArenaView::settings;
    using ArenaView::static_macs;
    using ArenaView::table_setup;
    using ArenaView::wanted_port;
    [[nodiscard]] Settings& settings() { return mutable_at<Settings>(Region::settings, 0); }
    [[nodiscard]] AgentWords& agent_words() {
        return mutable_at<AgentWords>(Region::agent_words, 0);
    }
    [[nodiscard]] BridgeRecord& bridge(BridgeId id) {
        return mutable_at<BridgeRecord>(Region::bridges, id.value() & bridge_mask_);
    }
    [[nodiscard]] WantedPort& wanted_port(PortSlot slot) {
        return mutable_at<WantedPort>(Region::wanted_ports, slot.value() & port_mask_);
    }
    [[nodiscard]] FlowHot& hot(std::uint32_t flow) {
        return mutable_at<FlowHot>(Region::hot, flow & flow_mask_);
    }
    [[nodiscard]] FlowCold& cold(std::uint32_t index) {
        return mutable_at<FlowCold>(Region::cold, index < n_cold_ ? index : 0);
    }
    [[nodiscard]] MaskRecord& mask(std::uint32_t index) {
        return mutable_at<MaskRecord>(Region::masks, index & mask_mask_);
    }
    [[nodiscard]] Line& line(std::uint32_t index) {
        return mutable_at<Line>(Region::lines, index & line_mask_);
    }
    [[nodiscard]] Bucket& bucket(std::uint32_t index) {
        return *reinterpret_cast<Bucket*>(&line(index));
    }
    [[nodiscard]] FilterCell& filter_cell(std::uint32_t first_line, std::uint32_t cell) {
        return reinterpret_cast<FilterCell*>(
            &line(first_line + cell / kLineCells))[cell % kLineCells];
    }
    [[nodiscard]] std::span<Chunk> chunks() {
        return {&mutable_at<Chunk>(Region::chunks, 0), chunk_mask_ + 1u};
    }
    [[nodiscard]] std::span<MacEntry> static_macs() {
        return {&mutable_at<MacEntry>(Region::static_macs, 0), kStaticMacEntries};
    }
    [[nodiscard]] TableSetup& table_setup(BridgeId bridge, TableId table) {
        return mutable_at<TableSetup>(Region::table_setups, table_row(WorkerId(0), bridge, table));
    }
    /// The writer's view of groups() and meters().
    struct MutableRows {
        std::span<std::atomic<std::uint32_t>> heads;
        std::span<NamedRow> rows;
    };
    [[nodiscard]] MutableRows mutable_groups() {
        return mutable_rows(Region::group_heads, Region::groups, n_groups_);
    }
    [[nodiscard]] MutableRows mutable_meters() {
        return mutable_rows(Region::meter_heads, Region::meters, n_meters_);
    }
    [[nodiscard]] GroupBody& group_body(std::uint32_t line_index) {
        return *reinterpret_cast<GroupBody*>(&line(line_index));
    }
    [[nodiscard]] MeterBody& meter_body(std::uint32_t line_index) {
        return *reinterpret_cast<MeterBody*>(&line(line_index));
    }

    /// The port's egress queues from now on, at most kPortQueues with ids of their own; workers
    /// follow within a quarter of a second. A queue whose id was there before keeps its place, its
    /// counters and its age (created_ns in `queues` counts for new ones only). None: the port sends
    /// without queues. `max_bps` of the whole port, 0 = as the device can.
    void set_queues(PortSlot slot, std::span<const QueueRow> queues, std::uint64_t max_bps);

    /// How NORMAL takes the port from now on; `carried` counts when `word` is restricted.
    void set_vlan(PortSlot slot, VlanWord word, std::span<const std::uint16_t> carried);
    /// A byte's cost and the depth of the port's policer (meter.h), whose bucket is full now; a
    /// cost of 0 takes it away. Does nothing when both are what they were.
    void set_policer(PortSlot slot, std::uint64_t cost, MeterTime depth, std::uint64_t now_ns);

    /// Puts a number of the bridge to a slot / takes it away; one store each. An error when the
    /// number is taken.
    [[nodiscard]] Result<void> bind_port(BridgeId bridge, PortNo number, PortSlot slot);
    void unbind_port(BridgeId bridge, PortNo number);
    /// Makes numbers and port sets those of the attached rows again: an agent that died between
    /// two stores of an attachment or a removal left them apart.
    void reconcile_ports();
    /// Counting starts at zero: for a slot before it is attached, a bridge before it is used.
    void rebase_port(PortSlot slot);
    void rebase_bridge(BridgeId bridge);

    /// Packets for the agent from a worker, and from the agent to a worker (worker 0's is used).
    [[nodiscard]] RingConsumer packet_in(WorkerId worker);
    [[nodiscard]] RingProducer packet_out(WorkerId worker);

    /// A grace period over all stores so far.
    [[nodiscard]] GraceToken start_grace() { return qsbr_->start(); }
    /// Whether it has passed; no dataplane, or a dead one, holds it up. Never blocks.
    [[nodiscard]] bool grace_passed(GraceToken token);
    /// Whether a dataplane process has the arena now (a file lock: true to the moment of death).
    [[nodiscard]] bool dataplane_alive() const { return held(Side::dataplane); }

  private:
    explicit AgentArena(ArenaView&& view);
    void show_up();
    [[nodiscard]] MutableRows mutable_rows(Region heads, Region rows, std::uint32_t n) {
        return {{&mutable_at<std::atomic<std::uint32_t>>(heads, 0), 2 * std::size_t{n}},
                {&mutable_at<NamedRow>(rows, 0), n}};
    }

    std::string note_;
    std::optional<QsbrWriter> qsbr_;
    std::uint32_t stalled_ = 0;
    std::uint64_t ignored_generation_ = 0;
};

/// The dataplane's end: writes the dataplane's pages, sees the agent's read-only.
class DataplaneArena : public ArenaView {
  public:
    /// Takes over the dataplane's pages: all readers offline, half-claimed MAC entries freed,
    /// queued packet-outs dropped, generation bumped. Error::code as AgentArena::attach().
    [[nodiscard]] static Result<DataplaneArena> attach(const std::string& rundir);

    using ArenaView::band_counters;
    using ArenaView::bucket_counter;
    using ArenaView::dataplane_words;
    using ArenaView::drop_counters;
    using ArenaView::flow_counter;
    using ArenaView::group_counter;
    using ArenaView::macs;
    using ArenaView::meter_counter;
    using ArenaView::meter_state;
    using ArenaView::policer_state;
    using ArenaView::port_counters;
    using ArenaView::port_status;
    using ArenaView::queue_counters;
    using ArenaView::table_counters;
    using ArenaView::worker_words;
    [[nodiscard]] DataplaneWords& dataplane_words() {
        return mutable_at<DataplaneWords>(Region::dataplane_words, 0);
    }
    [[nodiscard]] WorkerWords& worker_words(WorkerId worker) {
        return mutable_at<WorkerWords>(Region::worker_words, worker.value() & worker_mask_);
    }
    [[nodiscard]] PortStatus& port_status(PortSlot slot) {
        return mutable_at<PortStatus>(Region::port_status, slot.value() & port_mask_);
    }
    /// The worker's counters of all flows, by flow index; as many as max_flows(), a power of two.
    [[nodiscard]] std::span<FlowCounter> flow_counters(WorkerId worker) {
        return {&mutable_at<FlowCounter>(Region::flow_counters, flow_row(worker, 0)), max_flows()};
    }
    [[nodiscard]] FlowCounter& flow_counter(WorkerId worker, std::uint32_t flow) {
        return mutable_at<FlowCounter>(Region::flow_counters, flow_row(worker, flow));
    }
    [[nodiscard]] PortCounters& port_counters(WorkerId worker, PortSlot slot) {
        return mutable_at<PortCounters>(Region::port_counters, port_row(worker, slot));
    }
    [[nodiscard]] DropCounters& drop_counters(WorkerId worker, PortSlot slot) {
        return mutable_at<DropCounters>(Region::drop_counters, port_row(worker, slot));
    }
    [[nodiscard]] TableCounters& table_counters(WorkerId worker, BridgeId bridge, TableId table) {
        return mutable_at<TableCounters>(Region::table_counters, table_row(worker, bridge, table));
    }
    [[nodiscard]] PortQueueCounters& queue_counters(WorkerId worker, PortSlot slot) {
        return mutable_at<PortQueueCounters>(Region::queue_counters, port_row(worker, slot));
    }
    [[nodiscard]] Tally& group_counter(WorkerId worker, std::uint32_t row) {
        return mutable_at<Tally>(Region::group_counters, share_row(worker, row, n_groups_));
    }
    [[nodiscard]] Tally& bucket_counter(WorkerId worker, std::uint32_t row) {
        return mutable_at<Tally>(Region::bucket_counters, share_row(worker, row, n_buckets_));
    }
    [[nodiscard]] Tally& meter_counter(WorkerId worker, std::uint32_t row) {
        return mutable_at<Tally>(Region::meter_counters, share_row(worker, row, n_meters_));
    }
    [[nodiscard]] BandTallies& band_counters(WorkerId worker, std::uint32_t state) {
        return mutable_at<BandTallies>(Region::band_counters,
                                       share_row(worker, state, n_meter_states_));
    }
    [[nodiscard]] MeterState& meter_state(std::uint32_t row) {
        return mutable_at<MeterState>(Region::meter_states, row & (n_meter_states() - 1));
    }
    [[nodiscard]] PolicerState& policer_state(PortSlot slot) {
        return mutable_at<PolicerState>(Region::policer_states, slot.value() & port_mask_);
    }
    [[nodiscard]] std::span<MacEntry> macs() {
        return {&mutable_at<MacEntry>(Region::macs, 0), kMacEntries};
    }
    [[nodiscard]] std::atomic<std::uint32_t>& mac_counter(BridgeId bridge) {
        return mutable_at<std::atomic<std::uint32_t>>(Region::mac_counts,
                                                      bridge.value() & bridge_mask_);
    }

    [[nodiscard]] RingProducer packet_in(WorkerId worker);
    [[nodiscard]] RingConsumer packet_out(WorkerId worker);
    [[nodiscard]] QsbrReader reader(WorkerId worker);

  private:
    explicit DataplaneArena(ArenaView&& view) : ArenaView(std::move(view)) {}
};

}  // namespace raicho::shm
