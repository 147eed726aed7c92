// SPDX-License-Identifier: Apache-2.0
// Opens the device behind a wanted port, whatever its kind, and says in which state it is.
#pragma once

#include <memory>
#include <string>

#include "dataplane/io/buffers.h"
#include "dataplane/io/ethdev_port.h"
#include "dataplane/io/interface_guard.h"
#include "dataplane/io/netlink.h"
#include "dataplane/io/port.h"

namespace raicho::io {

/// What opening needs from its surroundings; all of it outlives the opener.
struct OpenContext {
    Netlink& netlink;
    const Buffers& buffers;
    std::string rundir;
    std::uint32_t rx_buffer = 0;  // bytes, af-packet; 0 = the default
    std::uint8_t workers = 1;
    /// What interface_guard.h goes by, looked up for the first port that needs it: for as long as
    /// several ports are opened at once. Empty it before.
    std::optional<Surroundings> around{};
};

struct OpenedPort {
    std::unique_ptr<Port> port;  // nullptr: its interface is absent
    PortState state;
};

/// An absent interface is no error: it may appear.
[[nodiscard]] Result<OpenedPort> open_port(OpenContext& context, const PortSettings& settings);

/// The state of a port on a host interface.
[[nodiscard]] PortState state_of(const Link& link);
[[nodiscard]] PortState absent_state(const std::string& interface);
/// For errors: the text with its hint.
[[nodiscard]] std::string full_text(const Error& error);

}  // namespace raicho::io
