// SPDX-License-Identifier: Apache-2.0
// Where the headers of a slow model's frame lie: a list of what was found, in order.
#pragma once

#include <cstddef>
#include <optional>

#include "tests/pipeline/slow_frame.h"

namespace raicho::test {

/// Offsets are there when the whole header is.
struct SlowHeaders {
    std::size_t n_tags = 0;  // two at most are looked behind
    std::size_t type_at = 0;
    unsigned type = 0;  // 0x05ff: 802.3 without SNAP
    std::size_t network_at = 0;
    bool arp = false, mpls = false, pbb = false, ipv4 = false, ipv6 = false;
    std::size_t proto_at = 0;
    unsigned proto = 0;
    unsigned extensions = 0;  // OFPIEH_*
    bool routed = false;      // the destination is not in the pseudo header
    SlowFrame::Fragment fragment = SlowFrame::Fragment::none;
    std::optional<std::size_t> upper_at;  // what follows IP, when this is not a later fragment
    std::optional<L4> transport;          // of upper_at, when its header is whole; nd is icmpv6
    std::size_t end = 0;                  // of the datagram, or of the frame
    bool nd = false;                      // a target is there
    std::optional<std::size_t> nd_option_at;

    [[nodiscard]] bool ip() const { return ipv4 || ipv6; }
};

/// Of a frame of 14 bytes at least.
[[nodiscard]] SlowHeaders read_headers(const FrameBytes& bytes);

/// Big-endian unsigned number of `n` bytes; the caller knows that they are there.
[[nodiscard]] inline std::uint64_t number_at(const FrameBytes& bytes, std::size_t at,
                                             std::size_t n) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < n; ++i)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes.at(at + i));
    return value;
}

}  // namespace raicho::test
