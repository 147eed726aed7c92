// SPDX-License-Identifier: Apache-2.0
// What decodes encodes to bytes that decode to the same message and encode to the same bytes.
#include <cstdint>

#include "base/error.h"
#include "openflow/codec.h"
#include "openflow/text.h"

using namespace raicho;
using namespace raicho::openflow;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < kHeaderSize || size > 0xffff) return 0;
    const Bytes input = std::as_bytes(std::span(data, size));
    ByteVector framed(input.begin(), input.end());
    framed[0] = std::byte{version::k13};
    store_be<std::uint16_t>(framed.data() + 2, static_cast<std::uint16_t>(size));
    const auto message = decode(framed);
    if (!message) return 0;

    ByteVector first;
    encode(*message, version::k13, 1, first);
    const auto again = decode(first);
    ASSERT(again.has_value());
    ByteVector second;
    encode(*again, version::k13, 1, second);
    ASSERT(second == first);
    ASSERT(to_text(*again) == to_text(*message));
    if (const auto* mod = std::get_if<FlowMod>(&*message)) {
        const auto& other = std::get<FlowMod>(*again);
        ASSERT(mod->match == other.match && mod->instructions == other.instructions);
    }
    return 0;
}
