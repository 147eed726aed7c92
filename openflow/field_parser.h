// SPDX-License-Identifier: Apache-2.0
// One field of a flow text: its names and its value. Neighbour: match_parser.h collects them.
#pragma once

#include <vector>

#include "openflow/match_parser.h"

namespace raicho::openflow {

/// Appends every name that field_named() knows.
void append_field_names(std::vector<std::string_view>& names);

/// `0x0800`, `ip`, `arp`, …
[[nodiscard]] Parsed<std::uint64_t> ethertype_value(std::string_view name, const Word& value);
/// `6`, `tcp`, …
[[nodiscard]] Parsed<std::uint64_t> ip_proto_value(std::string_view name, const Word& value);

/// A value, `value/mask` or `value/prefix` of a field; value bits outside the mask are cleared, as
/// ovs-ofctl does. Nothing when the mask is all zeros.
[[nodiscard]] Parsed<std::optional<MatchField>> match_value(std::string_view name, Field field,
                                                            const Word& value,
                                                            const PortByName& ports);

}  // namespace raicho::openflow
