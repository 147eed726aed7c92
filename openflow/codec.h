// SPDX-License-Identifier: Apache-2.0
// Bytes to messages and back, for OpenFlow 1.3.5. Sans-I/O: the caller frames the stream with
// peek_header(). Neighbours: wire files hold the byte layouts, text.h the printed form.
#pragma once

#include <optional>

#include "openflow/message.h"

namespace raicho::openflow {

inline constexpr std::size_t kHeaderSize = 8;

/// The header of the next message when 8 bytes are there, whatever it says.
[[nodiscard]] std::optional<Header> peek_header(Bytes bytes);

/// Decodes exactly one whole message (header.length == bytes.size()). Errors are those that
/// OF 1.3.5 §7.4.4 prescribes; the caller answers with make_error().
[[nodiscard]] OfResult<Message> decode(Bytes bytes);

/// Appends the message to `out`; a MultipartReply becomes as many messages as it needs, the last
/// without OFPMPF_REPLY_MORE. Every other Message is one wire message.
void encode(const Message& message, std::uint8_t version, std::uint32_t xid, ByteVector& out);

/// The OFPT_ERROR for `error`, carrying at least 64 bytes of the offending message (§7.4.4).
[[nodiscard]] ErrorMsg make_error(const OfpError& error, Bytes offending);

/// The OXM TLVs of a match / the TLVs of instructions, as on the wire without outer header; used
/// for the cold records in the arena.
void encode_match_fields(const Match& match, ByteVector& out);
[[nodiscard]] OfResult<Match> decode_match_fields(Bytes bytes);
void encode_instructions(const Instructions& instructions, ByteVector& out);
[[nodiscard]] OfResult<Instructions> decode_instructions(Bytes bytes);

}  // namespace raicho::openflow
