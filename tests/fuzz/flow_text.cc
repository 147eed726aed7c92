// SPDX-License-Identifier: Apache-2.0
// Any text: a flow that the codec takes too and whose printed form means the same, or an error
// that marks a place in the text.
#include <cstdint>

#include "base/error.h"
#include "openflow/codec.h"
#include "openflow/text.h"
#include "tests/fuzz/named_ports.h"

using namespace raicho;
using namespace raicho::openflow;
using raicho::fuzz::ports;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto mod = parse_flow(text, ports);
    if (!mod) {
        ASSERT(mod.error().offset <= text.size());
        ASSERT(mod.error().length > 0 && !mod.error().text.empty());
        return 0;
    }
    ByteVector bytes;
    encode(*mod, version::k13, 1, bytes);
    const auto decoded = decode(bytes);
    ASSERT(decoded.has_value());
    ASSERT(std::get<FlowMod>(*decoded).match == mod->match);
    ASSERT(std::get<FlowMod>(*decoded).instructions == mod->instructions);

    const auto again = parse_flow(
        "table=0 " + to_text(mod->match) + " actions=" + to_text(mod->instructions), ports);
    ASSERT(again.has_value());
    ASSERT(again->match == mod->match);
    ASSERT(to_text(again->instructions) == to_text(mod->instructions));
    return 0;
}
