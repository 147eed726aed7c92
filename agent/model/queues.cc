// SPDX-License-Identifier: Apache-2.0
#include "agent/model/queues.h"

#include "base/error.h"
#include "base/text.h"

namespace raicho::agent {
namespace {

using openflow::ofp_error;
using openflow::OfResult;
using openflow::QueueOpFailed;

/// Queues of the port, or of every port.
OfResult<std::vector<openflow::QueueDesc>> queues_of(const Plane& plane, PortNo port) {
    if (port != port::kAny) {
        if (!plane.port(port))
            return ofp_error(QueueOpFailed::bad_port,
                             format("port {}: no such port", port.value()));
        return plane.queues(port);
    }
    std::vector<openflow::QueueDesc> all;
    for (const openflow::PortDesc& desc : plane.ports())
        for (openflow::QueueDesc& queue : plane.queues(desc.port)) all.push_back(queue);
    return all;
}

}  // namespace

OfResult<openflow::QueueGetConfigReply> queue_config(
    const Plane& plane, const openflow::QueueGetConfigRequest& request) {
    openflow::QueueGetConfigReply reply{.port = request.port, .queues = {}};
    TRY_ASSIGN(reply.queues, queues_of(plane, request.port));
    return reply;
}

OfResult<std::vector<openflow::QueueStats>> queue_stats(
    const Plane& plane, const openflow::QueueStatsRequest& request) {
    TRY_ASSIGN(const std::vector<openflow::QueueDesc> queues, queues_of(plane, request.port));
    std::vector<openflow::QueueStats> stats;
    for (const openflow::QueueDesc& queue : queues) {
        if (request.queue != openflow::kAllQueues && request.queue != queue.queue) continue;
        if (const auto counted = plane.queue_stats(queue.port, queue.queue))
            stats.push_back(*counted);
    }
    if (stats.empty() && request.queue != openflow::kAllQueues)
        return ofp_error(QueueOpFailed::bad_queue,
                         format("queue {}: no such queue", request.queue));
    return stats;
}

}  // namespace raicho::agent
