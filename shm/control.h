// SPDX-License-Identifier: Apache-2.0
// The control socket between agent and dataplane: `<rundir>/dataplane.sock`, SOCK_SEQPACKET, one
// fixed-size message each way per request. The dataplane listens, the agent connects; a restarted
// peer connects anew and nothing of the old connection counts. No flow-mod ever travels here.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace raicho::shm {

enum class ControlType : std::uint32_t {
    hello = 1,        // agent -> dataplane, with descriptors: [0] dataplane-to-agent eventfd
                      // (packet-in, port events), [1..] one wake-up eventfd a worker
    hello_reply = 2,  // layout hash and arena checked; status != 0: text says what differs
    open_port = 3,    // slot: open the device of WantedPort[slot] outside every bridge
    close_port = 4,   // slot: close it; the agent has cleared the row and waited a grace period
    reply = 5,        // status 0, or an errno and the text for the person
    port_event = 6,   // dataplane -> agent: PortStatus[slot].sequence changed; 0xffff = re-read all
    stop = 7,         // clean stop: close everything, remove taps, exit 0
};

//  off size field
//    0   4  type
//    4   4  request      echoed in the reply
//    8   8  layout_hash  hello only
//   16   4  slot
//   20   4  status
//   24   8  pid          hello and hello_reply
//   32   8  arena        hello only: ArenaView::identity() of the agent's arena
//   40 472  text         NUL-padded
struct ControlMessage {
    ControlType type;
    std::uint32_t request;
    std::uint64_t layout_hash;
    std::uint32_t slot;
    std::uint32_t status;
    std::uint64_t pid;
    std::uint64_t arena;
    std::array<char, 472> text;
};
static_assert(sizeof(ControlMessage) == 512);
static_assert(std::has_unique_object_representations_v<ControlMessage>);

}  // namespace raicho::shm
