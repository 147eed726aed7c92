// SPDX-License-Identifier: Apache-2.0
// Raw packet sockets on one host interface, with the options a switch needs: whole frames with
// their vnet header, the stripped VLAN tag in the auxiliary data, nothing of what we sent.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/handle.h"

namespace raicho::io {

/// The part of packet(7)'s tpacket_auxdata that says how to mend the frame.
struct VlanTag {
    std::uint16_t tpid;
    std::uint16_t tci;
    friend bool operator==(const VlanTag&, const VlanTag&) = default;
};

/// The tag that Linux took out of the frame, or nothing; `message` as recvmsg filled it.
[[nodiscard]] std::optional<VlanTag> stripped_tag(const msghdr& message) noexcept;

/// A group of sockets among which the kernel spreads the packets of an interface by flow.
struct Fanout {
    std::uint16_t id = 0;  // 0 = the kernel chooses one for the group's first socket
};

/// Promiscuous, receives every frame that comes in; not blocking.
[[nodiscard]] Result<Fd> open_packet_rx(std::uint32_t ifindex, std::uint32_t buffer);
/// Joins the group, starts it when its id is 0; returns the id.
[[nodiscard]] Result<Fanout> join_fanout(const Fd& socket, Fanout group);
/// Sends only.
[[nodiscard]] Result<Fd> open_packet_tx(std::uint32_t ifindex);

/// Frames the kernel dropped since the last call because the receive buffer was full.
[[nodiscard]] std::uint64_t packet_drops(const Fd& socket) noexcept;

}  // namespace raicho::io
