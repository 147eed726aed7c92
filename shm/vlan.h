// SPDX-License-Identifier: Apache-2.0
// How NORMAL takes a port (IEEE 802.1Q §8.6.2, §8.8): one word in WantedPort, and the VLANs of a
// restricted trunk as a set of bits. Writer: agent. Reader: dataplane/pipeline/output.h.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace raicho::shm {

inline constexpr std::uint16_t kVlanIds = 4096;

/// The VLANs that a restricted trunk carries; bit v % 64 of word v / 64.
struct alignas(64) PortVlans {
    std::array<std::atomic<std::uint64_t>, kVlanIds / 64> carried;
    [[nodiscard]] bool has(std::uint16_t vlan) const noexcept {
        return (carried[vlan / 64 % carried.size()].load(std::memory_order_relaxed) >> vlan % 64 &
                1) != 0;
    }
};
static_assert(sizeof(PortVlans) == 512 && std::is_standard_layout_v<PortVlans>);

/// WantedPort::vlan, all that NORMAL asks of it but the set.
struct VlanWord {
    //  bits 0-11  VLAN of untagged frames, 0 = none
    //  bit 12     restricted: carries nothing but that VLAN and those of the set
    //  bit 13     access: frames with a tag are refused
    std::uint32_t bits = 0;

    static constexpr std::uint32_t kRestricted = 1u << 12;
    static constexpr std::uint32_t kAccess = 1u << 13;

    [[nodiscard]] constexpr std::uint16_t untagged() const noexcept {
        return static_cast<std::uint16_t>(bits & 0xfff);
    }
    [[nodiscard]] constexpr bool restricted() const noexcept { return (bits & kRestricted) != 0; }
    [[nodiscard]] constexpr bool access() const noexcept { return (bits & kAccess) != 0; }

    /// Whether the port carries `vlan`; 0 is that of frames without one.
    [[nodiscard]] bool carries(std::uint16_t vlan, const PortVlans& set) const noexcept {
        if (vlan != 0 && vlan == untagged()) return true;
        return !restricted() || set.has(vlan);
    }
    /// The VLAN of a frame whose tag says `tag` (0: no tag, or one with a priority only).
    [[nodiscard]] constexpr std::uint16_t vlan_of(std::uint16_t tag) const noexcept {
        return tag != 0 ? tag : untagged();
    }
    /// Whether a frame of `vlan` leaves with a tag.
    [[nodiscard]] constexpr bool tags(std::uint16_t vlan) const noexcept {
        return vlan != 0 && vlan != untagged();
    }
};
static_assert(sizeof(VlanWord) == 4 && std::has_unique_object_representations_v<VlanWord>);

}  // namespace raicho::shm
