// SPDX-License-Identifier: Apache-2.0
// The parser's short way. Inline: a burst's packets are parsed one after the other, and the stores
// of one hide behind the loads of the next.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/be.h"
#include "dataplane/pipeline/layers.h"
#include "dataplane/pipeline/packet.h"
#include "shm/key.h"

namespace raicho::pipeline {

namespace detail {
consteval std::size_t at(Field field) {
    return shm::place(field).offset;
}
template <class T>
[[nodiscard]] inline T load(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
}  // namespace detail

/// The commonest frames word by word: TCP or UDP in IPv4 without options, untagged, no fragment,
/// all of it there. False, with nothing written, when the frame is another or one cannot be sure:
/// then it is parse_any()'s, which says the same of these.
[[nodiscard]] inline bool parse_plain(const Packet& packet, shm::Key& key,
                                      Layers& layers) noexcept {
    using Word = std::uint64_t;
    constexpr std::size_t kIp = 14, kL4 = 34, kUdpHeader = 8, kTcpHeader = 20;
    constexpr Word kAddress = 0xffff'ffff'ffff;
    using detail::at, detail::load;
    // Words are put together as memory has them: the first byte lowest.
    static_assert(std::endian::native == std::endian::little);
    static_assert(at(Field::eth_type) == 0 && at(Field::ip_proto) == 2 && at(Field::tcp_src) == 4);
    static_assert(at(Field::ipv4_src) == 8 && at(Field::ipv4_dst) == 12);
    static_assert(at(Field::eth_dst) == 16 && at(Field::vlan_vid) == 22);
    static_assert(at(Field::eth_src) == 24 && at(Field::ip_dscp) == 30 && at(Field::ip_ecn) == 31);
    if (packet.first_size < kL4 + kUdpHeader) return false;
    const std::byte* frame = packet.data;
    // The type, version 4 and a header of five words.
    if ((load<std::uint32_t>(frame + 12) & 0xffffff) != 0x450008) return false;
    const unsigned proto = load_be<std::uint8_t>(frame + kIp + 9);
    const std::size_t header = proto == 6 ? kTcpHeader : kUdpHeader;
    if ((proto != 6 && proto != 17) || packet.first_size < kL4 + header) return false;
    if (load_be<std::uint16_t>(frame + kIp + 2) < kL4 - kIp + header ||
        (load_be<std::uint16_t>(frame + kIp + 6) & 0x3fff) != 0)
        return false;
    const unsigned tos = load_be<std::uint8_t>(frame + kIp + 1);
    constexpr Word kPresence = shm::presence::kNetwork | shm::presence::kTransport;
    key.words[0] = Word{0x0008} | Word{proto} << 16 | kPresence << (8 * shm::presence::kOffset) |
                   Word{load<std::uint32_t>(frame + kL4)} << 32;
    key.words[1] = load<Word>(frame + kIp + 12);
    key.words[2] = load<Word>(frame) & kAddress;
    key.words[3] = (load<Word>(frame + 6) & kAddress) | Word{tos >> 2} << 48 | Word{tos & 3} << 56;
    std::memset(key.bytes() + 56, 0, sizeof(shm::Key) - 56);
    layers = {.type_at = 12,
              .network_at = kIp,
              .transport_at = kL4,
              .proto_at = kIp + 9,
              .network = Network::ipv4,
              .transport = proto == 6 ? Transport::tcp : Transport::udp};
    return true;
}

}  // namespace raicho::pipeline
