// SPDX-License-Identifier: Apache-2.0
// The words of group and meter texts: what group_text.cc prints and mod_parser.cc reads.
#pragma once

#include <array>
#include <string_view>

#include "openflow/group.h"
#include "openflow/meter.h"

namespace raicho::openflow {

/// By GroupType, as ovs-ofctl names them.
inline constexpr std::array<std::string_view, kGroupTypes> kGroupTypeNames{"all", "select",
                                                                           "indirect", "ff"};

struct MeterName {
    MeterId meter;
    std::string_view name;
};
inline constexpr std::array<MeterName, 3> kMeterNames{{
    {meter::kSlowpath, "slowpath"},
    {meter::kController, "controller"},
    {meter::kAll, "all"},
}};

struct MeterFlagName {
    std::uint16_t bit;
    std::string_view name;
};
inline constexpr std::array<MeterFlagName, 4> kMeterFlagNames{{
    {meter_flag::kKbps, "kbps"},
    {meter_flag::kPktps, "pktps"},
    {meter_flag::kBurst, "burst"},
    {meter_flag::kStats, "stats"},
}};

}  // namespace raicho::openflow
