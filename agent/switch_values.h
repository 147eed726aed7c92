// SPDX-License-Identifier: Apache-2.0
// Values of the configuration as what the switch's parts take, and live values back: no state, no
// effect. Neighbour: switch_target.cc, which acts by them.
#pragma once

#include <string_view>

#include "agent/channel/controller.h"
#include "agent/channel/listener.h"
#include "agent/model/fail_mode.h"
#include "agent/model/targets.h"
#include "agent/plane/port_rows.h"
#include "base/error.h"
#include "dsl/model/config.h"
#include "shm/flow.h"

namespace raicho::agent {

/// A bridge that was named and is not there.
[[nodiscard]] Error no_bridge(std::string_view bridge);

/// Flows and tables.
[[nodiscard]] Share share_of(const dsl::BridgeConfig& bridge);
[[nodiscard]] FailMode fail_mode_of(const dsl::BridgeConfig& bridge);
/// None where the agent chooses.
[[nodiscard]] shm::Template template_of(const dsl::BridgeConfig& bridge);

/// 48 bits hashed (FNV-1a) from machine-id and the bridge's name: the same after each start, and
/// another one on each machine.
[[nodiscard]] Dpid automatic_dpid(std::string_view bridge);
/// The configured one, else the automatic one.
[[nodiscard]] Dpid dpid_of(const dsl::BridgeConfig& bridge);

/// The port has its number.
[[nodiscard]] PortSpec spec_of(BridgeId bridge, const dsl::PortConfig& port);
/// The dataplane reads a local port's addresses from its device text.
[[nodiscard]] PortSpec spec_of(BridgeId bridge, std::string_view name,
                               const dsl::LocalConfig& local);
[[nodiscard]] dsl::PortConfig config_of(const PortSpec& spec);
[[nodiscard]] dsl::LocalConfig local_of(const PortSpec& spec);

[[nodiscard]] ControllerConfig channel_config(const dsl::ControllerConfig& controller);
[[nodiscard]] ListenerConfig channel_config(const dsl::ListenConfig& listen);

}  // namespace raicho::agent
