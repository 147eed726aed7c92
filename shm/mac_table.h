// SPDX-License-Identifier: Apache-2.0
// The MAC table of NORMAL: learned entries lie in the dataplane's pages and are claimed by workers
// with a compare-and-swap, so that learning goes on with the agent dead; static entries and the
// generations that clear learned ones lie in the agent's. An aged entry is a miss at once and freed
// by the next sweep.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "base/addr.h"
#include "base/error.h"
#include "base/ids.h"
#include "shm/port.h"

namespace raicho::shm {

class ArenaView;
class AgentArena;
class DataplaneArena;

/// Learned entries of an arena, all bridges together; and static ones.
inline constexpr std::size_t kMacEntries = 1u << 16;
inline constexpr std::size_t kStaticMacEntries = 1u << 12;
/// An address lies in one of so many neighbouring entries.
inline constexpr std::size_t kMacWindow = 8;

//  off size field      writer: a worker that has claimed the entry (static: the agent)
//    0   8  identity   state 2 bits | bridge 14 bits | MAC 48 bits; low bits first
//    8   8  place      VLAN 12 | port slot 16 | generation 12 | second of last use 24
/// Readers load identity, place, identity: a change between the two is a miss. The generation is
/// (bridge's + port's mac_generation) modulo 4096; another one means cleared.
struct alignas(16) MacEntry {
    std::atomic<std::uint64_t> identity;
    std::atomic<std::uint64_t> place;
};
static_assert(sizeof(MacEntry) == 16 && std::is_standard_layout_v<MacEntry>);

/// One entry for people.
struct MacRow {
    BridgeId bridge;
    std::uint16_t vlan = 0;
    Mac mac;
    PortSlot slot;
    std::uint32_t age_s = 0;
    bool is_static = false;
};

// --- workers --------------------------------------------------------------------------------
// `vlan` 0..4095 (0 = untagged), `now_s` seconds of CLOCK_MONOTONIC.

/// Where the address was seen, static entries first; kNoSlot when unknown, aged or cleared.
[[nodiscard]] std::uint16_t mac_lookup(const ArenaView& arena, BridgeId bridge, std::uint16_t vlan,
                                       const std::uint8_t* mac, std::uint32_t now_s) noexcept;
/// Learns or refreshes source address `mac` on `slot`. Multicast addresses, static ones and those
/// beyond the bridge's limit are not learned. Any worker, any time.
void mac_learn(DataplaneArena& arena, BridgeId bridge, std::uint16_t vlan, const std::uint8_t* mac,
               PortSlot slot, std::uint32_t now_s) noexcept;
/// Frees aged and cleared entries among the next `n` of the table; one thread calls it
/// regularly, for what is not freed counts against the limit. `cursor` is the caller's, any value.
void mac_sweep(DataplaneArena& arena, std::size_t& cursor, std::size_t n,
               std::uint32_t now_s) noexcept;
/// Frees what a killed worker left half claimed, recounts; before the workers start.
void mac_recover(DataplaneArena& arena) noexcept;

// --- agent ----------------------------------------------------------------------------------

/// Adds or moves a static entry; an error when its window is full.
[[nodiscard]] Result<void> mac_add_static(AgentArena& arena, BridgeId bridge, std::uint16_t vlan,
                                          const Mac& mac, PortSlot slot);
/// Whether there was one.
bool mac_remove_static(AgentArena& arena, BridgeId bridge, std::uint16_t vlan, const Mac& mac);
/// All static entries of a bridge (its removal).
void mac_clear_static(AgentArena& arena, BridgeId bridge);
/// Every valid entry of a bridge, in no order.
void for_each_mac(const ArenaView& arena, BridgeId bridge, std::uint32_t now_s,
                  const std::function<void(const MacRow&)>& visit);

}  // namespace raicho::shm
