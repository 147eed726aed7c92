// SPDX-License-Identifier: Apache-2.0
// Where a controller is or a listener waits. Names are resolved when connecting, not here; the
// text form is parsed by dsl.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace raicho::agent {

/// IANA's OpenFlow port; the one that controllers used before it (hinted at, never used).
inline constexpr std::uint16_t kOpenFlowPort = 6653;
inline constexpr std::uint16_t kOldOpenFlowPort = 6633;

struct Endpoint {
    std::string host;  // address without brackets, or a name
    std::uint16_t port = kOpenFlowPort;
    friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

/// `tcp:127.0.0.1:6653`, `tcp:[::1]:6653`.
[[nodiscard]] std::string to_text(const Endpoint& endpoint);

}  // namespace raicho::agent
