// SPDX-License-Identifier: Apache-2.0
#include "agent/compiler/match_key.h"

#include <bit>
#include <span>

namespace raicho::agent {
namespace {

/// A place of the key that holds an address or other maskable number, and how its masks are
/// reduced: prefix lengths in steps of so many bits.
struct Grid {
    std::uint8_t offset;
    std::uint8_t size;
    std::uint8_t coarse_step;
    std::uint8_t fine_step;
};
/// Everything else is matched exactly or not at all, but for the odd bits of a VLAN.
constexpr std::array kGrids{
    Grid{8, 4, 8, 4},     // ipv4_src, arp_spa
    Grid{12, 4, 8, 4},    // ipv4_dst, arp_tpa
    Grid{16, 6, 24, 8},   // eth_dst
    Grid{24, 6, 24, 8},   // eth_src
    Grid{40, 8, 8, 4},    // metadata
    Grid{48, 8, 8, 4},    // tunnel_id
    Grid{57, 3, 24, 8},   // pbb_isid, or the low part of mpls_label
    Grid{64, 16, 16, 8},  // ipv6_src, arp_sha and arp_tha
    Grid{80, 16, 16, 8},  // ipv6_dst
    Grid{112, 4, 32, 8},  // ipv6_flabel
};

unsigned leading_ones(std::span<const std::byte> bytes) {
    unsigned ones = 0;
    for (const std::byte b : bytes) {
        const auto n = static_cast<unsigned>(std::countl_one(std::to_integer<std::uint8_t>(b)));
        ones += n;
        if (n != 8) break;
    }
    return ones;
}

/// Keeps the first `length` bits.
void cut(std::span<std::byte> bytes, unsigned length) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const unsigned before = static_cast<unsigned>(i) * 8;
        const unsigned keep = length <= before ? 0 : std::min(8u, length - before);
        bytes[i] &= static_cast<std::byte>(0xff00u >> keep & 0xff);
    }
}

bool whole(std::span<const std::byte> bytes, Field field) {
    const FieldValue all = openflow::exact_mask(field);
    return std::equal(bytes.begin(), bytes.end(), all.bytes.begin());
}

void reduce(std::span<std::byte> bytes, unsigned step) {
    cut(bytes, leading_ones(bytes) / step * step);
}

shm::Key reduced(const shm::Key& mask, std::uint8_t Grid::* step) {
    shm::Key key = mask;
    const std::span<std::byte> bytes(key.bytes(), sizeof key);
    const auto part = [&](Field field) {
        const shm::KeyPlace at = shm::place(field);
        return bytes.subspan(at.offset, at.size);
    };
    for (const Grid& grid : kGrids) {
        const auto field = bytes.subspan(grid.offset, grid.size);
        // labels have leading zero bits that no prefix has
        if (grid.offset == shm::place(Field::ipv6_flabel).offset &&
            whole(field, Field::ipv6_flabel))
            continue;
        if (grid.offset == shm::place(Field::pbb_isid).offset &&
            whole(part(Field::mpls_label), Field::mpls_label))
            continue;
        // two hardware addresses in the place of one IPv6 address
        if (grid.offset == shm::place(Field::arp_sha).offset && leading_ones(field) <= 48 &&
            leading_ones(part(Field::arp_tha)) != 0) {
            reduce(part(Field::arp_sha), 24);
            reduce(part(Field::arp_tha), 24);
            continue;
        }
        reduce(field, grid.*step);
    }
    if (const auto vid = part(Field::vlan_vid); !whole(vid, Field::vlan_vid)) {
        vid[0] &= static_cast<std::byte>(kVlanPresent >> 8);
        vid[1] = std::byte{0};
    }
    if (const auto header = part(Field::ipv6_exthdr); !whole(header, Field::ipv6_exthdr))
        header[0] = header[1] = std::byte{0};
    return key;
}

}  // namespace

MaskedKey masked_key(const openflow::Match& match) {
    MaskedKey result;
    for (const openflow::MatchField& field : match.fields()) {
        const shm::KeyPlace at = shm::place(field.field);
        std::byte asked{};
        for (std::size_t i = 0; i < at.size; ++i) {
            asked = asked | field.mask.bytes[i];
            result.mask.bytes()[at.offset + i] |= field.mask.bytes[i];
            result.key.bytes()[at.offset + i] |= field.value.bytes[i] & field.mask.bytes[i];
        }
        if (asked == std::byte{}) continue;  // an all-zero mask asks for nothing
        result.mask.add_presence(shm::presence_of(field.field));
        result.key.add_presence(shm::presence_of(field.field));
    }
    return result;
}

std::array<shm::Key, kTupleLevels> tuple_masks(const shm::Key& mask) {
    return {reduced(mask, &Grid::coarse_step), reduced(mask, &Grid::fine_step), mask};
}

}  // namespace raicho::agent
