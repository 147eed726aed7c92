// SPDX-License-Identifier: Apache-2.0
// The actions that change a packet (OF 1.3.5 §5.12): set-field, tags, TTL. Each edits the bytes,
// the key, the layers and the checksums together, so that they always describe the same frame.
// Outputs are not here, see output.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dataplane/pipeline/packet.h"
#include "dataplane/pipeline/parse.h"
#include "shm/key.h"

namespace raicho::pipeline {

/// A packet with what the parser found in it.
struct Frame {
    shm::Key key;
    Packet* packet = nullptr;
    Layers layers;
};

enum class EditResult : std::uint8_t {
    done,
    unfit,    // the packet has no such header, or no room for one
    expired,  // the TTL is zero or one
};

/// Parses again after the frame's structure changed.
void reparse(Frame& frame) noexcept;

/// `value` holds FieldRow::size() bytes in network order, and at least 8 readable ones.
/// A transport field of a later fragment is left alone: that frame has no such header.
[[nodiscard]] EditResult set_field(Frame& frame, Field field, const std::byte* value) noexcept;

[[nodiscard]] EditResult push_vlan(Frame& frame, std::uint16_t type) noexcept;
[[nodiscard]] EditResult pop_vlan(Frame& frame) noexcept;
[[nodiscard]] EditResult push_mpls(Frame& frame, std::uint16_t type) noexcept;
[[nodiscard]] EditResult pop_mpls(Frame& frame, std::uint16_t type) noexcept;
/// Puts an I-TAG and a copy of both addresses in front of the whole frame.
[[nodiscard]] EditResult push_pbb(Frame& frame, std::uint16_t type) noexcept;
/// Takes away everything in front of the customer's frame, backbone VLAN tags too.
[[nodiscard]] EditResult pop_pbb(Frame& frame) noexcept;

[[nodiscard]] EditResult set_nw_ttl(Frame& frame, std::uint8_t ttl) noexcept;
[[nodiscard]] EditResult dec_nw_ttl(Frame& frame) noexcept;
[[nodiscard]] EditResult set_mpls_ttl(Frame& frame, std::uint8_t ttl) noexcept;
[[nodiscard]] EditResult dec_mpls_ttl(Frame& frame) noexcept;
/// From the next header with a TTL to the outermost, and the other way: between labels, a label and
/// IP, or IP in IP (protocols 4 and 41).
[[nodiscard]] EditResult copy_ttl_out(Frame& frame) noexcept;
[[nodiscard]] EditResult copy_ttl_in(Frame& frame) noexcept;

}  // namespace raicho::pipeline
