// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: ports (§7.2.1), port-mod (§7.3.4.3), port-status (§7.4.3).
// Neighbour: wire.h.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_port (§7.2.1)
//  0  4  port_no   4  4  pad   8  6  hw_addr   14  2  pad   16 16  name (NUL-terminated)
// 32  4  config   36  4  state   40  4  curr   44  4  advertised   48  4  supported   52  4  peer
// 56  4  curr_speed   60  4  max_speed
struct WirePort {
    Be32 port;
    Pad<4> pad;
    std::array<std::uint8_t, 6> hw_addr;
    Pad<2> pad2;
    std::array<char, 16> name;
    Be32 config;
    Be32 state;
    Be32 curr;
    Be32 advertised;
    Be32 supported;
    Be32 peer;
    Be32 curr_speed;
    Be32 max_speed;
};
static_assert(kWireLayout<WirePort, 64> && offsetof(WirePort, name) == 16 &&
              offsetof(WirePort, config) == 32);

// ofp_port_mod (§7.3.4.3) after the header
//  0  4  port_no   4  4  pad   8  6  hw_addr   14  2  pad   16  4  config   20  4  mask
// 24  4  advertise   28  4  pad
struct WirePortMod {
    Be32 port;
    Pad<4> pad;
    std::array<std::uint8_t, 6> hw_addr;
    Pad<2> pad2;
    Be32 config;
    Be32 mask;
    Be32 advertise;
    Pad<4> pad3;
};
static_assert(kWireLayout<WirePortMod, 32> && offsetof(WirePortMod, config) == 16);

// ofp_port_status (§7.4.3) after the header
//  0  1  reason   1  7  pad   8 64  ofp_port
struct WirePortStatus {
    std::uint8_t reason;
    Pad<7> pad;
    WirePort desc;
};
static_assert(kWireLayout<WirePortStatus, 72>);

}  // namespace raicho::openflow::v13
