// SPDX-License-Identifier: Apache-2.0
// Addresses as values in network byte order, with their usual text forms.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace raicho {

/// Ethernet address.
struct Mac {
    std::array<std::uint8_t, 6> bytes{};
    friend auto operator<=>(const Mac&, const Mac&) = default;
    [[nodiscard]] constexpr bool multicast() const { return (bytes[0] & 1) != 0; }
};

/// IPv4 address.
struct Ipv4 {
    std::array<std::uint8_t, 4> bytes{};
    friend auto operator<=>(const Ipv4&, const Ipv4&) = default;
};

/// IPv6 address.
struct Ipv6 {
    std::array<std::uint8_t, 16> bytes{};
    friend auto operator<=>(const Ipv6&, const Ipv6&) = default;
};

/// `aa:bb:cc:dd:ee:ff`, each group one or two hex digits; nothing else.
[[nodiscard]] std::optional<Mac> parse_mac(std::string_view text);
[[nodiscard]] std::optional<Ipv4> parse_ipv4(std::string_view text);
[[nodiscard]] std::optional<Ipv6> parse_ipv6(std::string_view text);

[[nodiscard]] std::string to_string(const Mac& mac);
[[nodiscard]] std::string to_string(const Ipv4& address);
/// RFC 5952 form.
[[nodiscard]] std::string to_string(const Ipv6& address);

}  // namespace raicho
