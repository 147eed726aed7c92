// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "openflow/v13/entries.h"
#include "openflow/v13/messages.h"
#include "openflow/v13/wire_queue.h"

namespace raicho::openflow::v13 {
namespace {

constexpr std::size_t kRateSize = sizeof(WireQueueProperty) + sizeof(WireQueueRate);

void put_rate(std::uint16_t type, const std::optional<std::uint16_t>& rate, ByteWriter& out) {
    if (!rate) return;
    out.put(WireQueueProperty{type, static_cast<std::uint16_t>(kRateSize), {}});
    out.put(WireQueueRate{*rate, {}});
}

/// One property; those of experimenters are read over.
OfResult<void> decode_property(ByteReader& in, QueueDesc& queue) {
    TRY_ASSIGN(const auto wire, pull<WireQueueProperty>(in));
    auto body = take_body<WireQueueProperty>(in, wire.length.value());
    if (!body)
        return ofp_error(BadRequest::bad_len,
                         format("queue property of {} bytes", wire.length.value()));
    const std::uint16_t type = wire.type.value();
    if (type != kQueueMinRate && type != kQueueMaxRate) return {};
    TRY_ASSIGN(const auto rate, pull<WireQueueRate>(*body));
    (type == kQueueMinRate ? queue.min_rate : queue.max_rate) = rate.rate.value();
    return {};
}

}  // namespace

OfResult<QueueGetConfigRequest> decode_queue_request(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireQueueConfig>(in));
    return QueueGetConfigRequest{PortNo(wire.port.value())};
}

void encode(const QueueGetConfigRequest& request, MessageWriter& out) {
    out.put(WireQueueConfig{request.port.value(), {}});
}

OfResult<QueueGetConfigReply> decode_queue_reply(ByteReader in) {
    TRY_ASSIGN(const auto wire, pull<WireQueueConfig>(in));
    QueueGetConfigReply reply{.port = PortNo(wire.port.value()), .queues = {}};
    TRY_ASSIGN(reply.queues, decode_entries<QueueDesc>(in));
    return reply;
}

void encode(const QueueGetConfigReply& reply, MessageWriter& out) {
    out.put(WireQueueConfig{reply.port.value(), {}});
    // The reply has no parts: what does not fit into one message stays out.
    constexpr std::size_t kMost = sizeof(WireQueue) + 2 * kRateSize;
    for (const QueueDesc& queue : reply.queues)
        if (out.size() + kMost <= kMaxMessage) encode_entry(queue, out.out());
}

OfResult<QueueDesc> decode_entry(ByteReader& in, EntryOf<QueueDesc>) {
    TRY_ASSIGN(const auto wire, pull<WireQueue>(in));
    auto body = take_body<WireQueue>(in, wire.length.value());
    if (!body)
        return ofp_error(BadRequest::bad_len, format("queue of {} bytes", wire.length.value()));
    QueueDesc queue{.queue = wire.queue.value(), .port = PortNo(wire.port.value())};
    while (!body->empty()) TRY(decode_property(*body, queue));
    return queue;
}

void encode_entry(const QueueDesc& queue, ByteWriter& out) {
    const std::size_t start = out.offset();
    out.put(WireQueue{queue.queue, queue.port.value(), {}, {}});
    put_rate(kQueueMinRate, queue.min_rate, out);
    put_rate(kQueueMaxRate, queue.max_rate, out);
    patch_length(out, start, offsetof(WireQueue, length));
}

OfResult<QueueStats> decode_entry(ByteReader& in, EntryOf<QueueStats>) {
    TRY_ASSIGN(const auto wire, pull<WireQueueStats>(in));
    return QueueStats{.port = PortNo(wire.port.value()),
                      .queue = wire.queue.value(),
                      .tx_bytes = wire.tx_bytes.value(),
                      .tx_packets = wire.tx_packets.value(),
                      .tx_errors = wire.tx_errors.value(),
                      .duration_sec = wire.duration_sec.value(),
                      .duration_nsec = wire.duration_nsec.value()};
}

void encode_entry(const QueueStats& stats, ByteWriter& out) {
    out.put(WireQueueStats{.port = stats.port.value(),
                           .queue = stats.queue,
                           .tx_bytes = stats.tx_bytes,
                           .tx_packets = stats.tx_packets,
                           .tx_errors = stats.tx_errors,
                           .duration_sec = stats.duration_sec,
                           .duration_nsec = stats.duration_nsec});
}

}  // namespace raicho::openflow::v13
