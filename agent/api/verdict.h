// SPDX-License-Identifier: Apache-2.0
// One sentence a bridge: what it does with packets now, and where nothing is forwarded, why. Pure
// functions of the view's values, so that shell, web page and log say the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/view/switch_view.h"

namespace raicho::agent::api {

enum class Forwarding : bool { stopped, working };

struct Verdict {
    Forwarding forwarding = Forwarding::stopped;
    /// `br0: secure, controller refused (127.0.0.1:6653), 0 flows: every packet is dropped`
    std::string text;
    /// What to do about it, may be empty.
    std::string hint;
};

/// `controllers` and `ports` are those of the bridge.
[[nodiscard]] Verdict judge(const BridgeView& bridge, std::span<const ControllerView> controllers,
                            std::span<const PortView> ports, const DataplaneView& dataplane);

/// What a person should know at once: a dataplane that is not there, ports that failed or are
/// absent, controllers that were lost. Each a sentence.
[[nodiscard]] std::vector<std::string> warnings(const SwitchView& view);

}  // namespace raicho::agent::api
