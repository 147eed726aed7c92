// SPDX-License-Identifier: Apache-2.0
// The rows of the arena that are about one port: what the agent wants as PortSettings, what became
// of it as a PortStatus row.
#pragma once

#include <cstdint>

#include "dataplane/io/port.h"
#include "shm/port.h"

namespace raicho::io {

/// A copy of the wanted row. While the agent is writing it, without mac and addresses and with an
/// odd generation: they come with the next one.
[[nodiscard]] PortSettings settings_of(const shm::WantedPort& row, PortSlot slot);

/// The host interface of the port: device, else the port's name; the name for the local port, whose
/// device is a list of addresses; empty for kinds without.
[[nodiscard]] std::string interface_of(const PortSettings& settings);

/// Writes the row under its sequence word, which becomes even and new. `opened_s` is
/// CLOCK_MONOTONIC in seconds.
void write_status(shm::PortStatus& row, const PortState& state, std::uint16_t queues,
                  std::uint32_t opened_s) noexcept;

}  // namespace raicho::io
