// SPDX-License-Identifier: Apache-2.0
// The difference of two configurations as ordered steps. Pure: the commit engine carries it out,
// `compare` prints it. Only what changed is in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dsl/model/config.h"

namespace raicho::dsl {

enum class Change : std::uint8_t { create, change, remove };

/// One object's change. `before` is empty for create, `after` for remove.
template <class T>
struct Step {
    std::string bridge;
    std::optional<T> before;
    std::optional<T> after;
    [[nodiscard]] Change change() const {
        if (!before) return Change::create;
        return after ? Change::change : Change::remove;
    }
};
/// A bridge's own settings; its ports and the rest have steps of their own (none when it is
/// removed, they go with it).
using BridgeStep = Step<BridgeConfig>;
using PortStep = Step<PortConfig>;  // change: device and number are equal, else remove and create
using LocalStep = Step<LocalConfig>;
using ControllerStep = Step<ControllerConfig>;
using ListenStep = Step<ListenConfig>;
/// System, log, agent, dataplane; `restart` says which of them wait for a restart.
struct SettingsStep {
    Config before;  // bridges empty
    Config after;
    std::vector<std::string> restart;
};

using AnyStep =
    std::variant<SettingsStep, BridgeStep, LocalStep, PortStep, ControllerStep, ListenStep>;

/// Steps from `running` to `candidate`, both with numbered ports. Order: settings, removals
/// (listens, controllers, ports, local, bridges), then creations and changes the other way round.
/// Flows, groups and meters have none: they are compared by what they match, not by their text
/// (agent/config/entries.h).
[[nodiscard]] std::vector<AnyStep> plan(const Config& running, const Config& candidate);

/// A bridge without what is in it; the effective fail mode in place of an unsaid one.
[[nodiscard]] BridgeConfig own_settings(const BridgeConfig& bridge);

/// `bridge br0: add port tap1 (3)`, one line.
[[nodiscard]] std::string to_text(const AnyStep& step);

}  // namespace raicho::dsl
