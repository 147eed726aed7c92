// SPDX-License-Identifier: Apache-2.0
// The Internet checksum (RFC 1071), its incremental update (RFC 1624) and SCTP's CRC32c. Sums are
// kept in the byte order of memory: ones' complement addition does not care.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace raicho::pipeline {

/// Folds a sum of 16-bit words to 16 bits.
[[nodiscard]] constexpr std::uint16_t fold(std::uint64_t sum) noexcept {
    sum = (sum & 0xffffffffu) + (sum >> 32);
    sum = (sum & 0xffffffffu) + (sum >> 32);
    sum = (sum & 0xffffu) + (sum >> 16);
    sum = (sum & 0xffffu) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

/// `sum` plus the words of `bytes`; an odd last byte is padded with zero, so only the last part
/// of a whole may be odd.
[[nodiscard]] std::uint64_t add_words(std::uint64_t sum, std::span<const std::byte> bytes) noexcept;

/// CRC32c state of `bytes` on from `crc`; starts with all ones, the result is inverted.
[[nodiscard]] std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes) noexcept;

/// What an edit changes in a checksum over the edited words.
class ChecksumDelta {
  public:
    /// Before and after the edit, with the same even-sized bytes at an even place in the sum.
    void minus(std::span<const std::byte> old_bytes) noexcept {
        sum_ += std::uint16_t(~fold(add_words(0, old_bytes)));
    }
    void plus(std::span<const std::byte> new_bytes) noexcept { sum_ = add_words(sum_, new_bytes); }

    /// The same of one word.
    void minus_word(const std::byte* old_word) noexcept {
        sum_ += static_cast<std::uint16_t>(~load(old_word));
    }
    void plus_word(const std::byte* new_word) noexcept { sum_ += load(new_word); }

    /// Updates a complete (inverted) checksum.
    void apply(std::byte* field) const noexcept {
        store(field, static_cast<std::uint16_t>(~fold(std::uint16_t(~load(field)) + sum_)));
    }
    /// The same of UDP: zero means "none" and stays, a computed zero is sent as all ones.
    void apply_udp(std::byte* field) const noexcept {
        if (load(field) == 0) return;
        apply(field);
        if (load(field) == 0) store(field, 0xffff);
    }
    /// Updates a partial checksum, which holds the sum itself.
    void apply_partial(std::byte* field) const noexcept { store(field, fold(load(field) + sum_)); }

  private:
    static std::uint16_t load(const std::byte* field) noexcept {
        std::uint16_t v;
        std::memcpy(&v, field, 2);
        return v;
    }
    static void store(std::byte* field, std::uint16_t v) noexcept { std::memcpy(field, &v, 2); }

    std::uint64_t sum_ = 0;
};

}  // namespace raicho::pipeline
