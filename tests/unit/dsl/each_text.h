// SPDX-License-Identifier: Apache-2.0
// A flow checker for tests that judges every text of an entry by itself.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "dsl/model/check.h"

namespace raicho::dsl {

inline FlowChecker each_text(
    std::function<std::optional<FlowFault>(std::string_view, const PortByName&)> judge) {
    return [judge = std::move(judge)](const Targets&, const PortByName& ports) -> EntryJudge {
        return [judge, ports](EntryKind, std::string_view text) { return judge(text, ports); };
    };
}

}  // namespace raicho::dsl
