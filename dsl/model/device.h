// SPDX-License-Identifier: Apache-2.0
// What a port can be made of: the table of device kinds and the words of a `device` statement.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dsl/model/value.h"

namespace raicho::dsl {

struct DeviceRow {
    std::string_view word;
    std::optional<DeviceKind> kind;  // empty: planned, not supported by this version
    std::string_view arguments;      // `<interface>`; brackets where it may be left out
    std::string_view help;
};
[[nodiscard]] std::span<const DeviceRow> device_rows();

/// `af-packet eth0`, `tap [NAME]`, `null`, `pcap iface eth0`, `pcap rx IN tx OUT`,
/// `ethdev "net_pcap0,iface=eth0"`, `dpdk 0000:03:00.0`. A tap or af-packet without a name gets
/// an empty one: the port's, which the caller knows.
[[nodiscard]] ValueResult<DeviceConfig> parse_device(std::span<const Value> values);

/// The words again: `af-packet eth0`.
[[nodiscard]] std::string to_string(const DeviceConfig& device);

/// What two ports must not share (`interface eth0`, `device 0000:03:00.0`), or empty.
[[nodiscard]] std::string resource(const PortConfig& port);

}  // namespace raicho::dsl
