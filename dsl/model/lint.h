// SPDX-License-Identifier: Apache-2.0
// Warnings about a configuration that is allowed and still hardly meant: what `lagosh check` says
// beyond errors. What concerns flows needs their meaning, which whoever may see openflow hands in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "dsl/model/check.h"

namespace raicho::dsl {

/// What lints need to know of a flow.
struct FlowFacts {
    struct Matched {
        Field field;
        FieldValue value;
        FieldValue mask;
    };
    std::uint8_t table = 0;
    std::uint16_t priority = 0;
    std::optional<std::uint8_t> goto_table{};
    std::vector<Matched> match{};  // in the order of fields
    std::vector<PortNo> ports{};   // matched as ingress or sent to
    bool every_port = false;       // NORMAL, FLOOD, ALL, or a group
};
/// The facts of a flow text; nothing when it is faulty.
using FlowFactsOf =
    std::function<std::optional<FlowFacts>(std::string_view text, const PortByName& ports)>;

/// Adds warnings to `checked`, which must be ok().
void lint(Checked& checked, const FlowFactsOf& facts);

}  // namespace raicho::dsl
