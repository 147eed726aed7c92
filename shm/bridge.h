// SPDX-License-Identifier: Apache-2.0
// Bridges in the arena: one record each, with its 255 table slots and miss slots, and the map from
// OpenFlow port numbers to port slots. All agent's pages.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/ids.h"
#include "shm/port.h"

namespace raicho::shm {

enum class BridgeMode : std::uint32_t {
    unused = 0,
    flows_drop = 1,    // a miss in a table without table-miss entry drops
    flows_normal = 2,  // such a miss goes to NORMAL
    normal = 3,        // every packet goes to NORMAL, the flows wait
};

/// Names of bridges, NUL-padded.
inline constexpr std::size_t kBridgeNameSize = 32;

/// A table slot: which descriptor and which version of the table's content. One 8-byte store
/// swaps both; descriptor 0 = no flows but maybe a miss entry.
struct TableSlot {
    std::uint32_t descriptor = 0;  // line index (flow.h)
    std::uint32_t version = 0;     // grows with every change of the table
};
static_assert(sizeof(TableSlot) == 8 && std::has_unique_object_representations_v<TableSlot>);

//   off size field                writer: agent
//     0   4  mode                 BridgeMode; one store makes the bridge or unmakes it
//     4   4  config_flags         OFPC_FRAG_* of set-config
//     8   4  miss_send_len        of set-config
//    12   4  controller_connected 1 = at least one controller gets packet-ins
//    16   8  dpid
//    24   4  mac_ageing_s         0 = entries never age
//    28   4  mac_limit            learned addresses at most, 0 = the table's size
//    32   4  mac_generation       bumped by `clear mac`
//    36   4  static_macs          how many static entries the bridge has
//    40   4  controller_meter     row of OFPM_CONTROLLER, 0 = none (meter.h)
//    44   4  slowpath_meter       row of OFPM_SLOWPATH: what goes to LOCAL, the host's own stack
//    48  16  zero
//    64  32  name
//    96  32  zero
//   128 2048 tables               256 x TableSlot, the last unused
//  2176 1024 misses               256 x flow index of the table-miss entry, 0 = none
struct alignas(64) BridgeRecord {
    std::atomic<BridgeMode> mode;
    std::atomic<std::uint32_t> config_flags;
    std::atomic<std::uint32_t> miss_send_len;
    std::atomic<std::uint32_t> controller_connected;
    std::uint64_t dpid;
    std::atomic<std::uint32_t> mac_ageing_s;
    std::atomic<std::uint32_t> mac_limit;
    std::atomic<std::uint32_t> mac_generation;
    std::atomic<std::uint32_t> static_macs;
    std::atomic<std::uint32_t> controller_meter;
    std::atomic<std::uint32_t> slowpath_meter;
    std::array<std::uint8_t, 16> zero0;
    std::array<char, kBridgeNameSize> name;
    std::array<std::uint8_t, 32> zero1;
    std::array<std::atomic<TableSlot>, 256> tables;
    std::array<std::atomic<std::uint32_t>, 256> misses;
};
static_assert(sizeof(BridgeRecord) == 3200 && std::is_standard_layout_v<BridgeRecord>);
static_assert(offsetof(BridgeRecord, tables) == 128 && offsetof(BridgeRecord, misses) == 2176);
static_assert(std::atomic<TableSlot>::is_always_lock_free);

//  off size field       writer: agent; not read by workers
//    0   4  max_entries   0 = as many as there is room for
//    4   4  removed       1 = taken out of the pipeline
//    8  32  name          NUL-padded
//   40  24  zero
/// What table features made of a table; one row per bridge and table.
struct alignas(64) TableSetup {
    std::uint32_t max_entries;
    std::uint32_t removed;
    std::array<char, 32> name;
    std::array<std::uint8_t, 24> zero;
};
static_assert(sizeof(TableSetup) == 64 && std::has_unique_object_representations_v<TableSetup>);

/// One entry of a bridge's number map: open addressing, linear probing, 2 x max_ports entries.
/// `used` 0 = never used (ends a probe), 1 = holds a port, 2 = deleted.
struct PortMapEntry {
    std::uint32_t port_no = 0;
    std::uint16_t slot = kNoSlot;
    std::uint16_t used = 0;
};
static_assert(sizeof(PortMapEntry) == 8);
static_assert(std::has_unique_object_representations_v<PortMapEntry>);
static_assert(std::atomic<PortMapEntry>::is_always_lock_free);

/// First probe of a number in a map of `n_entries` (a power of two).
[[nodiscard]] constexpr std::size_t port_map_start(std::uint32_t port_no, std::size_t n_entries) {
    return (port_no * std::uint64_t{0x9e3779b97f4a7c15} >> 32) & (n_entries - 1);
}

}  // namespace raicho::shm
