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

namespace detail {
[[nodiscard]] inline std::uint64_t hash_begin(const HashKey& secret, std::uint32_t seed) noexcept {
    return secret[0] ^ seed;
}
[[nodiscard]] inline std::uint64_t hash_word(const HashKey& secret, std::uint64_t hash,
                                             std::uint64_t word, std::size_t i) noexcept {
    return fold_multiply(hash ^ word, secret[1 + (i & 1)]);
}
[[nodiscard]] inline std::uint64_t hash_end(const HashKey& secret, std::uint64_t hash) noexcept {
    return fold_multiply(hash ^ secret[3], secret[1]);
}
}  // namespace detail

/// Hash of `key` under `mask`; `seed` keeps the tuples of a table apart (the mask's index).
[[nodiscard]] inline std::uint64_t masked_hash(const HashKey& secret, const MaskRecord& mask,
                                               std::uint32_t seed, const Key& key) noexcept {
    std::uint64_t hash = detail::hash_begin(secret, seed);
    const std::size_t n = mask.n_words <= kKeyWords ? mask.n_words : kKeyWords;
    for (std::size_t i = 0; i < n; ++i)
        hash = detail::hash_word(secret, hash,
                                 key.words[mask.index[i] & (kKeyWords - 1)] & mask.words[i], i);
    return detail::hash_end(secret, hash);
}

/// The same of the masked words themselves.
template <std::size_t N>
[[nodiscard]] inline std::uint64_t words_hash(const HashKey& secret, std::uint32_t seed,
                                              const std::array<std::uint64_t, N>& words) noexcept {
    std::uint64_t hash = detail::hash_begin(secret, seed);
    for (std::size_t i = 0; i < N; ++i) hash = detail::hash_word(secret, hash, words[i], i);
    return detail::hash_end(secret, hash);
}

/// Hash of a packet for choosing a bucket of select group `group`: over every header field of the
/// key, not over the pipeline's (in_port, metadata, tunnel_id) nor ECN, which changes within a
/// connection. `ports` no: the packet is a fragment, and the others of its datagram have no ports.
/// Groups in a row choose independently.
enum class HashPorts : bool { no, yes };
[[nodiscard]] inline std::uint64_t select_hash(const HashKey& secret, const Key& key,
                                               std::uint32_t group, HashPorts ports) noexcept {
    static_assert(place(Field::tcp_src).offset == 4 && place(Field::tcp_dst).offset == 6);
    static_assert(place(Field::ip_ecn).offset == 31 && place(Field::in_port).offset == 32 &&
                  place(Field::tunnel_id).offset == 48);
    constexpr std::uint64_t kPortBytes = 0xffffffff00000000, kEcnByte = 0xff00000000000000;
    constexpr std::uint64_t kPresence = std::uint64_t{0xff & ~presence::kVlanPcp}
                                        << (8 * presence::kOffset);
    std::uint64_t hash = secret[0] ^ group;
    const auto take = [&](std::uint64_t a, std::uint64_t b) {
        if ((a | b) != 0) hash = fold_multiply(hash ^ a ^ secret[1], b ^ secret[2]);
    };
    const auto& w = key.words;
    take(w[0] & ~(kPresence | (ports == HashPorts::no ? kPortBytes : 0)), w[1]);
    take(w[2], w[3] & ~kEcnByte);
    for (std::size_t i = 7; i + 1 < kKeyWords; i += 2) take(w[i], w[i + 1] + i);
    take(w[15], 0);
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
