// SPDX-License-Identifier: Apache-2.0
// Names in shared records: NUL-padded character fields, always ended by at least one NUL.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace raicho::shm {

/// The text up to the first NUL; the whole field when a damaged one has none.
template <std::size_t N>
[[nodiscard]] std::string_view get_text(const std::array<char, N>& field) {
    return {field.data(), static_cast<std::size_t>(std::ranges::find(field, '\0') - field.begin())};
}

/// Writes at most N - 1 bytes and pads with NULs.
template <std::size_t N>
void put_text(std::array<char, N>& field, std::string_view text) {
    field.fill('\0');
    std::ranges::copy(text.substr(0, N - 1), field.begin());
}

}  // namespace raicho::shm
