// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/text.h"
#include "openflow/v13/parts.h"

namespace raicho::openflow::v13 {
namespace {

constexpr std::uint8_t kHasMask = 1;

/// One TLV at the front of `in`.
OfResult<void> decode_oxm(ByteReader& in, Match& match) {
    const auto header = in.pull<OxmHeader>();
    if (!header) return ofp_error(BadMatch::bad_len, "match ends within a field's header");
    const auto payload = in.take(header->length);
    if (!payload) return ofp_error(BadMatch::bad_len, "match ends within a field");
    const unsigned number = header->field_hasmask >> 1;
    if (header->oxm_class.value() != kOxmBasic || number >= kFields)
        return ofp_error(BadMatch::bad_field, format("field {} of class 0x{:04x} is unknown",
                                                     number, header->oxm_class.value()));
    const FieldRow& r = kFieldRows[number];
    MatchField field{.field = r.field};
    field.has_mask = (header->field_hasmask & kHasMask) != 0 ? HasMask::yes : HasMask::no;
    const std::size_t size = r.size();
    if (payload->size() != (field.has_mask == HasMask::yes ? 2 * size : size))
        return ofp_error(BadMatch::bad_len, format("{}: length {}", r.name, payload->size()));
    std::memcpy(field.value.bytes.data(), payload->data(), size);
    if (field.has_mask == HasMask::yes)
        std::memcpy(field.mask.bytes.data(), payload->data() + size, size);
    else
        field.mask = exact_mask(r.field);
    if (!match.add(field)) return ofp_error(BadMatch::dup_field, std::string(r.name));
    return {};
}

}  // namespace

OfResult<void> decode_oxms(Bytes bytes, Match& match) {
    ByteReader in(bytes);
    while (!in.empty()) TRY(decode_oxm(in, match));
    return check_match(match);
}

OfResult<void> decode_match(ByteReader& in, Match& match) {
    const auto header = in.pull<WireMatch>();
    if (!header) return ofp_error(BadMatch::bad_len, "message ends within the match");
    if (header->type.value() != kMatchOxm)
        return ofp_error(BadMatch::bad_type, format("match type {}", header->type.value()));
    const std::size_t length = header->length.value();
    if (length < sizeof(WireMatch))
        return ofp_error(BadMatch::bad_len, format("match length {}", length));
    const auto body = in.take(padded(length) - sizeof(WireMatch));
    if (!body) return ofp_error(BadMatch::bad_len, "match is longer than the message");
    return decode_oxms(body->first(length - sizeof(WireMatch)), match);
}

void encode_oxms(const Match& match, ByteWriter& out) {
    for (const MatchField& field : match.fields()) {
        const std::size_t size = row(field.field).size();
        const bool masked = field.has_mask == HasMask::yes;
        const auto number = static_cast<unsigned>(field.field);
        out.put(OxmHeader{kOxmBasic,
                          static_cast<std::uint8_t>(number << 1 | (masked ? kHasMask : 0u)),
                          static_cast<std::uint8_t>(masked ? 2 * size : size)});
        out.put(Bytes(field.value.bytes).first(size));
        if (masked) out.put(Bytes(field.mask.bytes).first(size));
    }
}

void encode_match(const Match& match, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireMatch{kMatchOxm, std::uint16_t{0}});
    encode_oxms(match, out);
    out.patch<std::uint16_t>(start + offsetof(WireMatch, length),
                             static_cast<std::uint16_t>(out.offset() - start));
    out.pad(start, 8);
}

}  // namespace raicho::openflow::v13
