// SPDX-License-Identifier: Apache-2.0
// Roles of controllers and the asynchronous messages that each role gets (OF 1.3.5 §6.3.5, §7.3.9,
// §7.3.10). Part of message.h.
#pragma once

#include <array>
#include <cstdint>

namespace raicho::openflow {

/// ofp_controller_role, by its number.
enum class ControllerRole : std::uint8_t { nochange, equal, master, slave };

struct RoleRequest {
    ControllerRole role{};
    std::uint64_t generation_id = 0;  // counts for master and slave only
};
struct RoleReply {
    ControllerRole role{};
    std::uint64_t generation_id = 0;
};

/// One word for a kind of message: bit n = reason n is wanted.
struct AsyncMask {
    std::uint32_t packet_in = 0;
    std::uint32_t port_status = 0;
    std::uint32_t flow_removed = 0;
    friend bool operator==(const AsyncMask&, const AsyncMask&) = default;
};
struct AsyncConfig {
    AsyncMask master;  // of the roles equal and master
    AsyncMask slave;
    friend bool operator==(const AsyncConfig&, const AsyncConfig&) = default;
};
struct GetAsyncRequest {};
struct GetAsyncReply {
    AsyncConfig config;
};
struct SetAsync {
    AsyncConfig config;
};

}  // namespace raicho::openflow
