// SPDX-License-Identifier: Apache-2.0
// Byte layouts of OpenFlow 1.3.5: match, instructions, actions (§7.2.3 to §7.2.5), flow-mod
// (§7.3.4.1) and flow-removed (§7.4.2). Neighbour: wire.h.
#pragma once

#include "openflow/v13/wire.h"

namespace raicho::openflow::v13 {

// ofp_match (§7.2.3.1); padded to 8 bytes, length without padding
//  0  2  type (1 = OFPMT_OXM)   2  2  length (these 4 bytes and the TLVs)   4  n  OXM TLVs
struct WireMatch {
    Be16 type;
    Be16 length;
};
static_assert(kWireLayout<WireMatch, 4>);
inline constexpr std::uint16_t kMatchOxm = 1;

// OXM TLV header (§7.2.3.2)
//  0  2  oxm_class   2  1  oxm_field << 1 | oxm_hasmask   3  1  oxm_length (value and mask)
struct OxmHeader {
    Be16 oxm_class;
    std::uint8_t field_hasmask;
    std::uint8_t length;
};
static_assert(kWireLayout<OxmHeader, 4>);
inline constexpr std::uint16_t kOxmBasic = 0x8000;         // OFPXMC_OPENFLOW_BASIC
inline constexpr std::uint16_t kOxmExperimenter = 0xffff;  // OFPXMC_EXPERIMENTER

/// ofp_instruction_type (§7.2.4).
enum class InstructionType : std::uint16_t {
    goto_table = 1,
    write_metadata = 2,
    write_actions = 3,
    apply_actions = 4,
    clear_actions = 5,
    meter = 6,
    experimenter = 0xffff,
};

/// One ofp_instruction_type and the size of its fixed part with header.
struct InstructionRow {
    InstructionType type;
    std::string_view name;
    std::uint16_t size;
    Tail tail;
};
inline constexpr std::array<InstructionRow, 6> kInstructionRows{{
    {InstructionType::goto_table, "OFPIT_GOTO_TABLE", 8, Tail::none},
    {InstructionType::write_metadata, "OFPIT_WRITE_METADATA", 24, Tail::none},
    {InstructionType::write_actions, "OFPIT_WRITE_ACTIONS", 8, Tail::allowed},
    {InstructionType::apply_actions, "OFPIT_APPLY_ACTIONS", 8, Tail::allowed},
    {InstructionType::clear_actions, "OFPIT_CLEAR_ACTIONS", 8, Tail::none},
    {InstructionType::meter, "OFPIT_METER", 8, Tail::none},
}};
static_assert([] {
    for (std::size_t i = 0; i < kInstructionRows.size(); ++i)
        if (static_cast<std::size_t>(kInstructionRows[i].type) != i + 1) return false;
    return true;
}());

// ofp_instruction header (§7.2.4)
//  0  2  type   2  2  length (multiple of 8)
struct InstructionHeader {
    Be16 type;
    Be16 length;
};
static_assert(kWireLayout<InstructionHeader, 4>);

// ofp_instruction_goto_table after its header:  0  1  table_id   1  3  pad
struct WireGotoTable {
    std::uint8_t table;
    Pad<3> pad;
};
static_assert(kWireLayout<WireGotoTable, 4>);

// ofp_instruction_write_metadata after its header:  0  4  pad   4  8  metadata   12  8  mask
struct WireWriteMetadata {
    Pad<4> pad;
    Be64 metadata;
    Be64 mask;
};
static_assert(kWireLayout<WireWriteMetadata, 20>);

/// ofp_action_type (§7.2.5).
enum class ActionType : std::uint16_t {
    output = 0,
    copy_ttl_out = 11,
    copy_ttl_in = 12,
    set_mpls_ttl = 15,
    dec_mpls_ttl = 16,
    push_vlan = 17,
    pop_vlan = 18,
    push_mpls = 19,
    pop_mpls = 20,
    set_queue = 21,
    group = 22,
    set_nw_ttl = 23,
    dec_nw_ttl = 24,
    set_field = 25,
    push_pbb = 26,
    pop_pbb = 27,
    experimenter = 0xffff,
};

// ofp_action_header (§7.2.5); actions of 8 bytes hold their argument in `arg`
//  0  2  type   2  2  length (multiple of 8)
//  4  4  argument: set_queue, group: 32 bits; push_*, pop_mpls: 16 bits, 2 pad; *_ttl: 8 bits, 3
//        pad; set_field: the OXM header; others: pad
struct ActionHeader {
    Be16 type;
    Be16 length;
};
static_assert(kWireLayout<ActionHeader, 4>);

// ofp_action_output after its header:  0  4  port   4  2  max_len   6  6  pad
struct WireOutput {
    Be32 port;
    Be16 max_len;
    Pad<6> pad;
};
static_assert(kWireLayout<WireOutput, 12>);

// argument of set_queue and group
struct WireWord {
    Be32 value;
};
// argument of push_vlan, push_mpls, push_pbb and pop_mpls:  0  2  ethertype   2  2  pad
struct WireEthertype {
    Be16 ethertype;
    Pad<2> pad;
};
// argument of set_mpls_ttl and set_nw_ttl:  0  1  ttl   1  3  pad
struct WireTtl {
    std::uint8_t ttl;
    Pad<3> pad;
};
static_assert(kWireLayout<WireWord, 4> && kWireLayout<WireEthertype, 4> && kWireLayout<WireTtl, 4>);

// ofp_flow_mod (§7.3.4.1) after the header
//  0  8  cookie   8  8  cookie_mask   16  1  table_id   17  1  command   18  2  idle_timeout
// 20  2  hard_timeout   22  2  priority   24  4  buffer_id   28  4  out_port   32  4  out_group
// 36  2  flags   38  2  pad   40  n  match   then instructions
struct WireFlowMod {
    Be64 cookie;
    Be64 cookie_mask;
    std::uint8_t table;
    std::uint8_t command;
    Be16 idle_timeout;
    Be16 hard_timeout;
    Be16 priority;
    Be32 buffer_id;
    Be32 out_port;
    Be32 out_group;
    Be16 flags;
    Pad<2> pad;
};
static_assert(kWireLayout<WireFlowMod, 40> && offsetof(WireFlowMod, buffer_id) == 24);

// ofp_flow_removed (§7.4.2) after the header
//  0  8  cookie   8  2  priority   10  1  reason   11  1  table_id   12  4  duration_sec
// 16  4  duration_nsec   20  2  idle_timeout   22  2  hard_timeout   24  8  packet_count
// 32  8  byte_count   40  n  match
struct WireFlowRemoved {
    Be64 cookie;
    Be16 priority;
    std::uint8_t reason;
    std::uint8_t table;
    Be32 duration_sec;
    Be32 duration_nsec;
    Be16 idle_timeout;
    Be16 hard_timeout;
    Be64 packet_count;
    Be64 byte_count;
};
static_assert(kWireLayout<WireFlowRemoved, 40> && offsetof(WireFlowRemoved, packet_count) == 24);

}  // namespace raicho::openflow::v13
