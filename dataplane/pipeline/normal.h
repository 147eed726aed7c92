// SPDX-License-Identifier: Apache-2.0
// Part of pipeline.h: OFPP_NORMAL, the learning switch, VLAN by VLAN (IEEE 802.1Q §8.6). A frame is
// in the VLAN of its tag, else in the one its port gives to untagged frames; it goes to ports that
// carry the VLAN, with a tag or without as each of them wants it.
#pragma once

#include <cstdint>

#include "base/be.h"
#include "dataplane/pipeline/pipeline.h"
#include "shm/mac_table.h"

namespace raicho::pipeline {

namespace detail {
/// 01:80:c2:00:00:00 to 0f, which bridges do not forward (IEEE 802.1Q §8.6.3).
inline bool reserved_address(const std::byte* mac) noexcept {
    return load_be<std::uint32_t>(mac) == 0x0180c200 && mac[4] == std::byte{0} &&
           (mac[5] & std::byte{0xf0}) == std::byte{0};
}
inline std::uint16_t tag_of(const Frame& frame) noexcept {
    constexpr std::size_t kVlanAt = shm::place(Field::vlan_vid).offset;
    return static_cast<std::uint16_t>(load_be<std::uint16_t>(frame.key.bytes() + kVlanAt) &
                                      0x0fffu);
}
}  // namespace detail

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::normal(InFlight& f) noexcept {
    const std::byte* dst = f.packet->data;
    if (detail::reserved_address(dst)) return lose(f, shm::DropReason::stp_reserved);
    const std::uint16_t ingress = here_.ingress.value();
    std::uint16_t vlan = detail::tag_of(f);
    if (here_.vlan.bits != 0) [[unlikely]] {
        if (vlan != 0 && here_.vlan.access()) return lose(f, shm::DropReason::vlan);
        vlan = here_.vlan.vlan_of(vlan);
        if (!here_.vlan.carries(vlan, arena_.wanted_vlans(here_.ingress)))
            return lose(f, shm::DropReason::vlan);
    }
    const auto* macs = reinterpret_cast<const std::uint8_t*>(dst);
    if (ingress != shm::kNoSlot)
        shm::mac_learn(arena_, here_.bridge, vlan, macs + 6, here_.ingress, here_.now_s);
    if ((macs[0] & 1) == 0) {
        const std::uint16_t slot = shm::mac_lookup(arena_, here_.bridge, vlan, macs, here_.now_s);
        if (slot == ingress && slot != shm::kNoSlot) return lose(f, shm::DropReason::mac_reflect);
        if (slot != shm::kNoSlot) {
            const Out out = resolve(slot);
            // A port that has left the VLAN since the address was learned: as if it were unknown.
            if (out.slot == shm::kNoSlot) return emit(f, slot);
            if (carries(out, vlan)) return normal_emit(f, out, vlan);
        }
    }
    normal_flood(f, vlan);
}

template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::normal_flood(InFlight& f, std::uint16_t vlan) noexcept {
    each_exit(f, [&](const Out& out) noexcept {
        if (!carries(out, vlan)) return false;
        normal_emit(f, out, vlan);
        return true;
    });
}

template <PacketIo Io, class Sink>
bool Pipeline<Io, Sink>::carries(const Out& out, std::uint16_t vlan) const noexcept {
    return out.vlan.bits == 0 || out.vlan.carries(vlan, arena_.wanted_vlans(PortSlot(out.slot)));
}

/// As the port wants it: the frame itself, or a copy that got or lost its tag. The frame stays what
/// it was for the actions behind NORMAL.
template <PacketIo Io, class Sink>
void Pipeline<Io, Sink>::normal_emit(InFlight& f, const Out& out, std::uint16_t vlan) noexcept {
    const std::uint16_t tag = detail::tag_of(f);
    const bool tagged = out.vlan.tags(vlan);
    if (tagged == (tag != 0)) [[likely]]
        return emit(f, out.slot);
    f.fate = Fate::handled;
    Packet* copy = io_.clone(*f.packet);
    if (copy == nullptr) return lose(f, shm::DropReason::clone_failed);
    const Frame kept = f;
    f.packet = copy;
    EditResult edited = EditResult::done;
    if (!tagged) {
        edited = pipeline::pop_vlan(f);
    } else {
        // A tag that holds a priority only becomes the VLAN's.
        if (f.layers.n_vlans == 0) edited = pipeline::push_vlan(f, 0x8100);
        std::array<std::byte, 8> vid{};
        store_be<std::uint16_t>(vid.data(), static_cast<std::uint16_t>(vlan | 0x1000u));
        if (edited == EditResult::done)
            edited = pipeline::set_field(f, Field::vlan_vid, vid.data());
    }
    if (edited == EditResult::done) {
        deliver(f, out.slot, copy);
    } else {
        lose_at(f, out.slot, shm::DropReason::bad_action);
        io_.free(copy);
    }
    static_cast<Frame&>(f) = kept;
}

}  // namespace raicho::pipeline
