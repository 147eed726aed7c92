// SPDX-License-Identifier: Apache-2.0
// The reading of an arena. Every index is masked to its region, so that a damaged one cannot lead
// outside. Layout: layout.h. Neighbour: arena.h has the two ends that write.
#pragma once

#include <array>
#include <bit>
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
#include "shm/filter.h"
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
#include "shm/vlan.h"

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
    /// A random word that tells it from every other arena, also of the same name.
    [[nodiscard]] std::uint64_t identity() const { return header().hash_key.front(); }
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
    /// The cells of a table's filter, field after field; none when it has no filter.
    [[nodiscard]] std::span<const FilterCell> filter_cells(const TableDescriptor& table) const {
        const std::uint32_t first = table.cells & line_mask_;
        const std::size_t n = std::size_t{table.n_fields} * table.n_cells;
        if (n == 0 || table.n_fields > kMaxFilterFields || !std::has_single_bit(table.n_cells) ||
            n > std::size_t{n_lines() - first} * kLineCells)
            return {};
        return {reinterpret_cast<const FilterCell*>(&lines_[first]), n};
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

    /// VLANs of a restricted trunk.
    [[nodiscard]] const PortVlans& wanted_vlans(PortSlot slot) const {
        return at<PortVlans>(Region::wanted_vlans, slot.value() & port_mask_);
    }
    [[nodiscard]] const PolicerState& policer_state(PortSlot slot) const {
        return at<PolicerState>(Region::policer_states, slot.value() & port_mask_);
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
        return {&at<ReaderWord>(Region::readers, 0), max_workers()};
    }

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

}  // namespace raicho::shm
