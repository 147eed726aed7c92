// SPDX-License-Identifier: Apache-2.0
// What the pipeline asks of the owner of packets and ports: the io folder implements it on mbufs
// and devices, tests fake it on plain memory. All calls are noexcept and made by one worker.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "dataplane/pipeline/packet.h"
#include "shm/packet_record.h"

namespace raicho::pipeline {

enum class Link : std::uint8_t { down = 0, up = 1 };

/// What an output can do itself with a frame's unfinished work.
enum class Offload : std::uint8_t {
    none = 0,      // complete frames only (ethdev, null, pcap)
    checksum = 1,  // partial checksums of TCP and UDP
    large = 2,     // those, and frames with a Gso type (packet sockets, tap)
};

/// The state of a port as an output, read once a burst.
struct PortView {
    std::uint32_t mtu = 0;  // bytes behind the Ethernet header, VLAN tags not counted; 0 = no limit
    Link link = Link::down;
    Offload offload = Offload::none;
};

// clone(packet)       an independent copy: its first segment is writable without touching the
//                     original (the rest may be shared), offload fields copied, headroom at least
//                     that of the original or kHeadroom; nullptr when there is no memory
// alloc(size)         an empty one-segment packet (size 0) with headroom >= kHeadroom and
//                     tailroom >= size; nullptr when there is none
// free(packet)        gives the packet back
// send(slot, packet)  takes the packet; it is attached, up, small enough, its checksum and size
//                     fit offload. Counts tx, and tx_full when its queue is full. May buffer until
//                     the burst's end
// send(slot, packets) the same for several, in their order
// read(packet, offset, out)  copies bytes out of the chain, returns how many were there
// packet_in(head, packet)    puts head and the first head.data_size bytes, zeros where the packet
// is
//                            shorter, on the packet-in ring;
//                            false when the ring is full. Does not take the packet
// clock_ns()          CLOCK_MONOTONIC now, for meters: finer than the time of the run
// port(slot)          see PortView; any slot, also one without device (link down)
template <class T>
concept PacketIo = requires(T io, Packet* packet, const Packet& borrowed, PortSlot slot,
                            std::span<Packet* const> packets, const shm::PacketInHead& head,
                            std::span<std::byte> out, std::size_t offset) {
    { io.clone(borrowed) } noexcept -> std::same_as<Packet*>;
    { io.alloc(offset) } noexcept -> std::same_as<Packet*>;
    { io.free(packet) } noexcept;
    { io.send(slot, packet) } noexcept;
    { io.send(slot, packets) } noexcept;
    { io.read(borrowed, offset, out) } noexcept -> std::same_as<std::size_t>;
    { io.packet_in(head, borrowed) } noexcept -> std::same_as<bool>;
    { io.clock_ns() } noexcept -> std::same_as<std::uint64_t>;
    { io.port(slot) } noexcept -> std::convertible_to<PortView>;
};

}  // namespace raicho::pipeline
