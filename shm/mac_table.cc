// SPDX-License-Identifier: Apache-2.0
#include "shm/mac_table.h"

#include "base/text.h"
#include "shm/arena.h"
#include "shm/hash.h"

namespace raicho::shm {
namespace {

enum class State : std::uint8_t { empty = 0, claimed = 1, valid = 2 };
constexpr std::uint64_t kStateMask = 3;
constexpr std::uint32_t kSecondMask = 0xffffff;

std::uint64_t mac_bits(const std::uint8_t* mac) noexcept {
    std::uint64_t bits = 0;
    for (int i = 0; i < 6; ++i) bits = bits << 8 | mac[i];
    return bits;
}

std::uint64_t identity_of(State state, BridgeId bridge, std::uint64_t mac) noexcept {
    return static_cast<std::uint64_t>(state) | (bridge.value() & 0x3fffu) << 2 | mac << 16;
}
State state_of(std::uint64_t identity) noexcept {
    return static_cast<State>(identity & kStateMask);
}
BridgeId bridge_of(std::uint64_t identity) noexcept {
    return BridgeId(static_cast<std::uint16_t>(identity >> 2 & 0x3fff));
}

/// MacEntry::place, taken apart.
struct Place {
    std::uint16_t vlan;
    std::uint16_t slot;
    std::uint16_t generation;
    std::uint32_t second;

    explicit Place(std::uint64_t word)
        : vlan(static_cast<std::uint16_t>(word & 0xfff)),
          slot(static_cast<std::uint16_t>(word >> 12 & 0xffff)),
          generation(static_cast<std::uint16_t>(word >> 28 & 0xfff)),
          second(static_cast<std::uint32_t>(word >> 40)) {}
    Place(std::uint16_t vlan_id, PortSlot port, std::uint16_t gen, std::uint32_t now_s)
        : vlan(vlan_id & 0xfffu),
          slot(port.value()),
          generation(gen & 0xfffu),
          second(now_s & kSecondMask) {}

    [[nodiscard]] std::uint64_t word() const {
        return vlan | std::uint64_t{slot} << 12 | std::uint64_t{generation} << 28 |
               std::uint64_t{second} << 40;
    }
};

std::uint16_t generation_of(const ArenaView& arena, BridgeId bridge, PortSlot slot) noexcept {
    const std::uint32_t sum =
        arena.bridge(bridge).mac_generation.load(std::memory_order_relaxed) +
        arena.wanted_port(slot).mac_generation.load(std::memory_order_relaxed);
    return static_cast<std::uint16_t>(sum & 0xfff);
}

/// Seconds since the entry was seen. Workers read their clocks apart: a second that lies ahead of
/// `now_s` is age 0.
std::uint32_t age_of(const Place& place, std::uint32_t now_s) noexcept {
    const std::uint32_t age = (now_s - place.second) & kSecondMask;
    return age <= kSecondMask / 2 ? age : 0;
}

/// Neither aged nor cleared.
bool fresh(const ArenaView& arena, BridgeId bridge, const Place& place,
           std::uint32_t now_s) noexcept {
    if (place.generation != generation_of(arena, bridge, PortSlot(place.slot))) return false;
    const std::uint32_t ageing = arena.bridge(bridge).mac_ageing_s.load(std::memory_order_relaxed);
    return ageing == 0 || age_of(place, now_s) <= ageing;
}

/// First entry of an address's window; windows start on cache-line borders.
std::size_t window_of(const ArenaView& arena, BridgeId bridge, std::uint16_t vlan,
                      std::uint64_t mac, std::size_t n_entries) noexcept {
    const HashKey& secret = arena.hash_key();
    const std::uint64_t hash = fold_multiply(mac ^ std::uint64_t{vlan} << 48 ^ secret[0],
                                             secret[1] ^ std::uint64_t{bridge.value()} << 1);
    return (hash & (n_entries - 1)) & ~(kMacWindow - 1);
}

/// The port of a static entry, or kNoSlot.
std::uint16_t find_static(const ArenaView& arena, BridgeId bridge, std::uint16_t vlan,
                          std::uint64_t mac) noexcept {
    if (arena.bridge(bridge).static_macs.load(std::memory_order_relaxed) == 0) return kNoSlot;
    const auto entries = arena.static_macs();
    const std::size_t first = window_of(arena, bridge, vlan, mac, entries.size());
    const std::uint64_t wanted = identity_of(State::valid, bridge, mac);
    for (const MacEntry& entry : entries.subspan(first, kMacWindow)) {
        if (entry.identity.load(std::memory_order_acquire) != wanted) continue;
        const Place place(entry.place.load(std::memory_order_acquire));
        if (place.vlan == vlan && entry.identity.load(std::memory_order_acquire) == wanted)
            return place.slot;
    }
    return kNoSlot;
}

}  // namespace

std::uint16_t mac_lookup(const ArenaView& arena, BridgeId bridge, std::uint16_t vlan,
                         const std::uint8_t* mac, std::uint32_t now_s) noexcept {
    const std::uint64_t address = mac_bits(mac);
    const std::uint16_t fixed = find_static(arena, bridge, vlan, address);
    if (fixed != kNoSlot) return fixed;
    const auto entries = arena.macs();
    const std::size_t first = window_of(arena, bridge, vlan, address, entries.size());
    const std::uint64_t wanted = identity_of(State::valid, bridge, address);
    for (const MacEntry& entry : entries.subspan(first, kMacWindow)) {
        if (entry.identity.load(std::memory_order_acquire) != wanted) continue;
        const Place place(entry.place.load(std::memory_order_acquire));
        // the entry may have been given away between the two loads
        if (place.vlan != vlan || entry.identity.load(std::memory_order_acquire) != wanted)
            continue;
        return fresh(arena, bridge, place, now_s) ? place.slot : kNoSlot;
    }
    return kNoSlot;
}

namespace {

/// Takes `entry` from whoever had it (`old`) for a new address; false when another worker was
/// faster.
bool claim(DataplaneArena& arena, MacEntry& entry, std::uint64_t old, BridgeId bridge,
           std::uint64_t mac, const Place& place) noexcept {
    if (!entry.identity.compare_exchange_strong(old, identity_of(State::claimed, bridge, mac),
                                                std::memory_order_acq_rel))
        return false;
    entry.place.store(place.word(), std::memory_order_release);
    entry.identity.store(identity_of(State::valid, bridge, mac), std::memory_order_release);
    if (state_of(old) == State::valid)
        arena.mac_counter(bridge_of(old)).fetch_sub(1, std::memory_order_relaxed);
    arena.mac_counter(bridge).fetch_add(1, std::memory_order_relaxed);
    return true;
}

}  // namespace

void mac_learn(DataplaneArena& arena, BridgeId bridge, std::uint16_t vlan, const std::uint8_t* mac,
               PortSlot slot, std::uint32_t now_s) noexcept {
    const std::uint64_t address = mac_bits(mac);
    if ((mac[0] & 1) != 0 || address == 0) return;
    if (find_static(arena, bridge, vlan, address) != kNoSlot) return;
    const auto entries = arena.macs();
    const std::size_t first = window_of(arena, bridge, vlan, address, entries.size());
    const auto window = entries.subspan(first, kMacWindow);
    const Place place(vlan, slot, generation_of(arena, bridge, slot), now_s);
    const std::uint64_t valid = identity_of(State::valid, bridge, address);
    const std::uint64_t claimed = identity_of(State::claimed, bridge, address);

    MacEntry* victim = nullptr;  // an empty, expired or else the oldest entry of this bridge
    std::uint64_t victim_identity = 0;
    std::int64_t victim_age = -1;
    for (MacEntry& entry : window) {
        const std::uint64_t identity = entry.identity.load(std::memory_order_acquire);
        if (identity == claimed) return;  // another worker is at it
        if (identity == valid) {
            const std::uint64_t word = entry.place.load(std::memory_order_acquire);
            if (Place(word).vlan == vlan) {
                if (word == place.word()) return;  // seen this second already: nothing to store
                std::uint64_t expected = word;     // one store refreshes or moves; a lost race
                entry.place.compare_exchange_strong(expected, place.word(),  // is as good
                                                    std::memory_order_acq_rel);
                return;
            }
        }
        std::int64_t age = 0;
        if (state_of(identity) == State::empty) {
            age = std::int64_t{1} << 40;
        } else if (state_of(identity) == State::valid) {
            const Place held(entry.place.load(std::memory_order_acquire));
            const BridgeId owner = bridge_of(identity);
            age = age_of(held, now_s);
            if (!fresh(arena, owner, held, now_s)) age += std::int64_t{1} << 32;
        } else {
            continue;
        }
        if (age > victim_age) {
            victim = &entry;
            victim_identity = identity;
            victim_age = age;
        }
    }
    if (victim == nullptr) return;
    const std::uint32_t limit = arena.bridge(bridge).mac_limit.load(std::memory_order_relaxed);
    const bool replaces_own =
        state_of(victim_identity) == State::valid && bridge_of(victim_identity) == bridge;
    if (limit != 0 && !replaces_own && arena.mac_count(bridge) >= limit) return;
    (void)claim(arena, *victim, victim_identity, bridge, address, place);
}

void mac_sweep(DataplaneArena& arena, std::size_t& cursor, std::size_t n,
               std::uint32_t now_s) noexcept {
    const auto entries = arena.macs();
    for (; n != 0; --n) {
        MacEntry& entry = entries[cursor++ & (entries.size() - 1)];
        std::uint64_t identity = entry.identity.load(std::memory_order_acquire);
        if (state_of(identity) != State::valid) continue;
        const BridgeId bridge = bridge_of(identity);
        if (fresh(arena, bridge, Place(entry.place.load(std::memory_order_acquire)), now_s))
            continue;
        if (entry.identity.compare_exchange_strong(identity, 0, std::memory_order_acq_rel))
            arena.mac_counter(bridge).fetch_sub(1, std::memory_order_relaxed);
    }
}

void mac_recover(DataplaneArena& arena) noexcept {
    for (std::uint16_t b = 0; b < arena.max_bridges(); ++b)
        arena.mac_counter(BridgeId(b)).store(0, std::memory_order_relaxed);
    for (MacEntry& entry : arena.macs()) {
        const std::uint64_t identity = entry.identity.load(std::memory_order_relaxed);
        if (state_of(identity) == State::valid)
            arena.mac_counter(bridge_of(identity)).fetch_add(1, std::memory_order_relaxed);
        else if (identity != 0)
            entry.identity.store(0, std::memory_order_release);
    }
}

// --- agent ------------------------------------------------------------------------------------

Result<void> mac_add_static(AgentArena& arena, BridgeId bridge, std::uint16_t vlan, const Mac& mac,
                            PortSlot slot) {
    const std::uint64_t address = mac_bits(mac.bytes.data());
    const auto entries = arena.static_macs();
    const auto window =
        entries.subspan(window_of(arena, bridge, vlan, address, entries.size()), kMacWindow);
    const std::uint64_t valid = identity_of(State::valid, bridge, address);
    const Place place(vlan, slot, 0, 0);
    MacEntry* empty = nullptr;
    for (MacEntry& entry : window) {
        const std::uint64_t identity = entry.identity.load(std::memory_order_relaxed);
        if (identity == valid &&
            Place(entry.place.load(std::memory_order_relaxed)).vlan == (vlan & 0xfffu)) {
            entry.place.store(place.word(), std::memory_order_release);
            return {};
        }
        if (identity == 0 && empty == nullptr) empty = &entry;
    }
    if (empty == nullptr)
        return fail(format("static MAC address {}: no room in the table", to_string(mac)));
    // Counted first: an agent killed in between leaves a count too high, which only costs a look.
    arena.bridge(bridge).static_macs.fetch_add(1, std::memory_order_release);
    empty->place.store(place.word(), std::memory_order_release);
    empty->identity.store(valid, std::memory_order_release);
    return {};
}

bool mac_remove_static(AgentArena& arena, BridgeId bridge, std::uint16_t vlan, const Mac& mac) {
    const std::uint64_t address = mac_bits(mac.bytes.data());
    const auto entries = arena.static_macs();
    const auto window =
        entries.subspan(window_of(arena, bridge, vlan, address, entries.size()), kMacWindow);
    for (MacEntry& entry : window) {
        if (entry.identity.load(std::memory_order_relaxed) !=
                identity_of(State::valid, bridge, address) ||
            Place(entry.place.load(std::memory_order_relaxed)).vlan != (vlan & 0xfffu))
            continue;
        entry.identity.store(0, std::memory_order_release);
        arena.bridge(bridge).static_macs.fetch_sub(1, std::memory_order_release);
        return true;
    }
    return false;
}

void mac_clear_static(AgentArena& arena, BridgeId bridge) {
    for (MacEntry& entry : arena.static_macs()) {
        const std::uint64_t identity = entry.identity.load(std::memory_order_relaxed);
        if (state_of(identity) == State::valid && bridge_of(identity) == bridge)
            entry.identity.store(0, std::memory_order_release);
    }
    arena.bridge(bridge).static_macs.store(0, std::memory_order_release);
}

void for_each_mac(const ArenaView& arena, BridgeId bridge, std::uint32_t now_s,
                  const std::function<void(const MacRow&)>& visit) {
    const auto each = [&](std::span<const MacEntry> entries, bool is_static) {
        for (const MacEntry& entry : entries) {
            const std::uint64_t identity = entry.identity.load(std::memory_order_acquire);
            if (state_of(identity) != State::valid || bridge_of(identity) != bridge) continue;
            const Place place(entry.place.load(std::memory_order_acquire));
            if (entry.identity.load(std::memory_order_acquire) != identity) continue;
            if (!is_static && !fresh(arena, bridge, place, now_s)) continue;
            MacRow row{.bridge = bridge,
                       .vlan = place.vlan,
                       .slot = PortSlot(place.slot),
                       .age_s = is_static ? 0 : age_of(place, now_s),
                       .is_static = is_static};
            for (std::size_t i = 0; i < 6; ++i)
                row.mac.bytes[i] = static_cast<std::uint8_t>(identity >> (56 - 8 * i));
            visit(row);
        }
    };
    each(arena.static_macs(), true);
    each(arena.macs(), false);
}

}  // namespace raicho::shm
