// SPDX-License-Identifier: Apache-2.0
// Any bytes: decoding them ends in a message that prints, or in an error that can be sent.
#include <cstdint>

#include "base/error.h"
#include "openflow/codec.h"
#include "openflow/text.h"

using namespace raicho;
using namespace raicho::openflow;

namespace {

void decode_and_print(Bytes bytes) {
    const auto message = decode(bytes);
    if (message) {
        ASSERT(!to_text(*message, 1).empty());
        return;
    }
    ByteVector reply;
    encode(make_error(message.error(), bytes), version::k13, 1, reply);
    ASSERT(decode(reply).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    // Once as it is, once with a header that tells the truth, so that mutations reach the bodies.
    decode_and_print(bytes);
    if (size < kHeaderSize || size > 0xffff) return 0;
    ByteVector framed(bytes.begin(), bytes.end());
    framed[0] = std::byte{version::k13};
    store_be<std::uint16_t>(framed.data() + 2, static_cast<std::uint16_t>(size));
    decode_and_print(framed);
    // The parts that the arena's records hold.
    static_cast<void>(decode_match_fields(bytes));
    static_cast<void>(decode_instructions(bytes));
    return 0;
}
