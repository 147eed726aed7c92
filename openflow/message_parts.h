// SPDX-License-Identifier: Apache-2.0
// What the printed forms of messages and of multipart bodies share. Neighbours: message_text.cc,
// multipart_text.cc.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "openflow/message.h"

namespace raicho::openflow {

/// `kNames[value]`, or the number where the table ends.
template <std::size_t kSize>
[[nodiscard]] std::string word(const std::array<std::string_view, kSize>& names,
                               std::size_t value) {
    return value < kSize ? std::string(names[value]) : format("{}", value);
}

/// The first bytes in hex.
[[nodiscard]] std::string data_text(Bytes data);
/// Text of a peer with everything but printable ASCII and quotes escaped.
[[nodiscard]] std::string quoted(std::string_view text);
/// `7`, `all`.
[[nodiscard]] std::string table_text(TableId table);
/// `,match` or nothing.
[[nodiscard]] std::string and_match(const Match& match);
[[nodiscard]] std::string port_text(const PortDesc& port);
/// The type's name and the body.
[[nodiscard]] std::string body_text(const MultipartRequest& request);
[[nodiscard]] std::string body_text(const MultipartReply& reply);

}  // namespace raicho::openflow
