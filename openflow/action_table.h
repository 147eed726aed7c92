// SPDX-License-Identifier: Apache-2.0
// The sixteen actions of OF 1.3.5 §7.2.5 as one table, in the order of the Action variant; text
// form and the wire's numbers (v13/action.cc) are indexed like it.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "openflow/action.h"

namespace raicho::openflow {

/// What follows an action's name in the text form.
enum class ActionArgument : std::uint8_t { none, port, number, ethertype, set_field };

struct ActionRow {
    std::string_view name;
    std::string_view spec_name;
    ActionArgument argument;
};

inline constexpr std::size_t kActions = std::variant_size_v<Action>;
inline constexpr std::array<ActionRow, kActions> kActionRows{{
    {"output", "OFPAT_OUTPUT", ActionArgument::port},
    {"copy_ttl_out", "OFPAT_COPY_TTL_OUT", ActionArgument::none},
    {"copy_ttl_in", "OFPAT_COPY_TTL_IN", ActionArgument::none},
    {"set_mpls_ttl", "OFPAT_SET_MPLS_TTL", ActionArgument::number},
    {"dec_mpls_ttl", "OFPAT_DEC_MPLS_TTL", ActionArgument::none},
    {"push_vlan", "OFPAT_PUSH_VLAN", ActionArgument::ethertype},
    {"pop_vlan", "OFPAT_POP_VLAN", ActionArgument::none},
    {"push_mpls", "OFPAT_PUSH_MPLS", ActionArgument::ethertype},
    {"pop_mpls", "OFPAT_POP_MPLS", ActionArgument::ethertype},
    {"set_queue", "OFPAT_SET_QUEUE", ActionArgument::number},
    {"group", "OFPAT_GROUP", ActionArgument::number},
    {"set_nw_ttl", "OFPAT_SET_NW_TTL", ActionArgument::number},
    {"dec_nw_ttl", "OFPAT_DEC_NW_TTL", ActionArgument::none},
    {"set_field", "OFPAT_SET_FIELD", ActionArgument::set_field},
    {"push_pbb", "OFPAT_PUSH_PBB", ActionArgument::ethertype},
    {"pop_pbb", "OFPAT_POP_PBB", ActionArgument::none},
}};

}  // namespace raicho::openflow
