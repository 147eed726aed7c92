// SPDX-License-Identifier: Apache-2.0
// DPDK's drivers are shared libraries. All of them at each start would cost a tenth of a second and
// more memory than the switch itself, so each is loaded when the first device needs it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace raicho::io {

/// The libraries to try in turn for a device string, most fitting first: for `net_virtio_user0,…`
/// librte_net_virtio_user.so, then librte_net_virtio.so. Empty for a bus address.
[[nodiscard]] std::vector<std::string> driver_candidates(std::string_view device);

/// `0000:03:00.0`, `pci:0000:03:00.0,…`: a device of a real bus, not one that DPDK makes.
[[nodiscard]] bool is_bus_address(std::string_view device);

/// Loads what the device string needs; all network drivers for a bus address. An error names the
/// library that is not there.
[[nodiscard]] Result<void> load_driver(std::string_view device);

/// Where Debian keeps DPDK's drivers.
[[nodiscard]] std::string_view driver_folder();

}  // namespace raicho::io
