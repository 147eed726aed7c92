// SPDX-License-Identifier: Apache-2.0
#include "base/addr.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

namespace raicho {

std::optional<Mac> parse_mac(std::string_view text) {
    Mac mac;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < mac.bytes.size(); ++i) {
        if (i > 0) {
            if (at == end || *at != ':') return std::nullopt;
            ++at;
        }
        const char* const limit = std::min(end, at + 2);
        const auto [next, error] = std::from_chars(at, limit, mac.bytes[i], 16);
        if (error != std::errc{}) return std::nullopt;
        at = next;
    }
    if (at != end) return std::nullopt;
    return mac;
}

std::optional<Ipv4> parse_ipv4(std::string_view text) {
    Ipv4 address;
    if (::inet_pton(AF_INET, std::string(text).c_str(), address.bytes.data()) != 1)
        return std::nullopt;
    return address;
}

std::optional<Ipv6> parse_ipv6(std::string_view text) {
    Ipv6 address;
    if (::inet_pton(AF_INET6, std::string(text).c_str(), address.bytes.data()) != 1)
        return std::nullopt;
    return address;
}

std::string to_string(const Mac& mac) {
    const auto& b = mac.bytes;
    return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", b[0], b[1], b[2], b[3], b[4],
                       b[5]);
}

std::string to_string(const Ipv4& address) {
    const auto& b = address.bytes;
    return fmt::format("{}.{}.{}.{}", b[0], b[1], b[2], b[3]);
}

std::string to_string(const Ipv6& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, address.bytes.data(), text.data(), text.size());
    return text.data();
}

}  // namespace raicho
