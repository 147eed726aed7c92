// SPDX-License-Identifier: Apache-2.0
#include "dataplane/io/interface_guard.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/text.h"

namespace raicho::io {
namespace {

constexpr std::uint16_t kSshPort = 22;
constexpr std::string_view kEstablished = "01";  // TCP_ESTABLISHED in /proc/net/tcp

template <class T>
std::optional<T> hex_number(std::string_view digits) {
    T value{};
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> out;
    for (const std::string_view word : split(line, ' '))
        if (!word.empty()) out.push_back(word);
    return out;
}

/// `0100007F` or 32 digits: words of four bytes in the machine's (little-endian) order.
std::optional<IpAddress> proc_address(std::string_view digits) {
    if (digits.size() != 8 && digits.size() != 32) return std::nullopt;
    IpAddress address;
    for (std::size_t at = 0; at < digits.size(); at += 8) {
        const auto word = hex_number<std::uint32_t>(digits.substr(at, 8));
        if (!word) return std::nullopt;
        for (int shift = 0; shift < 32; shift += 8)
            address.bytes.push_back(static_cast<std::uint8_t>(*word >> shift));
    }
    constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (address.bytes.size() == 16 &&
        std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin()))
        address.bytes.erase(address.bytes.begin(), address.bytes.begin() + kMapped.size());
    return address;
}

std::string file_text(const char* path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::vector<IpAddress> session_addresses(std::string_view proc_net_tcp, std::uint16_t ssh_port) {
    std::vector<IpAddress> out;
    for (const std::string_view line : split(proc_net_tcp, '\n')) {
        const auto words = words_of(line);  // sl local_address rem_address st …
        if (words.size() < 4 || words[3] != kEstablished) continue;
        const std::size_t colon = words[1].find(':');
        if (colon == std::string_view::npos) continue;
        if (hex_number<std::uint16_t>(words[1].substr(colon + 1)) != ssh_port) continue;
        if (auto address = proc_address(words[1].substr(0, colon)))
            out.push_back(std::move(*address));
    }
    return out;
}

std::optional<IpAddress> ssh_server_address(std::string_view ssh_connection) {
    const auto words = words_of(ssh_connection);
    if (words.size() != 4) return std::nullopt;
    const std::string_view host = words[2].substr(0, words[2].find('%'));
    auto parsed = parse_interface_address(host);
    if (!parsed) return std::nullopt;
    return std::move(parsed->address);
}

namespace {

/// What the link carries itself, or nothing.
std::optional<std::string> burden(const Link& link, const Surroundings& around) {
    for (const InterfaceAddress& own : around.addresses)
        if (own.ifindex == link.ifindex &&
            std::ranges::find(around.sessions, own.address) != around.sessions.end())
            return "a login session (SSH)";
    for (const DefaultRoute& route : around.routes)
        if (std::ranges::find(route.ifindexes, link.ifindex) != route.ifindexes.end())
            return "the default route";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> reason_to_refuse(const Link& link, const Surroundings& around) {
    if (const auto own = burden(link, around)) return format("it carries {}", *own);
    std::vector<const Link*> reached{&link};  // it and what lies above, nearest first
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const Link& below = *reached[i];
        for (const Link& above : around.links) {
            if (above.ifindex != below.master && above.lower != below.ifindex) continue;
            if (std::ranges::find(reached, above.ifindex, &Link::ifindex) != reached.end())
                continue;
            if (const auto carried = burden(above, around))
                return format("it is below {}, which carries {}", above.name, *carried);
            reached.push_back(&above);
        }
    }
    return std::nullopt;
}

Result<Surroundings> look_around(Netlink& netlink) {
    Surroundings around;
    TRY_ASSIGN(around.links, netlink.links());
    TRY_ASSIGN(around.routes, netlink.default_routes());
    TRY_ASSIGN(around.addresses, netlink.addresses());
    std::uint16_t ssh_port = kSshPort;
    if (const char* connection = std::getenv("SSH_CONNECTION")) {
        if (auto server = ssh_server_address(connection))
            around.sessions.push_back(std::move(*server));
        const auto words = words_of(connection);
        if (const auto port = words.empty() ? std::nullopt : parse_number(words.back());
            port && *port <= 0xffff)
            ssh_port = static_cast<std::uint16_t>(*port);
    }
    for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"})
        for (IpAddress& address : session_addresses(file_text(path), ssh_port))
            around.sessions.push_back(std::move(address));
    // loopback sessions are nobody's way in
    std::erase_if(around.sessions,
                  [](const IpAddress& a) { return a.bytes.size() == 4 && a.bytes[0] == 127; });
    return around;
}

Result<void> check_interface(const Link& link, const Surroundings& around) {
    if (const auto reason = reason_to_refuse(link, around))
        return fail(format("interface {}: not taken: {}", link.name, *reason),
                    "add `force` to the port if you mean it; you may lose your connection");
    return {};
}

}  // namespace raicho::io
