// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: table-mod (§7.3.3) and table features (§7.3.5.5). Neighbour:
// wire.h; wire_flow.h has the OXM header of a field id.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_table_mod (§7.3.3) after the header
//  0  1  table_id   1  3  pad   4  4  config
struct WireTableMod {
    std::uint8_t table;
    Pad<3> pad;
    Be32 config;
};
static_assert(kWireLayout<WireTableMod, 8>);

// ofp_table_features (§7.3.5.5)
//  0  2  length (of the entry)   2  1  table_id   3  5  pad   8 32  name   40  8  metadata_match
// 48  8  metadata_write   56  4  config   60  4  max_entries   64  n  properties
struct WireTableFeatures {
    Be16 length;
    std::uint8_t table;
    Pad<5> pad;
    std::array<char, 32> name;
    Be64 metadata_match;
    Be64 metadata_write;
    Be32 config;
    Be32 max_entries;
};
static_assert(kWireLayout<WireTableFeatures, 64>);

// ofp_table_feature_prop_header, and the header of an instruction or action id in a property
//  0  2  type   2  2  length (without the property's padding)
struct WireTypeLength {
    Be16 type;
    Be16 length;
};
static_assert(kWireLayout<WireTypeLength, 4>);

}  // namespace raicho::openflow::v13
