// SPDX-License-Identifier: Apache-2.0
// The unfinished work of a packet done in software, for outputs that cannot take it: partial
// checksums are completed, large frames cut into frames of gso_size payload (TCP over IPv4 and
// IPv6, UDP), whatever VLAN tags, labels, I-TAG and extension headers stand in front.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/pipeline/checksum.h"
#include "dataplane/pipeline/packet.h"
#include "dataplane/pipeline/packet_io.h"
#include "dataplane/pipeline/parse.h"

namespace raicho::pipeline {

/// The IP header that the offload fields speak of.
struct IpPlace {
    std::size_t at = 0;
    std::size_t end = 0;  // of the datagram, never beyond the frame
    Network network = Network::none;
    std::uint8_t routed = 0;
};
/// Looks through labels and I-TAGs; network none when there is no IP inside.
[[nodiscard]] IpPlace find_ip(const Packet& packet) noexcept;

/// How a large frame is cut.
struct SegmentPlan {
    IpPlace ip;
    std::size_t transport_at = 0;
    std::size_t header_size = 0;  // bytes repeated in each segment
    std::size_t payload = 0;
    std::size_t step = 0;  // payload of each but the last
    Transport transport = Transport::none;

    [[nodiscard]] std::size_t count() const noexcept {
        return payload == 0 ? 1 : (payload + step - 1) / step;
    }
};
/// Nothing when the frame's headers do not bear out its Gso type.
[[nodiscard]] std::optional<SegmentPlan> plan_segments(const Packet& large) noexcept;

/// Makes the copied headers and checksums right in segment `index`, which holds `size` bytes of
/// payload behind its headers at `frame`. `large` still has its original header bytes.
void finish_segment(std::byte* frame, const SegmentPlan& plan, std::size_t index,
                    std::size_t size) noexcept;

/// Frame size, without VLAN tags, of the biggest segment that the frame stands for.
[[nodiscard]] inline std::size_t segment_frame_size(const SegmentPlan& plan) noexcept {
    return plan.header_size + std::min(plan.payload, plan.step);
}

/// The same by the sender's offload fields alone, where the headers do not tell.
[[nodiscard]] inline std::size_t declared_frame_size(const Packet& large) noexcept {
    constexpr std::size_t kUdpHeader = 8, kTcpHeader = 20;
    const bool udp = large.gso == Gso::udp || large.gso == Gso::udp_l4;
    const std::size_t headers = large.csum_start + (udp ? kUdpHeader : kTcpHeader);
    return std::min<std::size_t>(large.size, headers + large.gso_size);
}

enum class Finish : std::uint8_t { done, failed };

/// Completes a partial checksum in place; failed when it lies outside the first segment.
template <PacketIo Io>
[[nodiscard]] Finish complete_checksum(Io& io, Packet& packet) noexcept {
    const std::size_t at = std::size_t{packet.csum_start} + packet.csum_offset;
    const bool crc = packet.csum_offset == 8;  // SCTP alone keeps its checksum there
    const std::size_t field_size = crc ? 4 : 2;
    if (at + field_size > packet.first_size || packet.csum_offset < 2) return Finish::failed;
    const IpPlace ip = find_ip(packet);
    const std::size_t end = ip.network == Network::none ? packet.size : ip.end;
    if (end < at + field_size) return Finish::failed;

    std::byte* field = packet.data + at;
    if (crc) std::fill_n(field, 4, std::byte{});
    std::uint64_t sum = 0;
    std::uint32_t state = 0xffffffff;
    const auto take = [&](std::span<const std::byte> bytes) {
        if (crc)
            state = crc32c(state, bytes);
        else
            sum = add_words(sum, bytes);
    };
    const std::size_t here = std::min<std::size_t>(end, packet.first_size) & ~std::size_t{1};
    std::size_t pos = packet.csum_start;
    if (end <= packet.first_size) {
        take({packet.data + pos, end - pos});
    } else {
        // An even part of the first segment, then even pieces out of the chain.
        const std::size_t even = (here - pos) & ~std::size_t{1};
        take({packet.data + pos, even});
        pos += even;
        std::array<std::byte, 2048> piece;
        while (pos < end) {
            const std::size_t n =
                io.read(packet, pos, std::span(piece).first(std::min(piece.size(), end - pos)));
            if (n == 0) return Finish::failed;
            take(std::span(piece).first(n));
            pos += n;
        }
    }
    if (crc) {
        state = ~state;
        for (std::size_t i = 0; i < 4; ++i) field[i] = static_cast<std::byte>(state >> (8 * i));
    } else {
        auto value = static_cast<std::uint16_t>(~fold(sum));
        if (value == 0) value = 0xffff;  // UDP's zero means "none", to the others it is the same
        std::memcpy(field, &value, 2);
    }
    packet.checksum = Checksum::complete;
    return Finish::done;
}

/// Cuts `large`, giving each segment to `emit(Packet*)` in order. Does not take `large`. When
/// memory ends the rest is not made and the result is failed.
template <PacketIo Io, class Emit>
[[nodiscard]] Finish segment(Io& io, const Packet& large, const SegmentPlan& plan,
                             Emit&& emit) noexcept {
    for (std::size_t i = 0; i < plan.count(); ++i) {
        const std::size_t from = i * plan.step;
        const std::size_t n = std::min(plan.step, plan.payload - from);
        const std::size_t size = plan.header_size + n;
        Packet* part = io.alloc(size);
        if (part == nullptr) return Finish::failed;
        if (size > 0xffff || !part->append(static_cast<std::uint16_t>(size)) ||
            io.read(large, plan.header_size + from, {part->data + plan.header_size, n}) != n) {
            io.free(part);
            return Finish::failed;
        }
        std::memcpy(part->data, large.data, plan.header_size);
        part->in_port = large.in_port;
        part->queue = large.queue;
        finish_segment(part->data, plan, i, n);
        emit(part);
    }
    return Finish::done;
}

}  // namespace raicho::pipeline
