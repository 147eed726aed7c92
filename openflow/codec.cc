// SPDX-License-Identifier: Apache-2.0
// The door of the codec: framing, the version, and errors. Byte layouts are in v13/.
#include "openflow/codec.h"

#include "base/error.h"
#include "base/text.h"
#include "openflow/v13/messages.h"

namespace raicho::openflow {
namespace {

/// §7.4.4: at least 64 bytes of the offending message.
constexpr std::size_t kOffendingSize = 64;

/// Hello and error look alike in all versions; a peer of another version sends them.
bool any_version(std::uint8_t type) {
    return type == static_cast<std::uint8_t>(v13::MessageType::hello) ||
           type == static_cast<std::uint8_t>(v13::MessageType::error);
}

}  // namespace

std::optional<Header> peek_header(Bytes bytes) {
    const auto wire = ByteReader(bytes).pull<v13::WireHeader>();
    if (!wire) return std::nullopt;
    return Header{wire->version, wire->type, wire->length.value(), wire->xid.value()};
}

OfResult<Message> decode(Bytes bytes) {
    const auto header = peek_header(bytes);
    if (!header || header->length != bytes.size())
        return ofp_error(BadRequest::bad_len, format("header says {} bytes of {}",
                                                     header ? header->length : 0, bytes.size()));
    if (header->version != version::k13 && !any_version(header->type))
        return ofp_error(BadRequest::bad_version, format("version 0x{:02x}", header->version));
    return v13::decode(*header, bytes);
}

void encode(const Message& message, std::uint8_t version, std::uint32_t xid, ByteVector& out) {
    v13::encode(message, version, xid, out);
}

ErrorMsg make_error(const OfpError& error, Bytes offending) {
    ErrorMsg message{static_cast<std::uint16_t>(error.type), error.code, {}};
    if (error.type == ErrorType::hello_failed) {  // §7.5.1: data is a text for people
        const Bytes text = std::as_bytes(std::span(error.why));
        message.data.assign(text.begin(), text.end());
    } else {
        const Bytes head = offending.first(std::min(offending.size(), kOffendingSize));
        message.data.assign(head.begin(), head.end());
    }
    return message;
}

void encode_match_fields(const Match& match, ByteVector& out) {
    ByteWriter writer(out);
    v13::encode_oxms(match, writer);
}

OfResult<Match> decode_match_fields(Bytes bytes) {
    OfResult<Match> match;
    TRY(v13::decode_oxms(bytes, *match));
    return match;
}

void encode_instructions(const Instructions& instructions, ByteVector& out) {
    ByteWriter writer(out);
    v13::encode_instructions(instructions, writer);
}

OfResult<Instructions> decode_instructions(Bytes bytes) {
    OfResult<Instructions> instructions;
    TRY(v13::decode_instructions(bytes, *instructions));
    return instructions;
}

}  // namespace raicho::openflow
