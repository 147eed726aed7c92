// SPDX-License-Identifier: Apache-2.0
// What a bridge does for want of controllers (OF 1.3.5 §6.3.2): a pure function of what is
// configured and who is connected. The dataplane's bridge mode follows it one to one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raicho::agent {

enum class FailMode : std::uint8_t { secure, standalone };

/// What happens to packets.
enum class Forwarding : std::uint8_t {
    flows_drop,    // flows act; a miss in a table without table-miss entry drops (§5.4)
    flows_normal,  // flows act; such a miss goes to NORMAL
    normal,        // every packet goes to NORMAL, the flows wait
};

/// `configured` counts the controllers that the bridge has by name (active ones), `connected` all
/// that are connected, by name or through a listener. No controller named: the switch is the
/// operator's and a miss is switched as any Ethernet switch would. Controllers named: secure keeps
/// to the flows; standalone hands every packet to NORMAL while all are lost.
[[nodiscard]] constexpr Forwarding forwarding(FailMode mode, std::size_t configured,
                                              std::size_t connected) {
    if (configured == 0) return Forwarding::flows_normal;
    if (mode == FailMode::standalone && connected == 0) return Forwarding::normal;
    return Forwarding::flows_drop;
}

}  // namespace raicho::agent
