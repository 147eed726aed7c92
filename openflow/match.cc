// SPDX-License-Identifier: Apache-2.0
#include "openflow/match.h"

#include "base/error.h"

namespace raicho::openflow {

namespace {
constexpr FieldValue ones(const FieldRow& r) {
    FieldValue mask;
    std::size_t bits = r.bits;
    for (std::size_t i = r.size(); i-- > 0 && bits > 0;) {
        const std::size_t here = std::min<std::size_t>(bits, 8);
        mask.bytes[i] = static_cast<std::byte>((1u << here) - 1);
        bits -= here;
    }
    return mask;
}
constexpr auto kExactMasks = [] {
    std::array<FieldValue, kFields> masks;
    for (const FieldRow& r : kFieldRows) masks[static_cast<std::size_t>(r.field)] = ones(r);
    return masks;
}();
}  // namespace

FieldValue exact_mask(Field field) {
    return kExactMasks[static_cast<std::size_t>(field)];
}

FieldValue field_value(Field field, std::uint64_t value) {
    const std::size_t size = row(field).size();
    ASSERT(size <= 8);
    FieldValue result;
    for (std::size_t i = size; i-- > 0; value >>= 8)
        result.bytes[i] = static_cast<std::byte>(value & 0xff);
    return result;
}

std::uint64_t to_integer(Field field, const FieldValue& value) {
    const std::size_t size = row(field).size();
    ASSERT(size <= 8);
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < size; ++i)
        result = result << 8 | std::to_integer<std::uint64_t>(value.bytes[i]);
    return result;
}

MatchField exact(Field field, std::uint64_t value) {
    return {field, HasMask::no, field_value(field, value), exact_mask(field)};
}

}  // namespace raicho::openflow
