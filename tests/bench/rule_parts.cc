// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/rule_parts.h"

#include "base/error.h"

namespace raicho::bench {

openflow::Match match(std::initializer_list<Masked> fields) {
    openflow::Match result;
    for (const Masked& f : fields) {
        const std::uint64_t ones = openflow::to_integer(f.field, openflow::exact_mask(f.field));
        const std::uint64_t mask = f.mask & ones;
        if (mask == 0) continue;
        openflow::MatchField field = openflow::exact(f.field, f.value & mask);
        if (mask != ones) {
            field.has_mask = openflow::HasMask::yes;
            field.mask = openflow::field_value(f.field, mask);
        }
        ASSERT(result.add(field));
    }
    return result;
}

openflow::Action set_field(Field field, std::uint64_t value) {
    return openflow::SetField{field, openflow::field_value(field, value)};
}

void Numbered::flow(unsigned table, unsigned priority, const openflow::Match& match,
                    openflow::Instructions instructions) {
    openflow::FlowMod mod;
    mod.cookie = ++number_;
    mod.table = TableId(static_cast<std::uint8_t>(table));
    mod.priority = static_cast<std::uint16_t>(priority);
    mod.match = match;
    mod.instructions = std::move(instructions);
    take_(std::move(mod));
}

void Numbered::flow_to(unsigned table, unsigned priority, const openflow::Match& match,
                       openflow::ActionList actions, unsigned next) {
    openflow::Instructions instructions;
    if (!actions.empty()) instructions.apply = std::move(actions);
    instructions.go_to = TableId(static_cast<std::uint8_t>(next));
    flow(table, priority, match, std::move(instructions));
}

Mac mac(std::uint64_t value) {
    Mac result;
    for (std::size_t i = 6; i-- > 0; value >>= 8)
        result.bytes[i] = static_cast<std::uint8_t>(value);
    return result;
}

Ipv4 ipv4(std::uint32_t value) {
    return {{static_cast<std::uint8_t>(value >> 24), static_cast<std::uint8_t>(value >> 16),
             static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)}};
}

test::FrameSpec of_60_bytes(test::FrameSpec spec) {
    constexpr std::size_t kSize = 60;
    const std::size_t bare = test::build(spec).bytes.size();
    if (bare < kSize) spec.payload.resize(spec.payload.size() + kSize - bare);
    return spec;
}

}  // namespace raicho::bench
