// SPDX-License-Identifier: Apache-2.0
// What a port shall be, as values: the configuration makes them (agent/switch_values.h), PortRows
// writes them into the arena and reads them back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/addr.h"
#include "base/ids.h"
#include "shm/port.h"

namespace raicho::agent {

/// An egress queue of a port (shm/queue.h). Rates are in bits a second of whole frames without FCS.
struct QueueSpec {
    std::uint32_t id = 0;        // below 0xffffffff, one of a kind in its port
    std::uint16_t priority = 0;  // higher ones are served first
    std::uint16_t weight = 0;    // share among equal priorities, 0 = as its min_bps
    std::uint64_t min_bps = 0;   // guaranteed before any priority, 0 = none
    std::uint64_t max_bps = 0;   // limit, 0 = none
    friend bool operator==(const QueueSpec&, const QueueSpec&) = default;
};

/// How NORMAL takes a port (shm/vlan.h).
struct VlanSpec {
    enum class Kind : std::uint8_t { every, trunk, access } kind = Kind::every;
    std::uint16_t untagged = 0;          // VLAN of untagged frames, 0 = none
    std::vector<std::uint16_t> carried;  // trunk: with a tag
    friend bool operator==(const VlanSpec&, const VlanSpec&) = default;
};

/// Limit of what a port receives.
struct PolicerSpec {
    std::uint64_t rate_bps = 0;  // of whole frames without FCS; 0 = none
    std::uint64_t burst_bytes = 0;
    friend bool operator==(const PolicerSpec&, const PolicerSpec&) = default;
};

/// What a port shall be.
struct PortSpec {
    BridgeId bridge;
    PortNo number;
    std::string name;
    shm::PortKind kind{};
    std::string device;
    std::uint16_t mtu = 0;     // 0 = leave as it is
    std::uint16_t queues = 0;  // 0 = one a worker
    std::optional<Mac> mac;
    enum class Force : bool { no, yes } force = Force::no;
    enum class Admin : bool { down, up } admin = Admin::up;
    VlanSpec vlan{};
    PolicerSpec policer{};
    std::vector<QueueSpec> egress;  // at most shm::kPortQueues; none: no queueing at all
    std::uint64_t egress_bps = 0;   // of all of them, 0 = the device's speed
    friend bool operator==(const PortSpec&, const PortSpec&) = default;
};

/// A consistent copy of a port's status row.
struct PortCondition {
    shm::PortHealth health = shm::PortHealth::closed;
    std::uint32_t mtu = 0;
    std::uint32_t speed_mbps = 0;
    std::uint16_t queues = 0;
    Mac mac;
    std::string text;
};

}  // namespace raicho::agent
