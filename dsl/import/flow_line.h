// SPDX-License-Identifier: Apache-2.0
// Flows of an imported bridge: each judged before it goes into the text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "dsl/import/outline.h"
#include "dsl/import/report.h"
#include "dsl/model/check.h"

namespace raicho::dsl {

/// Port numbers by name, for the checker.
using PortNumbers = std::map<std::string, PortNo, std::less<>>;

/// Adds `flow "…"` statements to a bridge.
class FlowLines {
  public:
    FlowLines(const FlowChecker& checker, Outline::Node& bridge, ImportReport& report,
              PortNumbers ports = {})
        : checker_(checker), bridge_(bridge), report_(report), ports_(std::move(ports)) {}

    /// `text` is ovs-ofctl syntax. What the checker refuses is reported and commented out; the
    /// same text twice is one flow.
    void add(const ForeignPlace& place, const std::string& text);

  private:
    const FlowChecker& checker_;
    Outline::Node& bridge_;
    ImportReport& report_;
    PortNumbers ports_;
    std::set<std::string> seen_;
};

}  // namespace raicho::dsl
