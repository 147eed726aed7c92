// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/wire_multipart.h"

namespace raicho::openflow::v13 {

OfResult<FlowStats> decode_entry(ByteReader& in, EntryOf<FlowStats>) {
    TRY_ASSIGN(const auto wire, pull<WireFlowStats>(in));
    auto body = take_body<WireFlowStats>(in, wire.length.value());
    if (!body)
        return ofp_error(BadRequest::bad_len,
                         format("flow-stats entry of {} bytes", wire.length.value()));
    FlowStats stats{.table = TableId(wire.table),
                    .duration_sec = wire.duration_sec.value(),
                    .duration_nsec = wire.duration_nsec.value(),
                    .priority = wire.priority.value(),
                    .idle_timeout = wire.idle_timeout.value(),
                    .hard_timeout = wire.hard_timeout.value(),
                    .flags = wire.flags.value(),
                    .cookie = wire.cookie.value(),
                    .packet_count = wire.packet_count.value(),
                    .byte_count = wire.byte_count.value()};
    TRY(decode_match(*body, stats.match));
    TRY(decode_instructions(body->rest(), stats.instructions));
    return stats;
}

void encode_entry(const FlowStats& stats, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireFlowStats{.length = {},
                          .table = stats.table.value(),
                          .pad = {},
                          .duration_sec = stats.duration_sec,
                          .duration_nsec = stats.duration_nsec,
                          .priority = stats.priority,
                          .idle_timeout = stats.idle_timeout,
                          .hard_timeout = stats.hard_timeout,
                          .flags = stats.flags,
                          .pad2 = {},
                          .cookie = stats.cookie,
                          .packet_count = stats.packet_count,
                          .byte_count = stats.byte_count});
    encode_match(stats.match, out);
    encode_instructions(stats.instructions, out);
    patch_length(out, start, offsetof(WireFlowStats, length));
}

OfResult<TableStats> decode_entry(ByteReader& in, EntryOf<TableStats>) {
    TRY_ASSIGN(const auto wire, pull<WireTableStats>(in));
    return TableStats{TableId(wire.table), wire.active_count.value(), wire.lookup_count.value(),
                      wire.matched_count.value()};
}

void encode_entry(const TableStats& stats, ByteWriter& out) {
    out.put(WireTableStats{
        stats.table.value(), {}, stats.active_count, stats.lookup_count, stats.matched_count});
}

}  // namespace raicho::openflow::v13
