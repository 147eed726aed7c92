// SPDX-License-Identifier: Apache-2.0
// The arena: one file that both daemons map, each with the other's pages read-only. ArenaView
// reads everything, AgentArena writes the agent's pages, DataplaneArena the dataplane's. Every
// index is masked to its region, so that a damaged one cannot lead outside. Layout: layout.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/handle.h"
#include "base/ids.h"
#include "shm/bridge.h"
#include "shm/counters.h"
#include "shm/flow.h"
#include "shm/group.h"
#include "shm/layout.h"
#include "shm/mac_table.h"
#include "shm/meter.h"
#include "shm/port.h"
#include "shm/program.h"
#include "shm/qsbr.h"
#include "shm/queue.h"
#include "shm/ring.h"

namespace raicho::shm {

/// The pages of an arena under one mapping pair. Movable; references into it stay valid.
class ArenaView {
  public:
    /// Everything read-only, for arena-dump: needs neither daemon, changes nothing.
    [[nodiscard]] static Result<ArenaView> attach(const std::string& rundir);

    [[nodiscard]] const std::string& path() const { return path_; }
    /// `hugetlbfs 2 MB × N` or `4 kB`.
    [[nodiscard]] std::string backing_text() const;
    [[nodiscard]] std::size_t size() const { return agent_.size() + dataplane_.size(); }
    [[nodiscard]] ArenaConfig config() const;
    [[nodiscard]] const ArenaHeader& header() const { return at<ArenaHeader>(Region::header, 0); }
    [[nodiscard]] const Settings& settings() const { return at<Settings>(Region::settings, 0); }
    [[nodiscard]] const AgentWords& agent_words() const {
        return at<AgentWords>(Region::agent_words, 0);
    }
    [[nodiscard]] const DataplaneWords& dataplane_words() const {
        return at<DataplaneWords>(Region::dataplane_words, 0);
    }
    [[nodiscard]] const WorkerWords& worker_words(WorkerId worker) const {
        return at<WorkerWords>(Region::worker_words, worker.value() & worker_mask_);
    }
    /// A newer arena has taken this one's name: the dataplane must start anew.
    [[nodiscard]] bool superseded() const {
        return header().superseded.load(std::memory_order_acquire) != 0;
    }

    // Bridges and ports.
    [[nodiscard]] std::size_t max_bridges() const { return bridge_mask_ + 1; }
    [[nodiscard]] std::size_t max_ports() const { return port_mask_ + 1; }
    [[nodiscard]] std::size_t max_workers() const { return worker_mask_ + 1; }
    [[nodiscard]] const BridgeRecord& bridge(BridgeId id) const {
        return bridges_[id.value() & bridge_mask_];
    }
    [[nodiscard]] const WantedPort& wanted_port(PortSlot slot) const {
        return wanted_ports_[slot.value() & port_mask_];
    }
    [[nodiscard]] const PortStatus& port_status(PortSlot slot) const {
        return at<PortStatus>(Region::port_status, slot.value() & port_mask_);
    }
    /// The bridge's number map: 2 x max_ports entries.
    [[nodiscard]] std::span<const std::atomic<PortMapEntry>> port_map(BridgeId id) const {
        return {port_maps_ + (id.value() & bridge_mask_) * 2 * max_ports(), 2 * max_ports()};
    }
    /// Bit s = slot s is a port of the bridge; max_ports/64 words.
    [[nodiscard]] std::span<const std::atomic<std::uint64_t>> port_bits(BridgeId id) const {
        const std::size_t n = max_ports() / 64;
        return {port_bits_ + (id.value() & bridge_mask_) * n, n};
    }

    // Flows and tables.
    [[nodiscard]] std::uint32_t max_flows() const { return flow_mask_ + 1; }
    [[nodiscard]] const FlowHot& hot(std::uint32_t flow) const { return hot_[flow & flow_mask_]; }
    [[nodiscard]] const FlowCold& cold(std::uint32_t index) const {
        return cold_[index < n_cold_ ? index : 0];
    }
    [[nodiscard]] const MaskRecord& mask(std::uint32_t index) const {
        return masks_[index & mask_mask_];
    }
    [[nodiscard]] const Line& line(std::uint32_t index) const { return lines_[index & line_mask_]; }
    [[nodiscard]] const Bucket& bucket(std::uint32_t index) const {
        return *reinterpret_cast<const Bucket*>(&line(index));
    }
    [[nodiscard]] const TableDescriptor& descriptor(std::uint32_t index) const {
        return *reinterpret_cast<const TableDescriptor*>(&line(index));
    }
    [[nodiscard]] std::uint32_t n_lines() const { return line_mask_ + 1; }
    [[nodiscard]] std::uint32_t n_masks() const { return mask_mask_ + 1; }
    [[nodiscard]] std::uint32_t n_cold() const { return n_cold_; }
    /// The chunk pool: programs and chains of bytes.
    [[nodiscard]] std::span<const Chunk> chunks() const { return {chunks_, chunk_mask_ + 1u}; }
    [[nodiscard]] const std::array<std::uint64_t, 4>& hash_key() const { return header().hash_key; }
    [[nodiscard]] const TableSetup& table_setup(BridgeId bridge, TableId table) const {
        return at<TableSetup>(Region::table_setups, table_row(WorkerId(0), bridge, table));
    }

    // Groups and meters: rows by number, bodies in lines.
    [[nodiscard]] NamedRows groups() const {
        return named_rows(Region::group_heads, Region::groups, n_groups_);
    }
    [[nodiscard]] NamedRows meters() const {
        return named_rows(Region::meter_heads, Region::meters, n_meters_);
    }
    [[nodiscard]] const GroupBody& group_body(std::uint32_t line_index) const {
        return *reinterpret_cast<const GroupBody*>(&line(line_index));
    }
    [[nodiscard]] const MeterBody& meter_body(std::uint32_t line_index) const {
        return *reinterpret_cast<const MeterBody*>(&line(line_index));
    }
    /// Buckets of a body, cut where the lines end.
    [[nodiscard]] std::span<const BucketRow> buckets_of(std::uint32_t body) const {
        return body_rows<BucketRow>(body, group_body(body).n_buckets);
    }
    [[nodiscard]] std::span<const MeterBand> bands_of(std::uint32_t body) const {
        const std::size_t n = meter_body(body).n_bands;
        return body_rows<MeterBand>(body, n < kMaxBands ? n : kMaxBands);
    }
    [[nodiscard]] const MeterState& meter_state(std::uint32_t row) const {
        return at<MeterState>(Region::meter_states, row & (n_meter_states() - 1));
    }
    [[nodiscard]] std::uint32_t n_groups() const { return n_groups_; }
    [[nodiscard]] std::uint32_t n_buckets() const { return n_buckets_; }
    [[nodiscard]] std::uint32_t n_meters() const { return n_meters_; }
    [[nodiscard]] std::uint32_t n_meter_states() const { return n_meter_states_; }

    // Egress queues.
    [[nodiscard]] const PortQueues& wanted_queues(PortSlot slot) const {
        return at<PortQueues>(Region::wanted_queues, slot.value() & port_mask_);
    }

    // Counters: rows of one worker; sums over workers, less what was before (bases).
    [[nodiscard]] const FlowCounter& flow_counter(WorkerId worker, std::uint32_t flow) const {
        return at<FlowCounter>(Region::flow_counters, flow_row(worker, flow));
    }
    [[nodiscard]] const PortCounters& port_counters(WorkerId worker, PortSlot slot) const {
        return at<PortCounters>(Region::port_counters, port_row(worker, slot));
    }
    [[nodiscard]] const DropCounters& drop_counters(WorkerId worker, PortSlot slot) const {
        return at<DropCounters>(Region::drop_counters, port_row(worker, slot));
    }
    [[nodiscard]] const TableCounters& table_counters(WorkerId worker, BridgeId bridge,
                                                      TableId table) const {
        return at<TableCounters>(Region::table_counters, table_row(worker, bridge, table));
    }
    [[nodiscard]] const PortQueueCounters& queue_counters(WorkerId worker, PortSlot slot) const {
        return at<PortQueueCounters>(Region::queue_counters, port_row(worker, slot));
    }
    [[nodiscard]] const Tally& group_counter(WorkerId worker, std::uint32_t row) const {
        return at<Tally>(Region::group_counters, share_row(worker, row, n_groups_));
    }
    [[nodiscard]] const Tally& bucket_counter(WorkerId worker, std::uint32_t row) const {
        return at<Tally>(Region::bucket_counters, share_row(worker, row, n_buckets_));
    }
    [[nodiscard]] const Tally& meter_counter(WorkerId worker, std::uint32_t row) const {
        return at<Tally>(Region::meter_counters, share_row(worker, row, n_meters_));
    }
    [[nodiscard]] const BandTallies& band_counters(WorkerId worker, std::uint32_t state) const {
        return at<BandTallies>(Region::band_counters, share_row(worker, state, n_meter_states_));
    }
    /// Sums over workers, without base: of a group's or meter's row, of a bucket's counter, of the
    /// bands of a meter state.
    [[nodiscard]] Tally group_sum(std::uint32_t row) const;
    [[nodiscard]] Tally bucket_sum(std::uint32_t row) const;
    [[nodiscard]] Tally meter_sum(std::uint32_t row) const;
    [[nodiscard]] BandTallies band_sums(std::uint32_t state) const;
    /// Since each queue of the port was made.
    [[nodiscard]] PortQueueCounters queue_totals(PortSlot slot) const;
    /// Since the port was attached / the bridge was made.
    [[nodiscard]] PortCounters port_totals(PortSlot slot) const;
    [[nodiscard]] DropCounters drop_totals(PortSlot slot) const;
    [[nodiscard]] TableCounters table_totals(BridgeId bridge, TableId table) const;
    /// Packets (modulo 2^40), bytes and the newest tick of a flow's row over all workers, without
    /// its base.
    struct FlowSum {
        std::uint64_t packets = 0;
        std::uint64_t bytes = 0;
        std::uint64_t last_used_ns = 0;  // 0 = never
    };
    [[nodiscard]] FlowSum flow_sum(std::uint32_t flow, std::uint64_t now_ns) const;

    // MAC tables (mac_table.h).
    [[nodiscard]] std::span<const MacEntry> macs() const {
        return {&at<MacEntry>(Region::macs, 0), kMacEntries};
    }
    [[nodiscard]] std::span<const MacEntry> static_macs() const {
        return {&at<MacEntry>(Region::static_macs, 0), kStaticMacEntries};
    }
    /// Learned entries of the bridge, expired ones that were not swept yet included.
    [[nodiscard]] std::uint32_t mac_count(BridgeId bridge) const {
        return at<std::atomic<std::uint32_t>>(Region::mac_counts, bridge.value() & bridge_mask_)
            .load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::span<const ReaderWord> readers() const {
        return {&at<ReaderWord>(Region::readers, 0), n_readers()};
    }
    /// One a worker, then one for the dataplane's control thread.
    [[nodiscard]] std::size_t n_readers() const { return max_workers() + 1; }

  protected:
    friend class AgentArena;
    friend class DataplaneArena;

    ArenaView() = default;
    enum class Side : std::uint8_t { agent, dataplane, nobody };
    [[nodiscard]] static Result<ArenaView> open(const std::string& rundir, Side side);
    enum class Populate : std::uint8_t { no, yes };
    [[nodiscard]] Result<void> map(Side side, Populate populate);
    void find_regions();
    /// Takes the side's lock, EBUSY when another process has it.
    [[nodiscard]] Result<void> lock(Side side);

    template <class T>
    [[nodiscard]] const T& at(Region region, std::size_t index) const {
        return *reinterpret_cast<const T*>(base(region) + index * sizeof(T));
    }
    template <class T>
    [[nodiscard]] T& mutable_at(Region region, std::size_t index) {
        return *reinterpret_cast<T*>(base(region) + index * sizeof(T));
    }
    [[nodiscard]] std::byte* base(Region region) const {
        return bases_[static_cast<std::size_t>(region)];
    }
    [[nodiscard]] std::size_t flow_row(WorkerId worker, std::uint32_t flow) const {
        return (worker.value() & worker_mask_) * max_flows() + (flow & flow_mask_);
    }
    [[nodiscard]] std::size_t port_row(WorkerId worker, PortSlot slot) const {
        return (worker.value() & worker_mask_) * max_ports() + (slot.value() & port_mask_);
    }
    [[nodiscard]] std::size_t table_row(WorkerId worker, BridgeId bridge, TableId table) const {
        return ((worker.value() & worker_mask_) * max_bridges() + (bridge.value() & bridge_mask_)) *
                   256 +
               table.value();
    }
    [[nodiscard]] std::size_t share_row(WorkerId worker, std::uint32_t row,
                                        std::uint32_t rows) const {
        return (worker.value() & worker_mask_) * std::size_t{rows} + (row & (rows - 1));
    }
    [[nodiscard]] NamedRows named_rows(Region heads, Region rows, std::uint32_t n) const {
        return {{&at<std::atomic<std::uint32_t>>(heads, 0), 2 * std::size_t{n}},
                {&at<NamedRow>(rows, 0), n}};
    }
    template <class T>
    [[nodiscard]] std::span<const T> body_rows(std::uint32_t body, std::size_t n) const {
        const std::size_t first = (body & line_mask_) + std::size_t{1};
        const std::size_t left = n_lines() - first;
        return {reinterpret_cast<const T*>(lines_ + first), n < left ? n : left};
    }
    /// Whether another holder than this arena has the side's lock.
    [[nodiscard]] bool held(Side side) const;

    std::string path_;
    Fd file_;
    Mapping agent_, dataplane_;
    ArenaPlan plan_;
    std::array<std::byte*, kRegions> bases_{};
    const BridgeRecord* bridges_ = nullptr;
    const WantedPort* wanted_ports_ = nullptr;
    const std::atomic<PortMapEntry>* port_maps_ = nullptr;
    const std::atomic<std::uint64_t>* port_bits_ = nullptr;
    const FlowHot* hot_ = nullptr;
    const FlowCold* cold_ = nullptr;
    const MaskRecord* masks_ = nullptr;
    const Line* lines_ = nullptr;
    const Chunk* chunks_ = nullptr;
    std::uint32_t flow_mask_ = 0, n_cold_ = 0, mask_mask_ = 0, line_mask_ = 0, chunk_mask_ = 0;
    std::uint32_t n_groups_ = 0, n_buckets_ = 0, n_meters_ = 0, n_meter_states_ = 0;
    std::size_t bridge_mask_ = 0, port_mask_ = 0, worker_mask_ = 0;
    bool huge_ = false;
};

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
    [[nodiscard]] std::span<MacEntry> macs() {
        return {&mutable_at<MacEntry>(Region::macs, 0), kMacEntries};
    }
    [[nodiscard]] std::atomic<std::uint32_t>& mac_counter(BridgeId bridge) {
        return mutable_at<std::atomic<std::uint32_t>>(Region::mac_counts,
                                                      bridge.value() & bridge_mask_);
    }

    [[nodiscard]] RingProducer packet_in(WorkerId worker);
    [[nodiscard]] RingConsumer packet_out(WorkerId worker);
    /// Reader `index`: a worker's number, or max_workers() for the control thread.
    [[nodiscard]] QsbrReader reader(std::size_t index);

  private:
    explicit DataplaneArena(ArenaView&& view) : ArenaView(std::move(view)) {}
};

}  // namespace raicho::shm
