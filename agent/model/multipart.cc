// SPDX-License-Identifier: Apache-2.0
#include "agent/model/multipart.h"

#include <utility>

#include "agent/model/match_set.h"

namespace raicho::agent {
namespace {

/// A part is about 10 to 60 kB on the wire and a tenth of a megabyte here.
constexpr std::size_t kFlowsInPart = 64;

}  // namespace

FlowDump::FlowDump(ConnectionId to, std::uint32_t xid, const openflow::FlowStatsRequest& request)
    : to_(to), xid_(xid), match_(request.match), filter_(filter_of(request)) {}

FlowDump::Progress FlowDump::go_on(const FlowStore& store, Time now, std::size_t limit,
                                   Outbox& outbox) {
    for (std::size_t n = 0; outbox.writable(to_); ++n) {
        const std::optional<FlowId> flow = store.next(cursor_, filter_.table);
        if (!flow) {
            send_part(openflow::ReplyMore::no, outbox);
            return Progress::finished;
        }
        if (n == limit) return Progress::limit;
        cursor_ = FlowId{flow->value() + 1};
        if (!match_.empty() && !within(store.match(*flow), match_)) continue;
        if (!passes(filter_, store, *flow)) continue;
        if (part_.size() == kFlowsInPart) send_part(openflow::ReplyMore::yes, outbox);
        part_.push_back(flow_stats(store, *flow, now));
    }
    return Progress::unwritable;
}

void FlowDump::send_part(openflow::ReplyMore more, Outbox& outbox) {
    outbox.send(to_, xid_, openflow::MultipartReply{std::exchange(part_, {}), more});
}

openflow::FlowStats flow_stats(const FlowStore& store, FlowId flow, Time now) {
    const FlowHead head = store.head(flow);
    const FlowCount count = store.counts(flow);
    const Time age = now - head.created;
    return {
        .table = head.table,
        .duration_sec = static_cast<std::uint32_t>(age / kSecond),
        .duration_nsec = static_cast<std::uint32_t>(age % kSecond),
        .priority = head.priority,
        .idle_timeout = head.idle_timeout,
        .hard_timeout = head.hard_timeout,
        .flags = head.flags,
        .cookie = head.cookie,
        .packet_count = count.packets,
        .byte_count = count.bytes,
        .match = store.match(flow),
        .instructions = store.instructions(flow),
    };
}

openflow::AggregateStats aggregate_stats(const FlowStore& store,
                                         const openflow::FlowStatsRequest& request) {
    openflow::AggregateStats sum;
    for_each_selected(store, filter_of(request), request.match, [&](FlowId flow) {
        const FlowCount count = store.counts(flow);
        sum.packet_count += count.packets;
        sum.byte_count += count.bytes;
        ++sum.flow_count;
        return true;
    });
    return sum;
}

std::vector<openflow::TableStats> table_stats(const FlowStore& store, const Targets& targets) {
    std::vector<openflow::TableStats> stats;
    stats.reserve(kTables);
    for (std::size_t n = 0; n < kTables; ++n) {
        const TableId table{static_cast<std::uint8_t>(n)};
        if (!targets.has(table)) continue;
        const TableCount count = store.table_counts(table);
        stats.push_back({table, count.active, count.lookup, count.matched});
    }
    return stats;
}

}  // namespace raicho::agent
