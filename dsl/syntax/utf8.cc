// SPDX-License-Identifier: Apache-2.0
#include "dsl/syntax/utf8.h"

#include <array>

namespace raicho::dsl {

Character first_character(std::string_view text) {
    constexpr Character bad{0xfffd, 1, false};
    const auto byte = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
    };
    const char32_t lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    std::size_t size = 0;
    char32_t code = 0;
    if ((lead & 0xe0) == 0xc0) {
        size = 2;
        code = lead & 0x1f;
    } else if ((lead & 0xf0) == 0xe0) {
        size = 3;
        code = lead & 0x0f;
    } else if ((lead & 0xf8) == 0xf0) {
        size = 4;
        code = lead & 0x07;
    } else {
        return bad;
    }
    if (text.size() < size) return bad;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return bad;
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return bad;
    return {code, size, true};
}

int display_width(char32_t code) {
    struct Range {
        char32_t first, last;
    };
    constexpr std::array<Range, 4> kCombining{
        {{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};
    constexpr std::array<Range, 9> kWide{{{0x1100, 0x115f},
                                          {0x2e80, 0xa4cf},
                                          {0xac00, 0xd7a3},
                                          {0xf900, 0xfaff},
                                          {0xfe30, 0xfe6f},
                                          {0xff00, 0xff60},
                                          {0xffe0, 0xffe6},
                                          {0x1f300, 0x1faff},
                                          {0x20000, 0x3fffd}}};
    for (const Range& r : kCombining)
        if (code >= r.first && code <= r.last) return 0;
    for (const Range& r : kWide)
        if (code >= r.first && code <= r.last) return 2;
    return 1;
}

}  // namespace raicho::dsl
