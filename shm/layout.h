// SPDX-License-Identifier: Apache-2.0
// The arena file as a whole: its header page, the regions and which daemon writes each, the sizes
// that follow from the configuration. What lies inside a region: bridge.h, flow.h, port.h,
// counters.h, vlan.h, ring.h, qsbr.h, mac_table.h. docs/shm-layout.md is the same in prose.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/ids.h"

namespace raicho::shm {

/// What sizes an arena. All but the flows are rounded up to powers of two too.
struct ArenaConfig {
    std::uint32_t max_flows = 1u << 20;
    std::uint16_t max_ports = 1024;  // at least 512
    std::uint16_t max_bridges = 64;
    std::uint8_t max_workers = 8;
    friend bool operator==(const ArenaConfig&, const ArenaConfig&) = default;
};

inline constexpr std::uint64_t kArenaMagic = 0x304f484349415221;  // "!RAICHO0"
inline constexpr std::uint32_t kLayoutVersion = 5;
inline constexpr std::size_t kHugePage = 2u << 20;
/// Bytes of one packet-in or packet-out ring.
inline constexpr std::size_t kRingBytes = 1u << 20;

/// Every region; the order is the order in the file. Agent's pages first.
enum class Region : std::uint8_t {
    header,
    settings,
    agent_words,
    packet_in_consumers,
    packet_out_producers,
    bridges,
    port_maps,
    port_bits,
    wanted_ports,
    port_bases,
    drop_bases,
    table_bases,
    static_macs,
    table_setups,
    wanted_queues,
    queue_bases,
    wanted_vlans,
    group_heads,
    groups,
    meter_heads,
    meters,
    masks,
    lines,
    hot,
    cold,
    chunks,
    packet_out_slots,
    // the dataplane's pages
    dataplane_words,
    readers,
    worker_words,
    packet_in_producers,
    packet_out_consumers,
    port_status,
    port_counters,
    drop_counters,
    table_counters,
    mac_counts,
    macs,
    packet_in_slots,
    queue_counters,
    group_counters,
    bucket_counters,
    meter_states,
    meter_counters,
    band_counters,
    policer_states,
    flow_counters,
};
inline constexpr std::size_t kRegions = 47;
inline constexpr Region kFirstDataplaneRegion = Region::dataplane_words;

/// How many groups, bucket counters, meters and meter states there is room for; powers of two.
[[nodiscard]] std::uint32_t max_groups(const ArenaConfig& rounded_config) noexcept;
[[nodiscard]] std::uint32_t max_buckets(const ArenaConfig& rounded_config) noexcept;
[[nodiscard]] std::uint32_t max_meters(const ArenaConfig& rounded_config) noexcept;
[[nodiscard]] std::uint32_t max_meter_states(const ArenaConfig& rounded_config) noexcept;

/// Where a region lies in the file.
struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    friend bool operator==(const Extent&, const Extent&) = default;
};

/// The regions of an arena of this configuration; a pure function, so that both sides agree.
struct ArenaPlan {
    std::array<Extent, kRegions> regions{};
    std::uint64_t agent_size = 0;  // the dataplane's pages begin here
    std::uint64_t size = 0;

    [[nodiscard]] const Extent& operator[](Region region) const {
        return regions[static_cast<std::size_t>(region)];
    }
};
/// The configuration as the arena keeps it: rounded up.
[[nodiscard]] ArenaConfig rounded(const ArenaConfig& config) noexcept;
[[nodiscard]] ArenaPlan plan(const ArenaConfig& rounded_config) noexcept;
[[nodiscard]] const char* region_name(Region region) noexcept;
/// Hash over sizes and offsets of everything shared: equal = two programs agree.
[[nodiscard]] std::uint64_t layout_hash() noexcept;

//  off size field            writer: agent, at creation; never changes but where noted
//    0   8  magic
//    8   8  layout_hash      kLayoutHash of the program that made the file
//   16   4  layout_version
//   20   4  ready            1 = complete (the file gets its name only then)
//   24   8  size
//   32   8  agent_size       offset of the dataplane's pages
//   40  40  boot_id          text, NUL-padded
//   80   4  max_flows
//   84   2  max_ports
//   86   2  max_bridges
//   88   1  max_workers
//   89   7  zero
//   96  32  hash_key         random, for the hashes that traffic can steer
//  128   4  superseded       1 = a newer arena has taken the name; the dataplane starts anew
//  132 256  rundir           text, NUL-padded: whose file this is (arena_file.h, orphans)
//  388 124  zero
//  512 752  regions          offset and size of each
// 1264 2832 zero
struct alignas(64) ArenaHeader {
    std::uint64_t magic;
    std::uint64_t layout_hash;
    std::uint32_t layout_version;
    std::atomic<std::uint32_t> ready;
    std::uint64_t size;
    std::uint64_t agent_size;
    std::array<char, 40> boot_id;
    std::uint32_t max_flows;
    std::uint16_t max_ports;
    std::uint16_t max_bridges;
    std::uint8_t max_workers;
    std::array<std::uint8_t, 7> zero0;
    std::array<std::uint64_t, 4> hash_key;
    std::atomic<std::uint32_t> superseded;
    std::array<char, 256> rundir;
    std::array<std::uint8_t, 124> zero1;
    std::array<Extent, kRegions> regions;
    std::array<std::uint8_t, 2832> zero2;
};
static_assert(sizeof(ArenaHeader) == 4096 && std::is_standard_layout_v<ArenaHeader>);
static_assert(offsetof(ArenaHeader, hash_key) == 96 && offsetof(ArenaHeader, regions) == 512);
static_assert(offsetof(ArenaHeader, superseded) == 128 && offsetof(ArenaHeader, rundir) == 132);

/// Whether huge pages are taken: when there are enough, always (an error else), never.
enum class PagePolicy : std::uint8_t { automatic = 0, huge = 1, small = 2 };

/// How hard workers poll when there is nothing to do (house.md decision 13).
enum class IdleProfile : std::uint8_t { balanced = 0, busy = 1 };

//  off size field            writer: agent
//    0   4  generation       bumped after a change; the dataplane reads settings at its start,
//                         log_level also after a change
//    4   2  workers          0 = chosen automatically
//    6   1  idle             IdleProfile
//    7   1  log_level        0 debug .. 3 error
//    8   4  memory_mb        EAL memory, 0 = chosen automatically
//   12   8  zero
//   20   1  pages            PagePolicy
//   21   3  zero
//   24   4  rx_buffer        bytes of an af-packet port's receive buffer, 0 = chosen automatically
//   28   4  zero
//   32 128  cores            core list as in the configuration (`2,3`), NUL-padded
//  160 352  eal_arguments    further EAL arguments, NUL-padded
struct alignas(64) Settings {
    std::atomic<std::uint32_t> generation;
    std::uint16_t workers;
    IdleProfile idle;
    std::uint8_t log_level;
    std::uint32_t memory_mb;
    std::array<std::uint8_t, 8> zero0;
    PagePolicy pages;
    std::array<std::uint8_t, 3> zero1;
    std::uint32_t rx_buffer;
    std::uint32_t zero2;
    std::array<char, 128> cores;
    std::array<char, 352> eal_arguments;
};
static_assert(sizeof(Settings) == 512 && std::is_standard_layout_v<Settings>);

//  off size field            writer: agent
//    0   8  pid              0 = stopped cleanly
//    8   8  generation       bumped at each start of an agent
//   16   8  heartbeat_ns     CLOCK_MONOTONIC
//   24   4  sleeping         1 = blocked in epoll: write its eventfd after a packet-in
//   28  36  zero
//   64   8  qsbr_token       grows with each grace period that is asked for (qsbr.h)
//   72  56  zero
struct alignas(64) AgentWords {
    std::atomic<std::uint64_t> pid;
    std::atomic<std::uint64_t> generation;
    std::atomic<std::uint64_t> heartbeat_ns;
    std::atomic<std::uint32_t> sleeping;
    std::array<std::uint8_t, 36> zero0;
    alignas(64) std::atomic<std::uint64_t> qsbr_token;
    std::array<std::uint8_t, 56> zero1;
};
static_assert(sizeof(AgentWords) == 128 && offsetof(AgentWords, qsbr_token) == 64);

//  off size field            writer: dataplane
//    0   8  pid              0 = stopped cleanly
//    8   8  generation       bumped at each start of a dataplane
//   16   8  heartbeat_ns     CLOCK_MONOTONIC
//   24   4  workers          running
//   28   4  settings_generation  the one it started from
//   32  32  zero
struct alignas(64) DataplaneWords {
    std::atomic<std::uint64_t> pid;
    std::atomic<std::uint64_t> generation;
    std::atomic<std::uint64_t> heartbeat_ns;
    std::atomic<std::uint32_t> workers;
    std::atomic<std::uint32_t> settings_generation;
    std::array<std::uint8_t, 32> zero;
};
static_assert(sizeof(DataplaneWords) == 64);

//  off size field            writer: the worker
//    0   4  sleeping         1 = blocks in epoll or is about to: wake it by its eventfd
//    4   4  core             cpu number
//    8   8  bursts           polls that brought packets
//   16   8  empty_polls
//   24   8  heartbeat_ns
//   32  32  zero
struct alignas(64) WorkerWords {
    std::atomic<std::uint32_t> sleeping;
    std::uint32_t core;
    std::atomic<std::uint64_t> bursts;
    std::atomic<std::uint64_t> empty_polls;
    std::atomic<std::uint64_t> heartbeat_ns;
    std::array<std::uint8_t, 32> zero;
};
static_assert(sizeof(WorkerWords) == 64);

}  // namespace raicho::shm
