// SPDX-License-Identifier: Apache-2.0
// Replies to multipart requests (OF 1.3.5 §7.3.5). Flow statistics come in parts, so that a million
// flows neither lie in memory nor run over a slow controller's queue.
#pragma once

#include <vector>

#include "agent/model/flow_filter.h"
#include "agent/model/outbox.h"
#include "agent/model/targets.h"
#include "openflow/message.h"

namespace raicho::agent {

/// A flow statistics reply under way: a cursor over the store. Each flow that is there from begin
/// to end is reported once; what is added or deleted meanwhile may or may not be.
class FlowDump {
  public:
    FlowDump(ConnectionId to, std::uint32_t xid, const openflow::FlowStatsRequest& request);

    /// Why it stops: all is sent, the connection takes no more, or `limit` is reached.
    enum class Progress : std::uint8_t { finished, unwritable, limit };
    /// Sends parts while the connection takes them, looking at no more than `limit` flows.
    [[nodiscard]] Progress go_on(const FlowStore& store, Time now, std::size_t limit,
                                 Outbox& outbox);

  private:
    void send_part(openflow::ReplyMore more, Outbox& outbox);

    ConnectionId to_;
    std::uint32_t xid_;
    openflow::Match match_;
    FlowFilter filter_;
    FlowId cursor_;
    std::vector<openflow::FlowStats> part_;
};

/// One flow's entry (§7.3.5.2).
[[nodiscard]] openflow::FlowStats flow_stats(const FlowStore& store, FlowId flow, Time now);

/// Sums over the flows of the request (§7.3.5.3).
[[nodiscard]] openflow::AggregateStats aggregate_stats(const FlowStore& store,
                                                       const openflow::FlowStatsRequest& request);

/// All tables of the pipeline, used or not (§7.3.5.4).
[[nodiscard]] std::vector<openflow::TableStats> table_stats(const FlowStore& store,
                                                            const Targets& targets);

}  // namespace raicho::agent
