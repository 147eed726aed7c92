// SPDX-License-Identifier: Apache-2.0
// The reserved ports of OF 1.3.5 §7.2.1 by name, for printing and parsing.
#pragma once

#include <array>
#include <string_view>

#include "base/ids.h"

namespace raicho::openflow {

struct PortName {
    PortNo port;
    std::string_view name;
};

inline constexpr std::array<PortName, 8> kPortNames{{
    {port::kInPort, "IN_PORT"},
    {port::kTable, "TABLE"},
    {port::kNormal, "NORMAL"},
    {port::kFlood, "FLOOD"},
    {port::kAll, "ALL"},
    {port::kController, "CONTROLLER"},
    {port::kLocal, "LOCAL"},
    {port::kAny, "ANY"},
}};

}  // namespace raicho::openflow
