// SPDX-License-Identifier: Apache-2.0
// Foreign device names as what follows `device` in our language: DPDK device strings, PCI
// addresses. Whether this version has such devices is asked of the language itself, so that an
// importer carries a kind as soon as the switch does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace raicho::dsl {

/// What follows `device`, and why it cannot be used (empty: it can).
struct DeviceText {
    std::string text;  // `tap t0`, `dpdk 0000:03:00.0`
    std::string fault{};
    [[nodiscard]] bool usable() const { return fault.empty(); }
};

/// `device KIND ARGUMENT`; the argument may be empty.
[[nodiscard]] DeviceText device_text(std::string_view kind, std::string_view argument);
/// A PCI address, or a device string of any DPDK version (`net_pcap0,iface=eth0`, `eth_tap0`).
[[nodiscard]] DeviceText dpdk_device_text(std::string_view device);
/// A virtual machine's socket; `server`: the switch makes it.
enum class VhostRole : bool { client, server };
[[nodiscard]] DeviceText vhost_device_text(std::string_view port, std::string_view socket,
                                           VhostRole role);

}  // namespace raicho::dsl
