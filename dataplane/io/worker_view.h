// SPDX-License-Identifier: Apache-2.0
// What a worker may touch: its receive queues, every open port, the event descriptors. Built by the
// control thread, never changed afterwards, replaced whole; an old view and what it points to live
// until the worker has said that it uses the new one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "dataplane/io/port.h"

namespace raicho::io {

class Egress;

struct WorkerView {
    struct Rx {
        PortSlot slot;
        RxQueue* queue = nullptr;
    };
    /// Grows with every view.
    std::uint64_t generation = 0;
    /// The queues of this worker.
    std::vector<Rx> rx;
    /// By slot, as many as the arena has; nullptr = no device.
    std::vector<Port*> ports;
    /// By slot, as long as `ports`; nullptr = the port has no egress queues.
    std::vector<Egress*> egress;
    /// Written after a packet-in when the agent sleeps, -1 = no agent.
    int agent_event = -1;
    /// The agent's way to wake this worker, -1 = no agent.
    int wake_event = -1;
};

}  // namespace raicho::io
