// SPDX-License-Identifier: Apache-2.0
// What of controllers and listeners can be seen: plain values for `show controller`, the API and
// the log. Part of agent/view/switch_view.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace raicho::agent {

/// A controller or one connection that came in through a listener.
struct ControllerView {
    std::string bridge;
    std::string target;  // as configured: `tcp:127.0.0.1:6653`; of a passive one the peer
    bool passive = false;
    bool connected = false;  // HELLO done, session up
    std::uint8_t version = 0;
    std::string peer;            // `tcp:127.0.0.1:6653`, empty while not connected
    std::string state;           // `connected (1.3) for 3m12s`, `refused, next try in 4s`
    std::string last_error;      // last refused request, peer's error or failure; empty = none
    std::uint64_t since_ns = 0;  // age of the state
    std::uint64_t messages_in = 0;
    std::uint64_t messages_out = 0;
    std::uint64_t packet_ins_dropped = 0;  // because its output queue was full
    std::uint64_t attempts = 0;
};

struct ListenView {
    std::string bridge;
    std::string target;  // `tcp:127.0.0.1:6654`
    std::string state;   // `listening, 1 connection`, or the error's text
    std::size_t connections = 0;
};

}  // namespace raicho::agent
