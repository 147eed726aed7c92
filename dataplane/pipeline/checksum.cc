// SPDX-License-Identifier: Apache-2.0
#include "dataplane/pipeline/checksum.h"

#include <array>

namespace raicho::pipeline {
namespace {

/// Slicing by eight over the Castagnoli polynomial, reflected.
consteval std::array<std::array<std::uint32_t, 256>, 8> make_crc_tables() {
    std::array<std::array<std::uint32_t, 256>, 8> tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
        tables[0][i] = crc;
    }
    for (std::uint32_t i = 0; i < 256; ++i)
        for (std::size_t t = 1; t < 8; ++t)
            tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
    return tables;
}
constexpr auto kCrc = make_crc_tables();

}  // namespace

std::uint64_t add_words(std::uint64_t sum, std::span<const std::byte> bytes) noexcept {
    const std::byte* p = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, p += 8) {
        std::array<std::uint32_t, 2> v;
        std::memcpy(&v, p, 8);
        sum += std::uint64_t{v[0]} + v[1];
    }
    for (; left >= 2; left -= 2, p += 2) {
        std::uint16_t v;
        std::memcpy(&v, p, 2);
        sum += v;
    }
    if (left != 0) {
        std::uint16_t v = 0;
        std::memcpy(&v, p, 1);
        sum += v;
    }
    return sum;
}

std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes) noexcept {
    const std::byte* p = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, p += 8) {
        std::array<std::uint8_t, 8> b;
        std::memcpy(&b, p, 8);
        const auto low = static_cast<std::uint8_t>(crc ^ b[0]);
        crc = kCrc[7][low] ^ kCrc[6][(crc >> 8 & 255) ^ b[1]] ^ kCrc[5][(crc >> 16 & 255) ^ b[2]] ^
              kCrc[4][(crc >> 24) ^ b[3]] ^ kCrc[3][b[4]] ^ kCrc[2][b[5]] ^ kCrc[1][b[6]] ^
              kCrc[0][b[7]];
    }
    for (; left > 0; --left, ++p)
        crc = crc >> 8 ^ kCrc[0][(crc ^ std::to_integer<std::uint32_t>(*p)) & 255];
    return crc;
}

}  // namespace raicho::pipeline
