// SPDX-License-Identifier: Apache-2.0
#include "shm/layout.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "shm/bridge.h"
#include "shm/counters.h"
#include "shm/filter.h"
#include "shm/flow.h"
#include "shm/group.h"
#include "shm/mac_table.h"
#include "shm/meter.h"
#include "shm/packet_record.h"
#include "shm/port.h"
#include "shm/program.h"
#include "shm/qsbr.h"
#include "shm/queue.h"
#include "shm/ring.h"
#include "shm/vlan.h"

namespace raicho::shm {
namespace {

struct RegionRow {
    Region region;
    const char* name;
    std::size_t element;
    std::uint64_t (*length)(const ArenaConfig&);
};

constexpr std::uint64_t one(const ArenaConfig&) {
    return 1;
}
constexpr std::uint64_t workers(const ArenaConfig& c) {
    return c.max_workers;
}
constexpr std::uint64_t bridges(const ArenaConfig& c) {
    return c.max_bridges;
}
constexpr std::uint64_t ports(const ArenaConfig& c) {
    return c.max_ports;
}
constexpr std::uint64_t flows(const ArenaConfig& c) {
    return c.max_flows;
}
constexpr std::uint64_t worker_ports(const ArenaConfig& c) {
    return workers(c) * ports(c);
}
constexpr std::uint32_t share_of_flows(const ArenaConfig& c, std::uint32_t part,
                                       std::uint32_t most) {
    return std::bit_floor(std::clamp(c.max_flows / part, 1024u, most));
}
constexpr std::uint32_t groups_of(const ArenaConfig& c) {
    return share_of_flows(c, 64, 1u << 16);
}
constexpr std::uint32_t meters_of(const ArenaConfig& c) {
    return share_of_flows(c, 256, 1u << 14);
}
constexpr std::uint32_t kBucketsAGroup = 4;  // on an average
constexpr std::uint32_t kStatesAMeter = 2;   // the new one beside the old
constexpr std::uint64_t bridge_tables(const ArenaConfig& c) {
    return bridges(c) * 256;
}

/// Every region: how large its elements are and how many there are. Lines hold buckets at a load
/// of at most a half and, beside the largest table, its predecessor while it grows.
constexpr std::array<RegionRow, kRegions> kRegionRows{{
    {Region::header, "header", sizeof(ArenaHeader), one},
    {Region::settings, "settings", sizeof(Settings), one},
    {Region::agent_words, "agent words", sizeof(AgentWords), one},
    {Region::packet_in_consumers, "packet-in consumers", sizeof(RingIndex), workers},
    {Region::packet_out_producers, "packet-out producers", sizeof(RingIndex), workers},
    {Region::bridges, "bridges", sizeof(BridgeRecord), bridges},
    {Region::port_maps, "port maps", sizeof(std::atomic<PortMapEntry>),
     [](const ArenaConfig& c) -> std::uint64_t { return bridges(c) * 2 * ports(c); }},
    {Region::port_bits, "port bits", sizeof(std::atomic<std::uint64_t>),
     [](const ArenaConfig& c) -> std::uint64_t { return bridges(c) * ports(c) / 64; }},
    {Region::wanted_ports, "wanted ports", sizeof(WantedPort), ports},
    {Region::port_bases, "port bases", sizeof(PortCounters), ports},
    {Region::drop_bases, "drop bases", sizeof(DropCounters), ports},
    {Region::table_bases, "table bases", sizeof(TableCounters), bridge_tables},
    {Region::static_macs, "static macs", sizeof(MacEntry),
     [](const ArenaConfig&) -> std::uint64_t { return kStaticMacEntries; }},
    {Region::table_setups, "table setups", sizeof(TableSetup), bridge_tables},
    {Region::wanted_queues, "wanted queues", sizeof(PortQueues), ports},
    {Region::queue_bases, "queue bases", sizeof(PortQueueCounters), ports},
    {Region::wanted_vlans, "wanted vlans", sizeof(PortVlans), ports},
    {Region::group_heads, "group heads", sizeof(std::atomic<std::uint32_t>),
     [](const ArenaConfig& c) -> std::uint64_t { return 2 * groups_of(c); }},
    {Region::groups, "groups", sizeof(NamedRow),
     [](const ArenaConfig& c) -> std::uint64_t { return groups_of(c); }},
    {Region::meter_heads, "meter heads", sizeof(std::atomic<std::uint32_t>),
     [](const ArenaConfig& c) -> std::uint64_t { return 2 * meters_of(c); }},
    {Region::meters, "meters", sizeof(NamedRow),
     [](const ArenaConfig& c) -> std::uint64_t { return meters_of(c); }},
    {Region::masks, "masks", sizeof(MaskRecord),
     [](const ArenaConfig& c) { return std::max<std::uint64_t>(1024, flows(c) / 16); }},
    {Region::lines, "lines", sizeof(Line),
     [](const ArenaConfig& c) { return std::max(bridges(c) * 1024, flows(c) / 2); }},
    {Region::hot, "hot flows", sizeof(FlowHot), flows},
    {Region::cold, "cold flows", sizeof(FlowCold),
     [](const ArenaConfig& c) -> std::uint64_t { return flows(c) + flows(c) / 64 + 64; }},
    {Region::chunks, "chunks", sizeof(Chunk),
     [](const ArenaConfig& c) { return std::max<std::uint64_t>(16384, 2 * flows(c)); }},
    {Region::packet_out_slots, "packet-out slots", kRingBytes, workers},
    {Region::dataplane_words, "dataplane words", sizeof(DataplaneWords), one},
    {Region::readers, "readers", sizeof(ReaderWord), workers},
    {Region::worker_words, "worker words", sizeof(WorkerWords), workers},
    {Region::packet_in_producers, "packet-in producers", sizeof(RingIndex), workers},
    {Region::packet_out_consumers, "packet-out consumers", sizeof(RingIndex), workers},
    {Region::port_status, "port status", sizeof(PortStatus), ports},
    {Region::port_counters, "port counters", sizeof(PortCounters), worker_ports},
    {Region::drop_counters, "drop counters", sizeof(DropCounters), worker_ports},
    {Region::table_counters, "table counters", sizeof(TableCounters),
     [](const ArenaConfig& c) -> std::uint64_t { return workers(c) * bridge_tables(c); }},
    {Region::mac_counts, "mac counts", sizeof(std::atomic<std::uint32_t>), bridges},
    {Region::macs, "macs", sizeof(MacEntry),
     [](const ArenaConfig&) -> std::uint64_t { return kMacEntries; }},
    {Region::packet_in_slots, "packet-in slots", kRingBytes, workers},
    {Region::queue_counters, "queue counters", sizeof(PortQueueCounters), worker_ports},
    {Region::group_counters, "group counters", sizeof(Tally),
     [](const ArenaConfig& c) -> std::uint64_t { return workers(c) * groups_of(c); }},
    {Region::bucket_counters, "bucket counters", sizeof(Tally),
     [](const ArenaConfig& c) -> std::uint64_t {
         return workers(c) * kBucketsAGroup * groups_of(c);
     }},
    {Region::meter_states, "meter states", sizeof(MeterState),
     [](const ArenaConfig& c) -> std::uint64_t { return kStatesAMeter * meters_of(c); }},
    {Region::meter_counters, "meter counters", sizeof(Tally),
     [](const ArenaConfig& c) -> std::uint64_t { return workers(c) * meters_of(c); }},
    {Region::band_counters, "band counters", sizeof(BandTallies),
     [](const ArenaConfig& c) -> std::uint64_t {
         return workers(c) * kStatesAMeter * meters_of(c);
     }},
    {Region::policer_states, "policer states", sizeof(PolicerState), ports},
    {Region::flow_counters, "flow counters", sizeof(FlowCounter),
     [](const ArenaConfig& c) -> std::uint64_t { return workers(c) * flows(c); }},
}};
static_assert([] {
    for (std::size_t i = 0; i < kRegions; ++i)
        if (static_cast<std::size_t>(kRegionRows[i].region) != i) return false;
    return true;
}());

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Regions start on pages of their own: /proc/PID/maps and core dumps stay readable.
constexpr std::uint64_t kRegionAlign = 4096;

consteval std::uint64_t hash_of(std::initializer_list<std::uint64_t> numbers) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::uint64_t n : numbers)
        for (int i = 0; i < 8; ++i, n >>= 8) hash = (hash ^ (n & 0xff)) * 0x100000001b3;
    return hash;
}

constexpr std::uint64_t kLayoutHash = [] {
    std::uint64_t hash = hash_of({
        kLayoutVersion,
        kRegions,
        kRingBytes,
        kRegionAlign,
        kHugePage,
        // header and words
        sizeof(ArenaHeader),
        offsetof(ArenaHeader, size),
        offsetof(ArenaHeader, boot_id),
        offsetof(ArenaHeader, max_flows),
        offsetof(ArenaHeader, hash_key),
        offsetof(ArenaHeader, regions),
        offsetof(ArenaHeader, superseded),
        offsetof(ArenaHeader, rundir),
        offsetof(Settings, cores),
        offsetof(Settings, eal_arguments),
        offsetof(AgentWords, qsbr_token),
        offsetof(DataplaneWords, workers),
        offsetof(WorkerWords, bursts),
        // bridges and ports
        sizeof(BridgeRecord),
        offsetof(BridgeRecord, dpid),
        offsetof(BridgeRecord, controller_meter),
        offsetof(BridgeRecord, name),
        offsetof(BridgeRecord, tables),
        offsetof(BridgeRecord, misses),
        sizeof(WantedPort),
        offsetof(WantedPort, config),
        offsetof(WantedPort, name),
        offsetof(WantedPort, device),
        offsetof(WantedPort, mac_generation),
        offsetof(WantedPort, attached_ns),
        offsetof(WantedPort, vlan),
        offsetof(WantedPort, policer_cost),
        sizeof(PortVlans),
        sizeof(PolicerState),
        sizeof(PortStatus),
        offsetof(PortStatus, opened_s),
        offsetof(PortStatus, text),
        sizeof(PortMapEntry),
        static_cast<std::uint64_t>(PortKind::local),
        // flows and tables
        sizeof(Key),
        presence::kOffset,
        presence::kTransport,
        presence::kNetwork,
        sizeof(FlowHot),
        offsetof(FlowHot, body),
        offsetof(FlowHot, next),
        offsetof(FlowHot, mask),
        offsetof(FlowHot, priority),
        offsetof(FlowHot, flags),
        sizeof(FlowCold),
        offsetof(FlowCold, base_packets),
        offsetof(FlowCold, match_chunk),
        offsetof(FlowCold, tuple),
        offsetof(FlowCold, match),
        sizeof(MaskRecord),
        offsetof(MaskRecord, words),
        sizeof(TableDescriptor),
        offsetof(TableDescriptor, buckets),
        offsetof(TableDescriptor, cells),
        sizeof(FilterField),
        sizeof(FilterCell),
        sizeof(TupleRow),
        sizeof(Bucket),
        offsetof(Bucket, flow),
        offsetof(Bucket, next),
        kTemplates,
        kMaxTuples,
        kInlineWords,
        // groups, meters, queues
        sizeof(NamedRow),
        offsetof(NamedRow, body),
        offsetof(NamedRow, base_packets),
        sizeof(GroupBody),
        offsetof(GroupBody, sent),
        sizeof(BucketRow),
        offsetof(BucketRow, counter),
        offsetof(BucketRow, base_packets),
        sizeof(MeterBody),
        offsetof(MeterBody, state),
        sizeof(MeterBand),
        offsetof(MeterBand, shift),
        kMaxBands,
        kMeterTimeShift,
        kCostShift,
        sizeof(PortQueues),
        sizeof(QueueRow),
        kPortQueues,
        sizeof(TableSetup),
        sizeof(Chunk),
        kOpCodes,
        // counters, rings, MAC table, packets
        sizeof(FlowCounter),
        sizeof(TableCounters),
        sizeof(DropCounters),
        kDropReasons,
        sizeof(PortCounters),
        sizeof(RingIndex),
        sizeof(RingRecord),
        kRingUnit,
        sizeof(ReaderWord),
        sizeof(MacEntry),
        kMacEntries,
        kStaticMacEntries,
        kMacWindow,
        sizeof(PacketInHead),
        offsetof(PacketInHead, bridge),
        sizeof(PacketOutHead),
    });
    // every field's place in the key
    for (const FieldRow& r : kFieldRows)
        hash = (hash ^ (place(r.field).offset * 256u + place(r.field).size)) * 0x100000001b3;
    return hash;
}();

}  // namespace

std::uint64_t layout_hash() noexcept {
    return kLayoutHash;
}

const char* region_name(Region region) noexcept {
    return kRegionRows[static_cast<std::size_t>(region)].name;
}

ArenaConfig rounded(const ArenaConfig& config) noexcept {
    return {.max_flows = std::bit_ceil(std::clamp(config.max_flows, 1024u, 1u << 28)),
            .max_ports = std::bit_ceil(std::clamp<std::uint16_t>(config.max_ports, 512, 1 << 14)),
            .max_bridges = std::bit_ceil(std::clamp<std::uint16_t>(config.max_bridges, 1, 1 << 12)),
            .max_workers = std::bit_ceil(std::clamp<std::uint8_t>(config.max_workers, 1, 64))};
}

std::uint32_t max_groups(const ArenaConfig& config) noexcept {
    return groups_of(config);
}
std::uint32_t max_buckets(const ArenaConfig& config) noexcept {
    return kBucketsAGroup * groups_of(config);
}
std::uint32_t max_meters(const ArenaConfig& config) noexcept {
    return meters_of(config);
}
std::uint32_t max_meter_states(const ArenaConfig& config) noexcept {
    return kStatesAMeter * meters_of(config);
}

ArenaPlan plan(const ArenaConfig& config) noexcept {
    ArenaPlan plan;
    std::uint64_t offset = 0;
    for (const RegionRow& row : kRegionRows) {
        if (row.region == kFirstDataplaneRegion) {
            offset = round_up(offset, kHugePage);
            plan.agent_size = offset;
        }
        const std::uint64_t size = round_up(row.element * row.length(config), kRegionAlign);
        plan.regions[static_cast<std::size_t>(row.region)] = {offset, size};
        offset += size;
    }
    plan.size = round_up(offset, kHugePage);
    return plan;
}

}  // namespace raicho::shm
