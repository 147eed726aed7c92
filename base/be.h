// SPDX-License-Identifier: Apache-2.0
// Integers in network byte order, as they lie on the wire: no alignment, no implicit way out.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace raicho {

/// Big-endian integer of sizeof(T) bytes, alignment 1. `.value()` is one load and one bswap.
template <std::unsigned_integral T>
class Be {
  public:
    constexpr Be() = default;
    constexpr Be(T host) : bytes_(std::bit_cast<Bytes>(swap(host))) {}  // NOLINT: wire literals
    [[nodiscard]] constexpr T value() const { return swap(std::bit_cast<T>(bytes_)); }
    friend constexpr bool operator==(Be, Be) = default;

  private:
    using Bytes = std::array<std::byte, sizeof(T)>;
    static constexpr T swap(T v) {
        if constexpr (std::endian::native == std::endian::little && sizeof(T) > 1)
            return std::byteswap(v);
        return v;
    }
    Bytes bytes_{};
};

using Be16 = Be<std::uint16_t>;
using Be32 = Be<std::uint32_t>;
using Be64 = Be<std::uint64_t>;

static_assert(sizeof(Be64) == 8 && alignof(Be64) == 1);

/// Reads a big-endian T from `p`, which must have sizeof(T) bytes.
template <std::unsigned_integral T>
[[nodiscard]] inline T load_be(const void* p) noexcept {
    Be<T> v;
    std::memcpy(&v, p, sizeof v);
    return v.value();
}

/// Writes `v` big-endian to `p`, which must have sizeof(T) bytes.
template <std::unsigned_integral T>
inline void store_be(void* p, T v) noexcept {
    const Be<T> be(v);
    std::memcpy(p, &be, sizeof be);
}

}  // namespace raicho
