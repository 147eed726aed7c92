// SPDX-License-Identifier: Apache-2.0
// The hash of masked keys: multiply and fold, keyed by random words of the arena, because traffic
// steers what a learning controller installs (and a CRC's collisions do not depend on its seed).
#pragma once

#include <array>
#include <cstdint>

#include "shm/flow.h"

namespace raicho::shm {

/// High and low half of the product, folded.
[[nodiscard]] inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

using HashKey = std::array<std::uint64_t, 4>;

/// Hash of `key` under `mask`; `seed` keeps the tuples of a table apart (the mask's index).
[[nodiscard]] inline std::uint64_t masked_hash(const HashKey& secret, const MaskRecord& mask,
                                               std::uint32_t seed, const Key& key) noexcept {
    std::uint64_t hash = secret[0] ^ seed;
    const std::size_t n = mask.n_words <= kKeyWords ? mask.n_words : kKeyWords;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t word = key.words[mask.index[i] & (kKeyWords - 1)] & mask.words[i];
        hash = fold_multiply(hash ^ word, secret[1 + (i & 1)]);
    }
    return fold_multiply(hash ^ secret[3], secret[1]);
}

/// Where the hash goes: a bucket of the table's array and a tag that is never 0.
[[nodiscard]] constexpr std::uint32_t bucket_of(std::uint64_t hash, std::uint32_t n_buckets) {
    return static_cast<std::uint32_t>(hash) & (n_buckets - 1);
}
[[nodiscard]] constexpr std::uint16_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint16_t>(hash >> 48);
    return tag == 0 ? std::uint16_t{1} : tag;
}

}  // namespace raicho::shm
