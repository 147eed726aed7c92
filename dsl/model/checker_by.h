// SPDX-License-Identifier: Apache-2.0
// Makes a FlowChecker of a class that judges texts of entries; openflow::EntryJudge is the one that
// is meant, which dsl may not see. The agent and lagosh both do it here.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "dsl/model/check.h"

namespace raicho::dsl {

/// `Judge` is made from what a bridge has and its port numbers; flow(), group() and meter() give
/// an optional fault with text, hint, offset and length.
template <class Judge>
[[nodiscard]] FlowChecker checker_by() {
    return [](const Targets& has, const PortByName& ports) -> EntryJudge {
        const Judge judge({has.groups, has.meters, has.queues, has.n_tables}, ports);
        return [judge](EntryKind kind, std::string_view text) -> std::optional<FlowFault> {
            auto fault = kind == EntryKind::flow    ? judge.flow(text)
                         : kind == EntryKind::group ? judge.group(text)
                                                    : judge.meter(text);
            if (!fault) return std::nullopt;
            return FlowFault{std::move(fault->text), std::move(fault->hint), fault->offset,
                             fault->length};
        };
    };
}

}  // namespace raicho::dsl
