// SPDX-License-Identifier: Apache-2.0
// Any text: a group or a meter that the codec takes too and whose printed form means the same, or
// an error that marks a place in the text.
#include <cstdint>
#include <utility>
#include <variant>

#include "base/error.h"
#include "openflow/codec.h"
#include "openflow/mod_parser.h"
#include "tests/fuzz/named_ports.h"

using namespace raicho;
using namespace raicho::openflow;
using raicho::fuzz::ports;

namespace {

template <class Mod>
bool parsed(const std::expected<Mod, FlowTextError>& mod, std::string_view text) {
    if (mod) return true;
    ASSERT(mod.error().offset <= text.size());
    ASSERT(mod.error().length > 0 && !mod.error().text.empty());
    return false;
}

template <class Mod>
Mod through_the_codec(const Mod& mod) {
    ByteVector bytes;
    encode(mod, version::k13, 1, bytes);
    auto decoded = decode(bytes);
    ASSERT(decoded.has_value());
    return std::get<Mod>(std::move(*decoded));
}

std::string print(const GroupMod& mod) {
    return to_text(GroupDesc{.type = mod.type, .group = mod.group, .buckets = mod.buckets});
}

std::string print(const MeterMod& mod) {
    return to_text(MeterConfig{.flags = mod.flags, .meter = mod.meter, .bands = mod.bands});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto group = parse_group(text, ports); parsed(group, text)) {
        const std::string printed = print(through_the_codec(*group));
        const auto again = parse_group(printed, ports);
        ASSERT(again.has_value());
        ASSERT(print(*again) == printed && print(*group) == printed);
    }
    if (const auto meter = parse_meter(text); parsed(meter, text)) {
        const std::string printed = print(through_the_codec(*meter));
        const auto again = parse_meter(printed);
        ASSERT(again.has_value());
        ASSERT(print(*again) == printed && print(*meter) == printed);
    }
    return 0;
}
