// SPDX-License-Identifier: Apache-2.0
// The parts that 1.3 messages are made of: match, actions, instructions, ports. They fill values in
// place, because a Match is large and a flow-mod is decoded half a million times a second.
// Neighbour: messages.h has the messages.
#pragma once

#include "base/bytes.h"
#include "base/error.h"
#include "openflow/message.h"
#include "openflow/v13/wire_flow.h"
#include "openflow/v13/wire_port.h"

namespace raicho::openflow::v13 {

/// Bytes added to make `size` a multiple of 8.
[[nodiscard]] constexpr std::size_t padded(std::size_t size) {
    return (size + 7) / 8 * 8;
}

/// The structure at the front; BadRequest.bad_len when the message ends before it does.
template <class T>
[[nodiscard]] OfResult<T> pull(ByteReader& in) {
    if (const auto value = in.pull<T>()) return *value;
    return ofp_error(BadRequest::bad_len, "message ends early");
}

/// ofp_match with its padding: BAD_TYPE, BAD_LEN, what decode_oxms() and check_match() refuse.
[[nodiscard]] OfResult<void> decode_match(ByteReader& in, Match& match);
/// OXM TLVs up to the end: BAD_LEN, BAD_FIELD, BAD_MASK, DUP_FIELD, and check_match().
[[nodiscard]] OfResult<void> decode_oxms(Bytes bytes, Match& match);
void encode_match(const Match& match, ByteWriter& out);
void encode_oxms(const Match& match, ByteWriter& out);

/// Actions up to the end: BadAction.bad_len, bad_type, bad_experimenter, bad_set_type, bad_set_len.
[[nodiscard]] OfResult<void> decode_actions(Bytes bytes, ActionList& actions);
void encode_actions(const ActionList& actions, ByteWriter& out);
/// ofp_action_type of an alternative of Action, by its index.
[[nodiscard]] std::uint16_t action_number(std::size_t alternative);

/// Instructions up to the end: BadInstruction.bad_len, unknown_inst, dup_inst, bad_experimenter,
/// bad_table_id (goto 255), and what decode_actions() refuses.
[[nodiscard]] OfResult<void> decode_instructions(Bytes bytes, Instructions& instructions);
void encode_instructions(const Instructions& instructions, ByteWriter& out);

/// The text of a NUL-terminated array; the last byte is a NUL whatever it says (§7.2.1, §7.3.5.1).
template <std::size_t kSize>
[[nodiscard]] std::string text_of(const std::array<char, kSize>& chars) {
    return {chars.begin(), std::find(chars.begin(), chars.end() - 1, '\0')};
}
/// The array of a text, cut so that a NUL ends it.
template <std::size_t kSize>
[[nodiscard]] std::array<char, kSize> chars_of(std::string_view text) {
    std::array<char, kSize> chars{};
    text = text.substr(0, std::min(text.find('\0'), kSize - 1));
    std::copy(text.begin(), text.end(), chars.begin());
    return chars;
}

[[nodiscard]] PortDesc port_of(const WirePort& wire);
[[nodiscard]] WirePort wire_of(const PortDesc& port);

}  // namespace raicho::openflow::v13
