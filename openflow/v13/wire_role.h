// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: roles (§7.3.9) and asynchronous configuration (§7.3.10).
// Neighbour: wire.h.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_role_request (§7.3.9) after the header
//  0  4  role   4  4  pad   8  8  generation_id
struct WireRole {
    Be32 role;
    Pad<4> pad;
    Be64 generation_id;
};
static_assert(kWireLayout<WireRole, 16>);

// ofp_async_config (§7.3.10) after the header; of each pair the first is for equal and master, the
// second for slave
//  0 2x4  packet_in_mask   8 2x4  port_status_mask   16 2x4  flow_removed_mask
struct WireAsync {
    std::array<Be32, 2> packet_in;
    std::array<Be32, 2> port_status;
    std::array<Be32, 2> flow_removed;
};
static_assert(kWireLayout<WireAsync, 24>);

}  // namespace raicho::openflow::v13
