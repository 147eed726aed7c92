// SPDX-License-Identifier: Apache-2.0
// What controllers ask about queues (OF 1.3.5 §7.3.6, §7.3.5.8). The queues are the plane's.
#pragma once

#include <vector>

#include "agent/model/plane.h"
#include "openflow/message.h"

namespace raicho::agent {

/// The queues of a port, or of all with OFPP_ANY. Errors: QueueOpFailed::bad_port.
[[nodiscard]] openflow::OfResult<openflow::QueueGetConfigReply> queue_config(
    const Plane& plane, const openflow::QueueGetConfigRequest& request);

/// Statistics of one queue or of all (kAllQueues) of a port or of all (OFPP_ANY). Errors:
/// QueueOpFailed bad_port, bad_queue (no port that was asked for has it).
[[nodiscard]] openflow::OfResult<std::vector<openflow::QueueStats>> queue_stats(
    const Plane& plane, const openflow::QueueStatsRequest& request);

}  // namespace raicho::agent
