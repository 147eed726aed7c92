// SPDX-License-Identifier: Apache-2.0
// What Open vSwitch's tools print, as values: bridges with their ports from `ovs-vsctl show`, port
// numbers and datapath ids from `ovs-ofctl show`, flow lines from `ovs-ofctl dump-flows`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/import/import.h"

namespace raicho::dsl {

struct OvsInterface {
    std::string name;
    ForeignPlace place;
    std::string type;
    std::map<std::string, std::string, std::less<>> options;
    std::string options_text;  // as printed
};

struct OvsPort {
    std::string name;
    ForeignPlace place;
    std::string tag;
    std::string trunks;
    ForeignPlace vlan_place;
    std::vector<OvsInterface> interfaces;
};

/// A line of text and where it stands.
struct OvsLine {
    ForeignPlace place;
    std::string text;
};

struct OvsBridge {
    std::string name;
    ForeignPlace place;
    std::string fail_mode;
    std::vector<OvsLine> controllers;
    std::vector<OvsPort> ports;
    // From ovs-ofctl show:
    std::optional<std::uint64_t> dpid;
    std::map<std::string, std::uint32_t, std::less<>> numbers;  // by port name
    std::vector<std::string> down;                              // ports that were set down
    // From ovs-ofctl dump-flows:
    std::vector<OvsLine> flows;
};

/// Bridges in order of appearance; what no tool prints is reported.
[[nodiscard]] std::vector<OvsBridge> read_ovs(std::span<const OvsText> files, ImportReport& report);

/// A name as the tools print it: bare, or in quotes with escapes.
[[nodiscard]] std::string ovs_unquoted(std::string_view text);

}  // namespace raicho::dsl
